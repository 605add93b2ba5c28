"""Damage of an archive that is kept as WARC."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator

from spiderd.archive.directory import Directory
from spiderd.archive.reading import read_body
from spiderd.archive.records import offset_of
from spiderd.archive.warc import Received
from spiderd.config.declaration import Urls
from spiderd.store.records import DirectoryRecord, decode, number_key
from spiderd.verify import repair, verify
from tests.verify.crawled import copy_of, make, opened


@pytest.fixture(scope="module")
def original(tmp_path_factory) -> Path:
    data = tmp_path_factory.mktemp("crawled") / "data"
    make(data, archive={"format": "warc"}, crawl={"threads": 1})
    return data


@pytest.fixture
def data(original: Path, tmp_path: Path) -> Path:
    return copy_of(original, tmp_path / "data")


@pytest.fixture
def folder(data: Path) -> Path:
    return next(path.parent for path in (data / "pages").glob("*/records.warc.gz"))


def flipped(folder: Path) -> None:
    with (folder / "records.warc.gz").open("r+b") as file:
        file.seek(offset_of(folder, 3) + 200)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 0x55]))


def cut(folder: Path) -> None:
    os.truncate(folder / "records.warc.gz", offset_of(folder, 5) + 50)


def removed(folder: Path) -> None:
    (folder / "records.warc.gz").unlink()


def without_offsets(folder: Path) -> None:
    (folder / "records.offsets").unlink()


@pytest.mark.parametrize("damage", [flipped, cut, removed, without_offsets])
def test_what_cannot_be_read_is_found_and_crawled_again(data: Path, folder: Path, damage) -> None:
    assert verify(data).sound
    damage(folder)
    report = verify(data)
    assert report.found["files"] >= 1
    repaired = repair(data, Urls())
    assert repaired.sound, repaired
    assert repaired.waiting > 12
    url, body = "http://h.test/", os.urandom(2000)
    directory = opened_again(data, folder)
    number = directory.store(url, body, Received(url, 1.0, 200, b"HTTP/1.1 200 OK", body))
    directory.close()
    assert read_body(data / "pages", int(folder.name), number) == body


def opened_again(data: Path, folder: Path) -> Directory:
    """The directory as the next start opens it."""
    with opened(data) as rows:
        row = decode(DirectoryRecord, rows.get("directories", number_key(int(folder.name))))
    committed = {name: getattr(row, name) for name in ("count", "index_bytes", "records_bytes")}
    return Directory(data / "pages", int(folder.name), warc=True, **committed)


def test_what_is_left_of_records_that_were_cut_is_whole(data: Path, folder: Path) -> None:
    cut(folder)
    repair(data, Urls())
    opened_again(data, folder).close()
    with (folder / "records.warc.gz").open("rb") as file:
        kinds = [record.headers["WARC-Type"] for record in ArchiveIterator(file, parse_http=False)]
    assert kinds[:2] == ["warcinfo", "response"]
    assert kinds.count("response") >= 4
