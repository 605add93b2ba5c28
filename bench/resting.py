"""What spiderd costs when it does nothing, and how long its commands take to begin.

A daemon as it comes (search on, nobody attached) crawls a small made-up site and stays. Once it is complete
and has been so for a while, the CPU of all its processes is taken over some seconds, to the nanosecond, by
their clocks. `status` is asked of that daemon.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from bench.bed import OURS, environment, new_folder
from bench.madeup import made_up
from bench.measure import tree
from spiderd.client import Client, NotRunning
from spiderd.errors import Unavailable
from spiderd.states import CrawlState

PAGES = 50
SETTLE = 5.0  # seconds after the crawl's end: the index is committed, pages are ranked
WATCH = 20.0  # seconds
TIMES = 10  # that a command is run
PATIENCE = 60.0  # seconds for the small crawl


def resting(work: Path) -> dict[str, Any]:
    """Share of a core that an idle daemon takes; milliseconds of `spiderd --help` and `spiderd status`."""
    folder = new_folder(work, "rest")
    with made_up(pages=PAGES) as web, _daemon(folder, f"http://127.0.0.1:{web.port}/") as (pid, socket):
        pages = _wait(socket)
        time.sleep(SETTLE)
        before, began = _cpu(pid), time.monotonic()
        time.sleep(WATCH)
        after, took = _cpu(pid), time.monotonic() - began
        status = _median_ms(*OURS, "status", "--socket", str(socket))
    spent = {name: round(1e3 * (seconds - before.get(name, 0.0)), 2) for name, seconds in after.items()}
    return {
        "peer": "spiderd",
        "complete": pages == PAGES,
        "pages": pages,
        "truth": PAGES,
        "idle": sum(spent.values()) / 1e3 / took,
        "idle_ms": spent,
        "help_ms": _median_ms(*OURS, "--help"),
        "status_ms": status,
        "python_ms": _median_ms(sys.executable, "-c", "pass"),
        "folder": str(folder),
    }


@contextmanager
def _daemon(folder: Path, seed: str) -> Iterator[tuple[int, Path]]:
    socket = folder / "sock"
    command = [*OURS, "start", seed, "--data-dir", str(folder / "data"), "--socket", str(socket)]
    with (folder / "log").open("wb") as log:
        daemon = subprocess.Popen(
            [*command, "--delay", "0s", "--set", "politeness.latency_factor=0"],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=environment({}),
        )
    try:
        yield daemon.pid, socket
    finally:
        daemon.terminate()
        daemon.wait(30)


def _wait(socket: Path) -> int:
    """Wait for the end of the crawl; how many pages there are."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            with Client(socket) as client:
                snapshot = client.status()
        except (NotRunning, Unavailable):
            pass  # it has not begun to listen
        else:
            if snapshot.state is CrawlState.COMPLETE:
                return snapshot.counters.pages
        time.sleep(0.2)
    raise SystemExit("The small crawl does not end.")


def _cpu(pid: int) -> dict[str, float]:
    """Seconds on a processor of each process of a tree, all its threads together."""
    seconds: dict[str, float] = {}
    for each in tree(pid):
        with suppress(OSError):  # it has just ended
            clock = (~each << 3) | 2  # clock_getcpuclockid(3), which Python does not have
            seconds[f"{_role(each, pid)} {each}"] = time.clock_gettime(clock)
    return seconds


def _role(pid: int, daemon: int) -> str:
    if pid == daemon:
        return "daemon"
    arguments = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    modules = [argument for argument in arguments if argument.startswith("spiderd.")]
    return modules[0] if modules else Path(f"/proc/{pid}/comm").read_text().strip()


def _median_ms(*command: str) -> float:
    took = []
    for _ in range(TIMES):
        began = time.monotonic()
        subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment({}), check=True
        )
        took.append(time.monotonic() - began)
    return sorted(took)[TIMES // 2] * 1e3
