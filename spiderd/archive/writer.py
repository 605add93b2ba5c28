"""Writes resources off the event loop, many in one trip to a thread.

A trip to a thread costs about as much as writing a small file. Whatever the workers of a fetcher hand in
while one trip is under way goes with the next one, so that under load a trip carries several files.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import trio

from spiderd.archive.directory import Directory
from spiderd.errors import SpiderdError, StorageError


class _Job:
    def __init__(self, directory: Directory, url: str, body: bytes) -> None:
        self.directory = directory
        self.url = url
        self.body = body
        self.done = trio.Event()
        self.number = 0
        self.index_bytes = 0
        self.error: SpiderdError | None = None


class Stored:
    """Where a resource lies."""

    __slots__ = ("directory", "index_bytes", "number")

    def __init__(self, directory: int, number: int, index_bytes: int) -> None:
        self.directory = directory
        self.number = number
        self.index_bytes = index_bytes


class Writer:
    """Owns the open directories of a fetcher's workers. `run` it in a nursery."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._directories: dict[int, Directory] = {}  # worker -> its open directory
        self._jobs: list[_Job] = []
        self._wake = trio.Event()

    async def open(self, worker: int, number: int, count: int, index_bytes: int) -> None:
        """Give a worker its directory, cut back to what is committed.

        Raises:
            CannotCreate, StorageError: see `Directory`.
        """
        old = self._directories.pop(worker, None)
        directory = await trio.to_thread.run_sync(_reopen, old, self._root, number, count, index_bytes)
        self._directories[worker] = directory

    def count(self, worker: int) -> int:
        """Resources in the worker's directory."""
        return self._directories[worker].count

    async def store(self, worker: int, url: str, body: bytes) -> Stored:
        """Write a resource into the worker's directory.

        Raises:
            DiskFull, StorageError: nothing was added.
        """
        job = _Job(self._directories[worker], url, body)
        self._jobs.append(job)
        self._wake.set()
        await job.done.wait()
        if job.error is not None:
            raise job.error
        return Stored(job.directory.number, job.number, job.index_bytes)

    async def run(self) -> None:
        """Write what is handed in, until cancelled; then close the directories."""
        try:
            while True:
                await self._wake.wait()
                self._wake = trio.Event()
                while self._jobs:
                    jobs, self._jobs = self._jobs, []
                    await trio.to_thread.run_sync(_write, jobs)
                    for job in jobs:
                        job.done.set()
        finally:
            for directory in self._directories.values():
                directory.close()


def _reopen(old: Directory | None, root: Path, number: int, count: int, index_bytes: int) -> Directory:
    if old is not None:
        old.close()
    return Directory(root, number, count=count, index_bytes=index_bytes)


def _write(jobs: Iterable[_Job]) -> None:
    for job in jobs:
        try:
            job.number = job.directory.store(job.url, job.body)
            job.index_bytes = job.directory.index_bytes
        except StorageError as error:
            job.error = error
