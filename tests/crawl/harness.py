"""Whole crawls for tests: a real daemon on a real store and socket, in this process or in one of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from spiderd.config.declaration import Config
from spiderd.daemon.running import Daemon
from spiderd.protocol import Counters, Snapshot
from spiderd.report import Silent
from spiderd.store.environment import Environment
from spiderd.store.records import PageRecord, decode


class Recorder(Silent):
    """Remembers what a run reported."""

    def __init__(self) -> None:
        self.restored_counters: Counters | None = None
        self.last: Snapshot | None = None
        self.completions: list[Snapshot] = []

    def restored(self, counters: Counters) -> None:
        self.restored_counters = counters

    def complete(self, snapshot: Snapshot, elapsed: float) -> None:
        self.completions.append(snapshot)

    def stopped(self, snapshot: Snapshot, elapsed: float) -> None:
        self.last = snapshot


def configured(*seeds: str, **changes: dict[str, Any]) -> Config:
    """A configuration for loopback: no delay, quiet; sections may be changed key by key."""
    sections: dict[str, dict[str, Any]] = {
        "crawl": {"seeds": list(seeds), "threads": 4, "processes": 0},
        "scope": {"follow": "host"},
        "politeness": {"delay": 0.0, "per_host": 4, "per_ip": 8},
        "log": {"level": "error"},
        "search": {"enabled": False},  # its tests switch it on: a process more for each crawl
    }
    for name, values in changes.items():
        sections.setdefault(name, {}).update(values)
    return Config(**{name: type(getattr(Config(), name))(**values) for name, values in sections.items()})


async def crawl(
    config: Config,
    data_dir: Path,
    *,
    once: bool = True,
    clock: Callable[[], float] = time.time,
    report: Recorder | None = None,
) -> Recorder:
    """Crawl to the end inside this process; needs a running trio loop in the main thread."""
    report = report or Recorder()
    data_dir.mkdir(parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        path = data_dir / "test.sock"
        path.unlink(missing_ok=True)
        sock.bind(str(path))
        sock.listen()
        await Daemon(config, data_dir, sock, once=once, report=report, clock=clock, tick=3600.0).run()
    return report


def pages_of(data_dir: Path) -> dict[str, PageRecord]:
    """The page table: URL -> record."""
    with Environment(data_dir / "store") as env, env.begin(write=False) as txn:
        rows = [decode(PageRecord, bytes(row)) for _, row in txn.cursor(db=env.tables["pages"])]
    return {row.url: row for row in rows}


def archived(data_dir: Path) -> dict[str, bytes]:
    """What lies in the download directories: URL -> body; fails where index and files disagree."""
    found: dict[str, bytes] = {}
    for folder in sorted((data_dir / "pages").iterdir()):
        names = {path.name for path in folder.iterdir()} - {"index.txt"}
        lines = (folder / "index.txt").read_text().splitlines()
        assert [line[:6] for line in lines] == [f"{n:05d}:" for n in range(1, len(lines) + 1)]
        assert names == {line[:5] for line in lines}
        for line in lines:
            url = line[6:]
            assert url not in found, f"{url} is stored twice"
            found[url] = (folder / line[:5]).read_bytes()
    return found


@contextmanager
def daemon_process(
    data_dir: Path, *arguments: str, environment: dict[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """`spiderd start ...` in a process of its own; killed on leaving if it still runs."""
    command = [sys.executable, "-m", "spiderd", "start", "--data-dir", str(data_dir), *arguments]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **(environment or {})}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.communicate()


def wait_until(
    condition: Callable[[], bool], process: subprocess.Popen[bytes], *, within: float = 60.0
) -> None:
    """Look again and again until something outside of this process has happened."""
    deadline = time.monotonic() + within
    while not condition():
        assert process.poll() is None, process.communicate()[1].decode()
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.001)
