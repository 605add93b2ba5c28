"""How the daemon itself is, for the metrics: taken when somebody asks, never in between.

Processes are found by the kernel's list of children (Linux); elsewhere the daemon alone is told. The store is
asked through its thread, with a bound: a store that hangs must not hide the metrics that would show it.
"""

from __future__ import annotations

import os
import resource
import sys
from contextlib import suppress
from pathlib import Path

import trio

from spiderd.api.vitals import ProcessVitals, Vitals
from spiderd.coordinator.coordinator import Coordinator
from spiderd.store.thread import StoreThread

PATIENCE = 1.0  # seconds for the store's answer
ROLES = {
    "spiderd.fetcher.process": "fetcher",
    "spiderd.search.indexer": "indexer",
    "spiderd.search.searcher": "searcher",
}
"""Modules that children run, and what they are called."""

_PAGE = resource.getpagesize()
_TICK = 1 / os.sysconf("SC_CLK_TCK")


async def take(coordinator: Coordinator, store: StoreThread) -> Vitals:
    """Take the vitals of a running daemon."""
    vitals = Vitals(
        fetches=dict(coordinator.outcomes),
        phases=coordinator.phases.by_name(),
        commits=store.commit_times,
        hosts=len(coordinator.desk.bench.hosts),
        processes=await trio.to_thread.run_sync(processes),
    )
    with trio.move_on_after(PATIENCE):
        vitals.store_bytes, vitals.readers, vitals.reader_lag = await store.usage()
    return vitals


def processes() -> list[ProcessVitals]:
    """This process and its children; a child that ends meanwhile is left out."""
    own = os.getpid()
    if sys.platform != "linux":
        usage = resource.getrusage(resource.RUSAGE_SELF)
        cpu = usage.ru_utime + usage.ru_stime
        return [ProcessVitals("daemon", own, usage.ru_maxrss, cpu)]  # the most that it had: bytes on macOS
    found = []
    for pid in (own, *_children(own)):
        with suppress(OSError, ValueError, IndexError):
            role = "daemon" if pid == own else _role(pid)
            found.append(ProcessVitals(role, pid, _resident(pid), _cpu(pid)))
    return found


def _children(pid: int) -> list[int]:
    """Children by proc_pid_children(5); each thread has its own list."""
    found: set[int] = set()
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                found.update(map(int, (task / "children").read_text().split()))
    return sorted(found)


def _role(pid: int) -> str:
    words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    return next((ROLES[name] for word in words if (name := word.decode(errors="replace")) in ROLES), "other")


def _resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE


def _cpu(pid: int) -> float:
    """User and system time, fields 14 and 15 of proc_pid_stat(5); the name before them may hold anything."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * _TICK
