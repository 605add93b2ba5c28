"""The driver of the bed finds what is wrong, counts all processes, and computes its tables rightly."""

from __future__ import annotations

import json
import sys
from hashlib import blake2b
from pathlib import Path

import pytest

from bench.bed import Options, configuration
from bench.compare import tables
from bench.measure import measure
from bench.stored import Verdict, examine
from spiderd.archive.directory import Directory
from spiderd.archive.records import OFFSETS
from spiderd.archive.warc import Received
from spiderd.config.loading import load
from spiderd.states import Failure, OutcomeKind
from spiderd.store.environment import Environment
from spiderd.store.records import PageRecord, encode, number_key


class SmallBed:
    """A bed of four pages, two of which are alike, and one that the server does not have."""

    follow = r"^http://127\.0\.[0-9.]+:8081/([^?#]*/|[^?#]*\.html?)?$"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir()
        for name, body in (("a", b"one"), ("b", b"two"), ("c", b"two"), ("d", b"three")):
            (folder / name).write_bytes(body)

    def truth(self, workload: str) -> list[str]:
        return [f"http://site/{name}" for name in ("a", "b", "c", "d", "unserved")]

    def seeds(self, workload: str) -> list[str]:
        return ["http://127.0.3.1:8081/"]

    def file(self, url: str) -> Path:
        return self._folder / url.rpartition("/")[2]

    def is_served(self, url: str) -> bool:
        return self.file(url).exists()


class Crawled:
    """A data directory, written as a crawl would."""

    def __init__(self, path: Path, *, warc: bool = False) -> None:
        self.path = path
        self.rows: list[PageRecord] = []
        self.directory = Directory(path / "pages", 1, warc=warc)

    def page(self, name: str, body: bytes, kind: OutcomeKind = OutcomeKind.STORED) -> None:
        url = f"http://site/{name}"
        received = Received(url, 0.0, 200, b"HTTP/1.1 200 OK", body)
        number = self.directory.store(url, body, received) if kind is OutcomeKind.STORED else 0
        digest = blake2b(body).digest()
        row = PageRecord(url, kind, 200, Failure.NONE, 0.0, directory=1, number=number, digest=digest)
        self.rows.append(row)

    def examine(self, bed: SmallBed) -> Verdict:
        self.directory.close()
        with Environment(self.path / "store") as environment, environment.begin() as transaction:
            for number, row in enumerate(self.rows, 1):
                transaction.put(number_key(number), encode(row), db=environment.tables["pages"])
        return examine(self.path, bed, "any")


@pytest.fixture
def bed(tmp_path: Path) -> SmallBed:
    return SmallBed(tmp_path / "server")


@pytest.fixture
def crawled(tmp_path: Path) -> Crawled:
    crawled = Crawled(tmp_path / "data")
    crawled.page("a", b"one")
    crawled.page("b", b"two")
    return crawled


def test_a_complete_crawl_is_complete(bed, crawled):
    crawled.page("c", b"two", OutcomeKind.DUPLICATE)
    crawled.page("d", b"three")
    verdict = crawled.examine(bed)
    assert verdict.complete
    assert (verdict.pages, verdict.truth, verdict.duplicates) == (4, 5, 1)
    assert list(verdict.complaints(5)) == ["unserved: http://site/unserved"]


@pytest.mark.parametrize("last", [b"three", b"thre\0"])
def test_records_are_read_as_files_are(bed, tmp_path, last):
    crawled = Crawled(tmp_path / "records", warc=True)
    for name, body in (("a", b"one"), ("b", b"two"), ("d", last)):
        crawled.page(name, body)
    crawled.page("c", b"two", OutcomeKind.DUPLICATE)
    verdict = crawled.examine(bed)
    assert not (crawled.directory.path / "00001").exists()
    assert verdict.complete is (last == b"three")
    assert [line.split()[0] for line in verdict.different] == ["http://site/d"] * (not verdict.complete)


def test_a_record_that_the_index_does_not_know_is_found(bed, tmp_path):
    crawled = Crawled(tmp_path / "records", warc=True)
    crawled.page("a", b"one")
    with (crawled.directory.path / OFFSETS).open("ab") as file:
        file.write((1).to_bytes(8, "big"))
    assert crawled.examine(bed).untidy


def test_a_missing_page_is_missed(bed, crawled):
    crawled.page("c", b"two", OutcomeKind.DUPLICATE)
    verdict = crawled.examine(bed)
    assert verdict.missing == ["http://site/d"]
    assert not verdict.complete


