"""A disk that fills up in the middle of a crawl, for real: a small tmpfs."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from spiderd.daemon import disk
from spiderd.protocol import Snapshot
from spiderd.states import CrawlState, Reason
from tests.crawl.harness import Recorder, archived, configured, crawl
from tests.crawl.pages import page, site_of
from tests.web.server import serve

pytestmark = pytest.mark.trio


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    mount = tmp_path / "small"
    mount.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", mount]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a tmpfs")
    yield mount
    subprocess.run(["umount", mount], check=True)


class RoomMaker(Recorder):
    """Deletes a file as soon as the crawl says that the disk is full."""

    def __init__(self, filler: Path) -> None:
        super().__init__()
        self._filler = filler
        self.messages: list[str] = []

    def progress(self, snapshot: Snapshot) -> None:
        if snapshot.reason is Reason.DISK_FULL and snapshot.state is CrawlState.PAUSED:
            self.messages.append(snapshot.message)
            self._filler.unlink(missing_ok=True)


async def test_a_full_disk_pauses_the_crawl_until_there_is_room(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk, "LOOK_EVERY", 0.05)
    filler = small_disk / "filler"
    filler.write_bytes(bytes(4 * 1024 * 1024))
    pages = {f"/{n}": f"<p>{n}" + os.urandom(48 * 1024).hex() for n in range(40)}
    async with serve(site_of({"/": page(*pages), **pages})) as site:
        report = RoomMaker(filler)
        with trio.fail_after(60):
            await crawl(configured(site.url("/")), small_disk / "data", report=report)
    assert report.messages
    assert "No room left" in report.messages[0]
    assert len(archived(small_disk / "data")) == 41
    assert report.last is not None
    assert report.last.counters.error == 0
