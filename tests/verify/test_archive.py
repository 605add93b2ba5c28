"""Damage of the archive: bodies, index.txt, bodies that no page has."""

from __future__ import annotations

from pathlib import Path

import pytest

from spiderd.archive.directory import directory_path, resource_name
from spiderd.config.declaration import Urls
from spiderd.states import Failure, OutcomeKind
from spiderd.store.records import DirectoryRecord, PageRecord, WaitingUrl, decode, encode
from spiderd.verify import repair, verify
from tests.crawl.harness import pages_of
from tests.verify.crawled import copy_of, first, make, opened


@pytest.fixture(scope="module")
def original(tmp_path_factory) -> Path:
    data = tmp_path_factory.mktemp("crawled") / "data"
    make(data)
    return data


@pytest.fixture
def data(original: Path, tmp_path: Path) -> Path:
    return copy_of(original, tmp_path / "data")


def twin_of(data: Path) -> tuple[str, Path, str]:
    """URL and file of the page that was stored once for two URLs, and the other URL."""
    pages = pages_of(data)
    other = next(page for page in pages.values() if page.kind is OutcomeKind.DUPLICATE)
    kept = next(p for p in pages.values() if p.kind is OutcomeKind.STORED and p.digest == other.digest)
    return kept.url, directory_path(data / "pages", kept.directory) / resource_name(kept.number), other.url


def removed(file: Path) -> None:
    file.unlink()


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def flipped(file: Path) -> None:
    body = bytearray(file.read_bytes())
    body[3] ^= 1
    file.write_bytes(body)


@pytest.mark.parametrize("damage", [removed, cut, flipped])
def test_a_page_without_its_body_waits_again_and_so_do_its_twins(data: Path, damage) -> None:
    url, file, other = twin_of(data)
    damage(file)
    assert verify(data).found == {"files": 1}
    report = repair(data, Urls())
    assert report.sound, report
    assert report.waiting == 14
    assert not file.exists()
    again = pages_of(data)[url]
    assert (again.kind, again.failure, again.number) == (OutcomeKind.FAILED, Failure.STORE_FAILED, 0)
    assert pages_of(data)[other].kind is OutcomeKind.FAILED
    if damage is not removed:
        assert file.with_name(f"{file.name}.lost").exists()


def test_an_index_that_was_changed_is_written_anew(data: Path) -> None:
    index = next(path for path in (data / "pages").glob("*/index.txt") if path.stat().st_size)
    right = index.read_bytes()
    index.write_bytes(right.replace(b"http", b"HTTP", 1))
    assert "index" in verify(data).found
    assert repair(data, Urls()).sound
    assert index.read_bytes() == right


@pytest.mark.parametrize("length", [0, 10])
def test_an_index_that_is_too_short_is_written_anew(data: Path, length: int) -> None:
    index = next(path for path in (data / "pages").glob("*/index.txt") if path.stat().st_size)
    right = index.read_bytes()
    index.write_bytes(right[:length])
    assert "index" in verify(data).found
    assert repair(data, Urls()).sound
    assert index.read_bytes() == right


def test_a_whole_directory_that_is_gone_is_fetched_again(data: Path) -> None:
    folder = next(path.parent for path in (data / "pages").glob("*/00001"))
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    assert verify(data).found["files"] >= 1
    assert repair(data, Urls()).sound


def test_a_body_that_no_page_has_is_set_aside_and_its_url_waits(data: Path) -> None:
    with opened(data) as rows:
        key, row = first(rows, "pages", lambda row: decode(PageRecord, row).number > 0)
        page = decode(PageRecord, row)
        rows.delete("pages", key)
    file = directory_path(data / "pages", page.directory) / resource_name(page.number)
    assert {"files", "page_of"} <= set(verify(data).found)
    report = repair(data, Urls())
    assert report.sound, report
    assert file.with_name(f"{file.name}.lost").exists()
    with opened(data) as rows, rows.cursor("frontier") as cursor:
        assert sum(decode(WaitingUrl, row).url == page.url for _, row in cursor) == 1


def test_what_was_never_committed_is_no_damage(data: Path) -> None:
    folder = next(path.parent for path in (data / "pages").glob("*/00001"))
    with opened(data) as rows:
        count = decode(DirectoryRecord, rows.get("directories", int(folder.name).to_bytes(8, "big"))).count
    (folder / resource_name(count + 1)).write_bytes(b"half a pa")
    with (folder / "index.txt").open("ab") as file:
        file.write(b"00099:http://half")
    report = verify(data)
    assert report.sound, report
    assert "never committed" in report.notes[0]


def test_pages_that_share_a_resource_are_told(data: Path) -> None:
    with opened(data) as rows:
        keys = [key for key, row in rows.cursor("pages") if decode(PageRecord, row).number > 0][:2]
        one, two = (decode(PageRecord, rows.get("pages", key)) for key in keys)
        two.directory, two.number = one.directory, one.number
        rows.put("pages", keys[1], encode(two))
    assert {"directories", "files", "index"} <= set(verify(data).found)
    assert repair(data, Urls()).sound