def test_a_page_too_many_is_found(bed, crawled):
    crawled.page("c", b"two", OutcomeKind.DUPLICATE)
    crawled.page("d", b"three")
    crawled.page("e", b"five")
    assert crawled.examine(bed).extra == ["http://site/e"]


def test_content_that_is_stored_twice_is_found(bed, crawled):
    crawled.page("c", b"two")
    crawled.page("d", b"three")
    assert crawled.examine(bed).twice == ["content of http://site/b", "content of http://site/c"]


def test_a_page_that_is_recorded_twice_is_found(bed, crawled):
    crawled.page("c", b"two", OutcomeKind.DUPLICATE)
    crawled.page("d", b"three")
    crawled.page("d", b"three", OutcomeKind.DUPLICATE)
    assert crawled.examine(bed).twice == ["http://site/d"]


def test_wrong_bytes_are_found(bed, crawled):
    crawled.page("c", b"tw\0", OutcomeKind.STORED)
    crawled.page("d", b"three")
    assert [line.split()[0] for line in crawled.examine(bed).different] == ["http://site/c"]


def test_a_duplicate_of_nothing_is_found(bed, crawled):
    crawled.page("c", b"two", OutcomeKind.DUPLICATE)
    crawled.page("d", b"three", OutcomeKind.DUPLICATE)
    assert [line.split()[0] for line in crawled.examine(bed).different] == ["http://site/d"]


@pytest.mark.parametrize("damage", ["file too many", "index line too many", "wrong URL", "row too many"])
def test_an_archive_that_does_not_fit_its_index_is_found(bed, crawled, damage):
    crawled.page("c", b"two", OutcomeKind.DUPLICATE)
    crawled.page("d", b"three")
    index = crawled.directory.path / "index.txt"
    if damage == "file too many":
        (crawled.directory.path / "00004").write_bytes(b"")
    elif damage == "index line too many":
        index.write_text(index.read_text() + "00004:http://site/e\n")
    elif damage == "wrong URL":
        index.write_text(index.read_text().replace("http://site/b", "http://site/x"))
    else:
        index.write_text("".join(index.read_text().splitlines(keepends=True)[:-1]))
        (crawled.directory.path / "00003").unlink()
    assert crawled.examine(bed).untidy


def test_the_configuration_of_a_run_is_one(bed, tmp_path):
    file = tmp_path / "config.toml"
    file.write_text(configuration(bed, "any", Options(threads=7, processes="0")))
    config = load(file, environ={}).config
    assert (config.crawl.threads, config.crawl.processes, config.politeness.per_ip) == (7, 0, 7)
    assert config.scope.include == [SmallBed.follow]
    file.write_text(configuration(bed, "any", Options()))
    assert load(file, environ={}).config.crawl.processes == "auto"


CHILD = """
import subprocess, sys, time
if len(sys.argv) > 1:
    subprocess.run([sys.executable, __file__])
held = b"x" * 40_000_000
end = time.process_time() + 0.2
while time.process_time() < end:
    pass
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_children_are_measured_too(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(CHILD)
    alone = measure([sys.executable, program], cwd=tmp_path, log=tmp_path / "log", timeout=60)
    both = measure([sys.executable, program, "too"], cwd=tmp_path, log=tmp_path / "log", timeout=60)
    assert alone.exit_code == both.exit_code == 0
    assert alone.user + alone.system >= 0.2
    assert both.user + both.system >= 0.4
    assert alone.peak_anon > 40_000_000
    assert both.peak_rss > alone.peak_anon


def test_a_run_ends_at_its_timeout(tmp_path):
    run = measure(["sleep", "60"], cwd=tmp_path, log=tmp_path / "log", timeout=0.1)
    assert run.timed_out
    assert run.exit_code == -15
    assert run.wall < 10


def test_tables_hold_medians_and_factors():
    def row(peer: str, pps: float) -> dict[str, object]:
        text = '{"workload": "w", "truth": 10, "pages": 10, "wall": 1, "cpu": 1, "rss_mb": 1, "conns": 1}'
        return {**json.loads(text), "peer": peer, "pps": pps}

    rows = [row("spiderd", pps) for pps in (300, 100, 200)] + [row("other", pps) for pps in (40, 50, 60)]
    lines = "\n".join(tables(rows)).splitlines()
    body = [line for line in lines if line.startswith(("| spiderd", "| other"))]
    assert body == [
        "| spiderd | 3 | 10 | **200** (100-300) |  | 1.00 | 1.00 | 1 | 1 |",
        "| other | 3 | 10 | **50** (40-60) | 4.00 x | 1.00 | 1.00 | 1 | 1 |",
    ]
