"""How fetchers are made: as a task of the daemon, or as a process on a socket pair. Same code in both."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from subprocess import DEVNULL

import trio

from spiderd.config import Config
from spiderd.coordinator.crew import OpenFetcher
from spiderd.link import CoordinatorEnd, coordinator_stream, memory_pair

EXIT_GRACE = 2.0  # seconds that a fetcher process has to end by itself once its link is closed


def process_count(config: Config) -> int:
    """How many fetcher processes there are to be; 0 means inside the daemon."""
    wanted = config.crawl.processes
    return _cores() if wanted == "auto" else wanted


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS
        return os.cpu_count() or 1


def opener(processes: int) -> OpenFetcher:
    """The function that opens a link to a new fetcher."""
    return _in_process if processes else _in_daemon


@asynccontextmanager
async def _in_daemon(_: int) -> AsyncIterator[CoordinatorEnd]:
    from spiderd.fetcher.fetcher import Fetcher  # noqa: PLC0415 - a daemon with fetcher processes needs none

    ours, theirs = memory_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(Fetcher(theirs).run)
        try:
            yield ours
        finally:
            await ours.aclose()


@asynccontextmanager
async def _in_process(_: int) -> AsyncIterator[CoordinatorEnd]:
    ours, theirs = socket.socketpair()
    with theirs:
        process = await trio.lowlevel.open_process(
            [sys.executable, "-m", "spiderd.fetcher.process", str(theirs.fileno())],
            stdin=DEVNULL,
            pass_fds=[theirs.fileno()],
        )
    stream = trio.SocketStream(trio.socket.from_stdlib_socket(ours))
    try:
        yield coordinator_stream(stream)
    finally:
        with trio.CancelScope(shield=True):
            await stream.aclose()
            with trio.move_on_after(EXIT_GRACE):
                await process.wait()
            if process.returncode is None:
                process.kill()
                await process.wait()
