"""A disk that fills up, is read-only or goes away in the middle of a crawl, for real: a small tmpfs."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import trio

from spiderd.client import Client
from spiderd.daemon import disk
from spiderd.protocol import Snapshot
from spiderd.states import CrawlState, Reason
from spiderd.verify import verify
from tests.cases.crashing import command, run
from tests.crawl.harness import Recorder, archived, configured, crawl, daemon_process, wait_until
from tests.crawl.pages import page, site_of
from tests.web.server import serve, threaded_site

MIB = 1024 * 1024


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    mount = tmp_path / "small"
    mount.mkdir()
    made = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", mount]
    if subprocess.run(made, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a tmpfs")
    yield mount
    subprocess.run(["umount", mount], check=True)


def fill(disk: Path, *, leaving: int) -> Path:
    """Write a file that leaves so much room."""
    filler = disk / "filler"
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize - leaving)
    return filler


class Watcher(Recorder):
    """Does something as soon as the crawl is paused for a reason."""

    def __init__(self, reason: Reason, act: Callable[[], object]) -> None:
        super().__init__()
        self._reason = reason
        self._act = act
        self.messages: list[str] = []

    def progress(self, snapshot: Snapshot) -> None:
        if snapshot.reason is self._reason and snapshot.state is CrawlState.PAUSED:
            self.messages.append(snapshot.message)
            self._act()


def site(pages: int = 40, size: int = 48 * 1024) -> dict:
    routes = {f"/{n}": f"<p>{n}" + os.urandom(size).hex() for n in range(pages)}
    return site_of({"/": page(*routes), **routes})


@pytest.mark.trio
async def test_a_full_disk_pauses_the_crawl_until_there_is_room(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Meanwhile the socket answers, and nothing is asked for."""
    monkeypatch.setattr(disk, "LOOK_EVERY", 0.05)
    filler = fill(small_disk, leaving=4 * MIB)
    answers: list[tuple[CrawlState, Reason]] = []

    def ask_and_make_room() -> None:
        filler.unlink(missing_ok=True)

    report = Watcher(Reason.DISK_FULL, ask_and_make_room)

    async def ask() -> None:
        while not report.messages:
            status = await trio.to_thread.run_sync(status_of, small_disk / "data" / "test.sock")
            if status is not None:
                answers.append((status.state, status.reason))
            await trio.sleep(0.01)

    async with serve(site()) as web, trio.open_nursery() as nursery:
        nursery.start_soon(ask)
        with trio.fail_after(60):
            await crawl(configured(web.url("/")), small_disk / "data", report=report)
    assert "No room left" in report.messages[0]
    assert answers
    assert len(archived(small_disk / "data")) == 41
    assert report.last is not None
    assert report.last.counters.error == 0


def status_of(path: Path) -> Snapshot | None:
    if not path.exists():
        return None
    with Client(path) as client:
        return client.status()


@pytest.mark.parametrize("leaving", [0, 4, 64, 900])
def test_where_there_is_no_room_to_begin_it_is_said_and_the_next_start_goes_well(
    small_disk: Path, leaving: int
) -> None:
    """No traceback, no signal: the lock file of the store is written through memory."""
    data = small_disk / "data"
    with threaded_site(site(3, 100)) as web:
        filler = fill(small_disk, leaving=leaving * 1024)
        start = command(data, "--once", "--delay", "0", "--processes", "0", web.url("/"))
        full = run(start)
        assert full.returncode == 74
        assert len(full.stderr.strip().splitlines()) == 1
        assert "No room left" in full.stderr or "No space left" in full.stderr
        assert not web.requests
        filler.unlink()
        again = run(start)
        assert again.returncode == 0, again.stderr
    assert len(archived(data)) == 4
    assert verify(data).sound


def test_a_read_only_disk_is_said(small_disk: Path) -> None:
    with threaded_site(site(3, 100)) as web:
        start = command(small_disk / "data", "--once", "--delay", "0", "--processes", "0", web.url("/"))
        assert run(start).returncode == 0
        subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
        told = run(start)
    assert told.returncode == 73
    assert "Read-only file system" in told.stderr
    assert len(told.stderr.strip().splitlines()) == 1


def test_a_quota_is_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(*_: object) -> int:
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))

    assert disk.has_room(tmp_path)
    monkeypatch.setattr(os, "write", write)
    assert not disk.has_room(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.trio
@pytest.mark.parametrize("part", ["", "pages", "store"])
async def test_a_directory_that_vanishes_pauses_the_crawl_until_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    monkeypatch.setattr(disk, "PLACE_EVERY", 0.02)
    data, gone = tmp_path / "data", tmp_path / "gone"
    report = Watcher(Reason.STORE_ERROR, lambda: gone.exists() and gone.rename(data / part))

    async def answer(_stream: object, request: object) -> str:
        if not gone.exists() and not report.messages and len(web.requests) > 8:
            (data / part).rename(gone)
        if not report.messages and gone.exists():
            await trio.sleep(0.05)
        return page(*(f"/{n}" for n in range(60)), text=request.path)

    async with serve({"/robots.txt": (404, {}, b""), "*": answer}) as web:
        with trio.fail_after(60):
            await crawl(configured(web.url("/")), data, report=report)
    assert "has vanished: put it back" in report.messages[0]
    assert len(archived(data)) == 61
    assert (await trio.to_thread.run_sync(verify, data)).sound


def test_a_crawl_is_stopped_whose_directory_stays_away(tmp_path: Path) -> None:
    """It says so, and makes neither store nor pages anew where the directory was."""
    data, gone = tmp_path / "data", tmp_path / "gone"

    def is_paused() -> bool:
        seen = status_of(gone / "spiderd.sock")
        return seen is not None and seen.reason is Reason.STORE_ERROR

    options = ("--delay", "20ms", "--processes", "0", "--follow", "host", "--set", "search.enabled=false")
    with threaded_site(site(400, 10)) as web, daemon_process(data, *options, web.url("/")) as process:
        wait_until(lambda: len(web.requests) > 10, process)
        data.rename(gone)
        wait_until(is_paused, process)
        process.terminate()
        told = process.communicate()[1].decode()
    assert process.returncode == 74
    assert "has vanished" in told.strip().splitlines()[-1]
    assert not data.exists()
