"""How fetchers are made: as a task of the daemon, or as a process on a socket pair. Same code in all.

The first fetcher processes are forks of the daemon, taken before it has threads, a store or open files: what
both need is imported once, which saves a quarter of a second of CPU for each, and its memory is shared. One
that is started later, in place of one that died or for more threads, is a new interpreter: a daemon at work
has threads, and nothing of it may be forked.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from subprocess import DEVNULL
from typing import NamedTuple, Protocol

import trio

from spiderd.config import Config
from spiderd.coordinator.crew import OpenFetcher
from spiderd.link import CoordinatorEnd, coordinator_stream, memory_pair

EXIT_GRACE = 2.0  # seconds that a fetcher process has to end by itself once its link is closed
NAME = "spiderd-fetcher"  # of a forked process, as `ps` and `top` show it


class Forked(NamedTuple):
    """A fetcher process that waits for its first message."""

    pid: int
    sock: socket.socket  # the coordinator's end


def process_count(config: Config) -> int:
    """How many fetcher processes there are to be; 0 means inside the daemon."""
    wanted = config.crawl.processes
    return _cores() if wanted == "auto" else wanted


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS
        return os.cpu_count() or 1


def opener(processes: int, forked: list[Forked]) -> OpenFetcher:
    """The function that opens a link to a new fetcher; those that are there already go first."""
    return partial(_in_process, forked) if processes else _in_daemon


@contextmanager
def forked_fetchers(config: Config) -> Iterator[list[Forked]]:
    """Fork the fetchers that a daemon starts with, and end those that nobody has taken out of the list.

    Call it before anything else of the daemon is there. Where it is not possible (not on Linux, or there are
    threads) the list is empty.
    """
    forked: list[Forked] = []
    if hasattr(os, "pidfd_open") and threading.active_count() == 1:
        forked += [_fork() for _ in range(min(process_count(config), config.crawl.threads))]
    try:
        yield forked
    finally:
        for pid, sock in forked:
            sock.close()
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _fork() -> Forked:
    import gc

    from spiderd.fetcher import process

    ours, theirs = socket.socketpair()
    gc.freeze()
    pid = os.fork()
    if pid:
        theirs.close()
        return Forked(pid, ours)
    status = 1
    try:
        _leave_all_but(theirs.fileno())
        process.run(theirs.detach())
        status = 0
    finally:
        os._exit(status)  # never back into what the daemon was about to do


def _leave_all_but(descriptor: int) -> None:
    """Close what was inherited: nobody shall wait for a fetcher who waits for the daemon's files to close."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for path in list(Path("/proc/self/fd").iterdir()):
        if int(path.name) > 2 and int(path.name) != descriptor:  # standard error is the log
            with suppress(OSError):
                os.close(int(path.name))
    Path("/proc/self/comm").write_text(NAME)


@asynccontextmanager
async def _in_daemon(_: int) -> AsyncIterator[CoordinatorEnd]:
    from spiderd.fetcher.fetcher import Fetcher

    ours, theirs = memory_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(Fetcher(theirs).run)
        try:
            yield ours
        finally:
            await ours.aclose()


class _Process(Protocol):
    """What is asked of either kind of process."""

    async def wait(self) -> object:
        """Wait until it has ended."""

    def kill(self) -> None:
        """Kill it, if it still runs."""


class _Child:
    """A forked process; it is this daemon's to wait for."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._pidfd = os.pidfd_open(pid)  # readable once it has ended

    async def wait(self) -> None:
        await trio.lowlevel.wait_readable(self._pidfd)
        os.close(self._pidfd)
        os.waitpid(self._pid, os.WNOHANG)  # noqa: ASYNC222  # it has ended

    def kill(self) -> None:
        os.kill(self._pid, signal.SIGKILL)


@asynccontextmanager
async def _in_process(forked: list[Forked], _: int) -> AsyncIterator[CoordinatorEnd]:
    process: _Process
    if forked:
        pid, ours = forked.pop()
        process = _Child(pid)
    else:
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
            with trio.move_on_after(EXIT_GRACE) as grace:
                await process.wait()
            if grace.cancelled_caught:
                process.kill()
                await process.wait()
