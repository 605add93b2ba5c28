"""`wacz` from both kinds of archive, read back by py-wacz, by Python's own zipfile, and by warcio."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from spiderd.export import export, wacz
from spiderd.export.surt import surt
from spiderd.states import OutcomeKind
from tests.archive.test_records import is_valid
from tests.crawl.harness import pages_of
from tests.verify.crawled import make

KEPT = (OutcomeKind.STORED, OutcomeKind.DUPLICATE, OutcomeKind.REDIRECT)


@pytest.fixture(scope="module", params=["files", "warc"])
def data(request, tmp_path_factory) -> Path:
    data = tmp_path_factory.mktemp(request.param) / "data"
    make(data, archive={"format": request.param})
    return data


@pytest.fixture(scope="module")
def file(data: Path) -> Path:
    file = data.parent / "crawl.wacz"
    with file.open("wb") as out:
        job = export(data, "wacz", out)
    assert (job.missing, job.notes) == (0, [])
    return file


def test_py_wacz_finds_it_valid(file: Path) -> None:
    command = [sys.executable, "-m", "wacz", "validate", "-f", str(file)]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
    assert "the passed WACZ is valid" in told.stdout
    assert "1.1.1" in told.stdout


def test_its_members_are_whole_and_as_the_package_says(file: Path) -> None:
    with zipfile.ZipFile(file) as package:
        assert package.testzip() is None
        told = json.loads(package.read("datapackage.json"))
        listed = {one["path"]: one for one in told["resources"]}
        assert listed.keys() == set(package.namelist()) - {"datapackage.json", "datapackage-digest.json"}
        for path, one in listed.items():
            content = package.read(path)
            assert one["bytes"] == len(content)
            assert one["hash"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
        digest = json.loads(package.read("datapackage-digest.json"))
        assert digest["hash"] == f"sha256:{hashlib.sha256(package.read('datapackage.json')).hexdigest()}"
        stored = [one.filename for one in package.infolist() if one.compress_type == zipfile.ZIP_STORED]
        assert stored == ["archive/data.warc.gz", "indexes/index.cdx.gz"]


def test_each_page_is_found_by_the_index_and_read_by_warcio(data: Path, file: Path, tmp_path: Path) -> None:
    pages = {url: page for url, page in pages_of(data).items() if page.kind in KEPT}
    with zipfile.ZipFile(file) as package:
        archive, index = package.read("archive/data.warc.gz"), package.read("indexes/index.cdx.gz")
    (tmp_path / "data.warc.gz").write_bytes(archive)
    assert is_valid(tmp_path / "data.warc.gz")
    lines = gzip.decompress(index).splitlines(keepends=True)
    assert lines == sorted(lines)
    found = {}
    for line in lines:
        key, _, said = line.decode().split(" ", 2)
        fields = json.loads(said)
        assert (key, fields["filename"]) == (surt(fields["url"]), "data.warc.gz")
        begin = int(fields["offset"])
        record = next(iter(ArchiveIterator(io.BytesIO(archive[begin : begin + int(fields["length"])]))))
        assert record.rec_headers["WARC-Target-URI"] == fields["url"]
        found[fields["url"]] = len(record.content_stream().read())
    assert found.keys() == pages.keys()
    assert all(found[url] == page.size for url, page in pages.items() if page.kind is OutcomeKind.STORED)


def test_blocks_of_the_index_are_found_by_their_first_key(
    data: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wacz, "BLOCK", 3)
    out = io.BytesIO()
    export(data, "wacz", out)
    with zipfile.ZipFile(out) as package, zipfile.ZipFile(file) as whole:
        index = package.read("indexes/index.cdx.gz")
        lines = gzip.decompress(index).splitlines()
        assert len(lines) == len(gzip.decompress(whole.read("indexes/index.cdx.gz")).splitlines())
        meta, *blocks = package.read("indexes/index.idx").splitlines()
    assert json.loads(meta.removeprefix(b"!meta 0 "))["format"] == "cdxj-gzip-1.0"
    assert len(blocks) > 2
    for block in blocks:
        key, _, said = block.partition(b" {")
        place = json.loads(b"{" + said)
        packed = index[place["offset"] : place["offset"] + place["length"]]
        lines = gzip.decompress(packed).splitlines()
        assert lines[0].startswith(key + b" {")
        assert len(lines) <= 3


def test_pages_are_listed_the_seeds_apart(data: Path, file: Path) -> None:
    def listed(name: str) -> list[dict]:
        head, *rows = map(json.loads, package.read(f"pages/{name}.jsonl").splitlines())
        assert head["format"] == "json-pages-1.0"
        return rows

    pages = pages_of(data)
    with zipfile.ZipFile(file) as package:
        (seed,), others = listed("pages"), listed("extraPages")
        told = json.loads(package.read("datapackage.json"))
    assert pages[seed["url"]].depth == 0
    assert told["mainPageUrl"] == seed["url"]
    kept = {url for url, page in pages.items() if page.kind in KEPT[:2]}
    assert {row["url"] for row in others} == kept - {seed["url"]}
    assert all(row["title"] == pages[row["url"]].title for row in others)


def test_it_may_go_into_a_pipe(data: Path, file: Path) -> None:
    command = [sys.executable, "-m", "spiderd", "export", "wacz", "--data-dir", str(data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        piped, told = process.communicate()
    assert process.returncode == 0, told
    with zipfile.ZipFile(io.BytesIO(piped)) as package, zipfile.ZipFile(file) as whole:
        assert package.namelist() == whole.namelist()
        assert package.testzip() is None
        assert package.read("pages/extraPages.jsonl") == whole.read("pages/extraPages.jsonl")
