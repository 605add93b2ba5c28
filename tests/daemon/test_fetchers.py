"""Fetchers that are forked before there is a daemon."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from spiderd.config.declaration import Config, Crawl
from spiderd.daemon.fetchers import NAME, forked_fetchers, opener

CONFIG = Config(crawl=Crawl(processes=2, threads=4))
linux = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere fetchers are new interpreters")


@linux
def test_they_have_nothing_of_the_daemon_and_go_when_it_goes() -> None:
    """In an interpreter of its own: pytest has files and may have threads."""
    code = f"""
import os, socket
from pathlib import Path
from spiderd.config.declaration import Config, Crawl
from spiderd.daemon.fetchers import forked_fetchers
held, other = socket.socketpair()
with forked_fetchers(Config(crawl=Crawl(processes=2, threads=4))) as forked:
    for pid, _ in forked:
        while Path(f"/proc/{{pid}}/comm").read_text().strip() != {NAME!r}:
            os.sched_yield()
        links = [os.readlink(path) for path in Path(f"/proc/{{pid}}/fd").iterdir() if int(path.name) > 2]
        ours = os.readlink(f"/proc/self/fd/{{held.fileno()}}")
        theirs = os.readlink(f"/proc/self/fd/{{other.fileno()}}")
        assert ours not in links and theirs not in links
    pids = [pid for pid, _ in forked]
    assert len(pids) == 2
for pid in pids:
    assert not Path(f"/proc/{{pid}}").exists()
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_process_with_threads_is_not_forked() -> None:
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        with forked_fetchers(CONFIG) as forked:
            assert forked == []
    finally:
        stop.set()
        thread.join()


def test_none_are_forked_where_the_fetcher_is_a_task() -> None:
    with forked_fetchers(Config(crawl=Crawl(processes=0))) as forked:
        assert forked == []


@linux
@pytest.mark.trio
async def test_one_that_is_started_later_is_a_new_interpreter() -> None:
    async with opener(2, [])(0):
        commands = [
            path.read_bytes()
            for path in Path("/proc").glob("[0-9]*/cmdline")
            if f"\nPPid:\t{os.getpid()}\n" in (path.parent / "status").read_text()
        ]
        assert any(b"spiderd.fetcher.process" in command for command in commands)
