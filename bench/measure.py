"""Runs a command and measures all of it: wall, CPU of all its processes, peak memory of all of them together.

CPU is the operating system's account of the process and of every child it has waited for. Memory is sampled
from /proc (Linux), summed over the process and its descendants: `rss` counts what several of them share once
for each, `anon` counts only what is each one's own and not the page cache's (LMDB's map is the page cache's).
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

SAMPLE_EVERY = 0.05  # seconds
KILL_AFTER = 20.0  # seconds between SIGTERM and SIGKILL at a timeout


@dataclass(frozen=True, slots=True)
class Measured:
    """What a run took. Seconds and bytes."""

    wall: float
    user: float
    system: float
    peak_rss: int
    peak_anon: int
    exit_code: int
    timed_out: bool


def measure(
    command: Sequence[str | Path],
    *,
    cwd: Path,
    log: Path,
    timeout: float,
    env: Mapping[str, str] | None = None,
) -> Measured:
    """Run a command to its end, its output to `log`; at the timeout it is asked to stop, then killed."""
    with log.open("wb") as output:
        began = time.monotonic()
        child = subprocess.Popen(
            [str(part) for part in command],
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
        watcher = _Watcher(child.pid, timeout)
        watcher.start()
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - began
    watcher.stop()
    child.returncode = os.waitstatus_to_exitcode(status)
    return Measured(
        wall,
        usage.ru_utime,
        usage.ru_stime,
        watcher.peak_rss,
        watcher.peak_anon,
        child.returncode,
        watcher.timed_out,
    )


class _Watcher(threading.Thread):
    def __init__(self, pid: int, timeout: float) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self._deadline = time.monotonic() + timeout
        self._stopped = threading.Event()
        self.peak_rss = self.peak_anon = 0
        self.timed_out = False

    def stop(self) -> None:
        self._stopped.set()
        self.join()

    def run(self) -> None:
        while not self._stopped.wait(SAMPLE_EVERY):
            rss, anon = memory_of_tree(self._pid)
            self.peak_rss = max(self.peak_rss, rss)
            self.peak_anon = max(self.peak_anon, anon)
            if time.monotonic() > self._deadline:
                with suppress(ProcessLookupError):
                    os.kill(self._pid, signal.SIGKILL if self.timed_out else signal.SIGTERM)
                self.timed_out = True
                self._deadline += KILL_AFTER


def memory_of_tree(pid: int) -> tuple[int, int]:
    """Bytes resident in a process and its descendants now, and how many of them are anonymous."""
    rss = anon = 0
    for each in _tree(pid):
        try:
            lines = Path(f"/proc/{each}/status").read_text().splitlines()
        except OSError:
            continue  # it has just ended
        fields = dict(line.split(":", 1) for line in lines)
        rss += _kilobytes(fields.get("VmRSS", "0 kB"))
        anon += _kilobytes(fields.get("RssAnon", "0 kB"))
    return rss, anon


def _kilobytes(text: str) -> int:
    return int(text.split(maxsplit=1)[0]) * 1024


def _tree(pid: int) -> Iterator[int]:
    yield pid
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return
    for task in tasks:
        try:
            children = (task / "children").read_text()
        except OSError:
            continue
        for child in children.split():
            yield from _tree(int(child))
