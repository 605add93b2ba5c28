"""Runs a command and measures all of it: wall, CPU of all its processes, peak memory of all of them together.

CPU is the operating system's account of the process and of every child it has waited for. Memory is sampled
from /proc (Linux), summed over the process and its descendants: `rss` counts what several of them share once
for each, `anon` counts only what is each one's own and not the page cache's (LMDB's map is the page cache's),
`pss` counts what is shared once in all: the memory that the machine has less while they run. Reading `pss`
makes the kernel walk the page tables, so it is sampled once a second. What each kind of process took of the
CPU is sampled, too: its last twentieth of a second is missed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

SAMPLE_EVERY = 0.05  # seconds
PSS_EVERY = 1.0  # seconds
TICK = 1 / os.sysconf("SC_CLK_TCK")  # seconds
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
    peak_pss: int = 0
    cpu_of: Mapping[str, float] = field(default_factory=dict)  # by name, the first process apart


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
        watcher.peak_pss,
        watcher.cpu_of(),
    )


class _Watcher(threading.Thread):
    def __init__(self, pid: int, timeout: float) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self._deadline = time.monotonic() + timeout
        self._stopped = threading.Event()
        self.peak_rss = self.peak_anon = self.peak_pss = 0
        self._cpu: dict[int, tuple[str, float]] = {}
        self._next_pss = time.monotonic() + PSS_EVERY / 2  # a run of a second has a sample, too
        self.timed_out = False

    def stop(self) -> None:
        self._stopped.set()
        self.join()

    def cpu_of(self) -> dict[str, float]:
        """Seconds of each kind of descendant: forked fetchers have a name of their own."""
        seconds: dict[str, float] = {}
        for name, spent in self._cpu.values():
            seconds[name] = seconds.get(name, 0.0) + spent
        return seconds

    def run(self) -> None:
        while not self._stopped.wait(SAMPLE_EVERY):
            rss, anon = memory_of_tree(self._pid)
            self.peak_rss = max(self.peak_rss, rss)
            self.peak_anon = max(self.peak_anon, anon)
            self._cpu.update((pid, cpu) for pid, cpu in cpu_of_tree(self._pid) if pid != self._pid)
            if time.monotonic() >= self._next_pss:
                self.peak_pss = max(self.peak_pss, pss_of_tree(self._pid))
                self._next_pss = time.monotonic() + PSS_EVERY
            if time.monotonic() > self._deadline:
                with suppress(ProcessLookupError):
                    os.kill(self._pid, signal.SIGKILL if self.timed_out else signal.SIGTERM)
                self.timed_out = True
                self._deadline += KILL_AFTER


def memory_of_tree(pid: int) -> tuple[int, int]:
    """Bytes resident in a process and its descendants now, and how many of them are anonymous."""
    rss = anon = 0
    for each in tree(pid):
        try:
            lines = Path(f"/proc/{each}/status").read_text().splitlines()
        except OSError:
            continue  # it has just ended
        fields = dict(line.split(":", 1) for line in lines)
        rss += _kilobytes(fields.get("VmRSS", "0 kB"))
        anon += _kilobytes(fields.get("RssAnon", "0 kB"))
    return rss, anon


def pss_of_tree(pid: int) -> int:
    """Bytes that a process and its descendants hold now, what they share with each other counted once."""
    held = 0
    for each in tree(pid):
        try:
            lines = Path(f"/proc/{each}/smaps_rollup").read_text().splitlines()[1:]
        except OSError:
            continue  # it has just ended
        fields = dict(line.split(":", 1) for line in lines)
        held += _kilobytes(fields.get("Pss", "0 kB"))
    return held


def cpu_of_tree(pid: int) -> Iterator[tuple[int, tuple[str, float]]]:
    """Yield each process of a tree with its name and the seconds of CPU that it has had."""
    for each in tree(pid):
        try:
            head, _, tail = Path(f"/proc/{each}/stat").read_text().rpartition(")")
        except OSError:
            continue
        fields = tail.split()
        yield each, (head.partition("(")[2], (int(fields[11]) + int(fields[12])) * TICK)


def _kilobytes(text: str) -> int:
    return int(text.split(maxsplit=1)[0]) * 1024


def tree(pid: int) -> Iterator[int]:
    """Yield a process and its descendants that run now."""
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
            yield from tree(int(child))
