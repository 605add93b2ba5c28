"""The first command of the README, less its installation: the whole program on the demonstration site."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from bench.stored import page_records
from spiderd.archive.directory import directory_path, resource_name
from spiderd.demo.server import COPIES, MOVED, SITE
from spiderd.states import OutcomeKind
from spiderd.store.records import PageRecord

CRAWL = (Path(__file__).parents[2] / "scripts" / "crawl").read_text()
DEMO = ["-m", "spiderd.demo", "--port", "0", sys.executable, "-m", "spiderd"]


def crawl(data_dir: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        *DEMO,
        "start",
        "--once",
        "--data-dir",
        str(data_dir),
        "--delay",
        "0s",
        *options,
    ]
    assert "start --once --data-dir ./spiderd-demo --delay 0s" in CRAWL
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture(scope="module", params=["0", "2"])
def crawled(request, tmp_path_factory) -> Path:
    data_dir = tmp_path_factory.mktemp(f"processes-{request.param}")
    done = crawl(data_dir, "--processes", request.param)
    assert done.returncode == 0, done.stderr
    assert "crawl complete" in done.stdout
    return data_dir


def outcomes(data_dir: Path) -> dict[OutcomeKind, dict[str, PageRecord]]:
    found: dict[OutcomeKind, dict[str, PageRecord]] = {kind: {} for kind in OutcomeKind}
    for record in page_records(data_dir):
        found[record.kind][urlsplit(record.url).path] = record
    return found


def test_every_page_is_stored_once_as_it_was_sent(crawled):
    found = outcomes(crawled)
    kept = found[OutcomeKind.STORED]
    alike = {*COPIES, *COPIES.values()}
    files = {f"/{file.relative_to(SITE)}".replace("index.html", ""): file for file in SITE.rglob("*.*")}
    pages = {
        path for path in files if path.endswith(("/", ".html", ".txt")) and not path.startswith("/cellar/")
    }
    assert kept.keys() - alike == pages - alike
    assert len(kept.keys() & alike) == 1
    for path, record in kept.items():
        resource = directory_path(crawled / "pages", record.directory) / resource_name(record.number)
        assert resource.read_bytes() == files[COPIES.get(path, path)].read_bytes()


def test_what_is_not_stored_has_its_reason(crawled):
    found = outcomes(crawled)
    assert set(found[OutcomeKind.DUPLICATE]) < {*COPIES, *COPIES.values()}
    assert set(found[OutcomeKind.REDIRECT]) == set(MOVED)
    assert {path: record.status for path, record in found[OutcomeKind.FAILED].items()} == {
        "/spiders/moon-spider.html": 404
    }
    assert found[OutcomeKind.SKIPPED]["/cellar/"].failure == "robots_denied"


def test_titles_are_in_the_right_characters(crawled):
    titles = {path: record.title for path, record in outcomes(crawled)[OutcomeKind.STORED].items()}
    assert titles["/zh/xizhu.html"] == "喜蛛"
    assert titles["/zh/zhusi.html"] == "蛛丝"
    assert titles["/ru/serebryanka.html"] == "Серебрянка"
    assert titles["/fr/"] == "L\N{RIGHT SINGLE QUOTATION MARK}araignée et sa toile"
