"""C37: killed at any moment, the same command goes on, and the end is that of an uninterrupted run."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest

from tests.cases.crashing import Result, command, complaints, result_of, run, site
from tests.cases.killing import MOMENTS, OF_RECORDS
from tests.web.server import threaded_site

PAGES = 150
THREADS = 8
OPTIONS = ("--once", "--threads", str(THREADS), "--delay", "0", "--follow", "host", "--processes", "0")
SETTINGS = ("--set", "search.enabled=false", "--set", "archive.max_count=9", "--log-level", "error")

TIMES = {
    "before the map grows": (1, 2),
    "after the map has grown": (1, 2),
    "directory full": (9, 5),
    "in the middle of recovery": (12, 3, 1),
}


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Result:
    data = tmp_path_factory.mktemp("uninterrupted")
    with threaded_site(site(PAGES)) as pages:
        ended = run(command(data, *OPTIONS, *SETTINGS, pages.url("/")))
        assert ended.returncode == 0, ended.stderr
        return result_of(data, pages.origin)


@pytest.mark.parametrize("moment", MOMENTS)
def test_c37_killed_at_a_moment_that_matters(tmp_path: Path, uninterrupted: Result, moment: str) -> None:
    data = tmp_path / "data"
    kills = 0
    with threaded_site(site(PAGES)) as pages:
        for count in TIMES.get(moment, (20, 1)):
            ended = run(command(data, *OPTIONS, *SETTINGS, pages.url("/"), moment=moment, count=count))
            assert ended.returncode in (-signal.SIGKILL, 0), ended.stderr
            kills += ended.returncode != 0
            data = data.rename(tmp_path / f"moved{count}")
        assert kills >= 1
        ended = run(command(data, *OPTIONS, *SETTINGS, pages.url("/")))
        assert ended.returncode == 0, ended.stderr
        assert "continuing: " in ended.stdout + ended.stderr
        fetched = sum(request.path != "/robots.txt" for request in pages.requests)
        assert fetched <= len(pages.routes) - 1 + 15 + THREADS * (kills + 1)  # 15 are not there
        assert result_of(data, pages.origin) == uninterrupted
    assert complaints(data) == []


@pytest.mark.parametrize("moment", OF_RECORDS)
def test_c37_killed_while_records_are_written(tmp_path: Path, uninterrupted: Result, moment: str) -> None:
    records = ("--set", "archive.format=warc")
    with threaded_site(site(PAGES)) as pages:
        for count in (25, 3):
            killed = command(
                tmp_path, *OPTIONS, *SETTINGS, *records, pages.url("/"), moment=moment, count=count
            )
            assert run(killed).returncode == -signal.SIGKILL
        assert run(command(tmp_path, *OPTIONS, *SETTINGS, *records)).returncode == 0
        assert result_of(tmp_path, pages.origin) == uninterrupted
    assert complaints(tmp_path) == []


def test_c37_a_second_kill_before_anything_is_recovered_loses_nothing(
    tmp_path: Path, uninterrupted: Result
) -> None:
    """Recovery itself is killed again and again."""
    with threaded_site(site(PAGES)) as pages:
        first = command(tmp_path, *OPTIONS, *SETTINGS, pages.url("/"), moment="before a commit", count=20)
        assert run(first).returncode == -signal.SIGKILL
        asked = len(pages.requests)
        journal = (tmp_path / "store" / "journal").stat().st_size
        for _ in range(3):
            again = command(tmp_path, *OPTIONS, *SETTINGS, moment="before a commit", count=1)
            assert run(again).returncode == -signal.SIGKILL
            assert (tmp_path / "store" / "journal").stat().st_size == journal
        assert len(pages.requests) == asked
        assert run(command(tmp_path, *OPTIONS, *SETTINGS)).returncode == 0
        assert result_of(tmp_path, pages.origin) == uninterrupted


def test_c37_what_nobody_recorded_is_cut_back_even_where_there_are_fewer_workers_now(
    tmp_path: Path, uninterrupted: Result
) -> None:
    moment = "index line written, outcome not sent"
    with threaded_site(site(PAGES)) as pages:
        killed = command(tmp_path, *OPTIONS, *SETTINGS, pages.url("/"), moment=moment, count=25)
        assert run(killed).returncode == -signal.SIGKILL
        fewer = ("--once", "--threads", "1", "--delay", "0", "--follow", "host", "--processes", "1")
        assert run(command(tmp_path, *fewer, *SETTINGS)).returncode == 0
        assert result_of(tmp_path, pages.origin) == uninterrupted
    assert complaints(tmp_path) == []


def test_c37_a_copy_of_the_directory_is_a_crawl_of_its_own(tmp_path: Path, uninterrupted: Result) -> None:
    """A backup taken of a killed crawl goes on as the crawl itself does."""
    with threaded_site(site(PAGES)) as pages:
        killed = command(
            tmp_path / "a", *OPTIONS, *SETTINGS, pages.url("/"), moment="before a commit", count=9
        )
        assert run(killed).returncode == -signal.SIGKILL
        shutil.copytree(tmp_path / "a", tmp_path / "b", ignore=shutil.ignore_patterns("*.sock"))
        for name in "ab":
            assert run(command(tmp_path / name, *OPTIONS, *SETTINGS)).returncode == 0
            assert result_of(tmp_path / name, pages.origin) == uninterrupted
