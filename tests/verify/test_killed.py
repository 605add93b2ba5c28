"""After SIGKILL the store is sound as of its last commit, and a repair performs what the journal holds."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from spiderd.config.declaration import Urls
from spiderd.verify import repair, verify
from tests.archive.test_records import is_valid
from tests.crawl.harness import daemon_process, wait_until
from tests.crawl.pages import page, site_of
from tests.web.server import threaded_site


def big_site() -> dict:
    return site_of(
        {f"/{n}": page(*(f"/{(n * 5 + k) % 200}" for k in range(1, 7)), text=f"n{n}") for n in range(200)}
    )


@pytest.mark.parametrize(("asked", "kept_as"), [(20, "files"), (70, "warc")])
def test_a_crawl_that_was_killed_is_sound(tmp_path: Path, asked: int, kept_as: str) -> None:
    options = ("--once", "--threads", "4", "--processes", "0", "--delay", "0", "--follow", "host")
    options += ("--set", f"archive.format={kept_as}")
    with threaded_site(big_site()) as site:
        with daemon_process(tmp_path, *options, site.url("/0")) as process:
            wait_until(lambda: len(site.requests) >= asked, process)
            process.send_signal(signal.SIGKILL)
        report = verify(tmp_path)
        assert report.sound, report
        report = repair(tmp_path, Urls())
        assert report.sound, report
        assert not any("killed wait" in note for note in verify(tmp_path).notes)
        with daemon_process(tmp_path, *options, site.url("/0")) as process:
            _, errors = process.communicate(timeout=60)
            assert process.returncode == 0, errors.decode()
    report = verify(tmp_path)
    assert report.sound, report
    assert (report.pages, report.waiting) == (200, 0)
    for file in (tmp_path / "pages").glob("*/records.warc.gz"):
        assert is_valid(file)
    assert any((tmp_path / "pages").glob("*/records.warc.gz")) is (kept_as == "warc")
