"""Writes resources off the event loop, many in one trip to a thread.

A trip to a thread costs about as much as writing a small file. Whatever the workers of a fetcher hand in
while one trip is under way goes with the next one, so that under load a trip carries several files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Literal

import trio

from spiderd.archive.directory import Directory
from spiderd.archive.warc import (
    Original,
    Received,
    exchange_records,
    not_modified_records,
    revisit_records,
)
from spiderd.errors import SpiderdError, StorageError

Note = Literal["response", "revisit", "unmodified"]
"""An answer that is no resource: one that is not to be one, one with content that is there already, or one
that says that nothing has changed."""


class _Job:
    def __init__(
        self,
        directory: Directory,
        url: str,
        body: bytes,
        received: Received | None,
        note: Note | None = None,
        original: Original | None = None,
    ) -> None:
        self.directory = directory
        self.url = url
        self.body = body
        self.received = received
        self.note = note  # None: it is a resource
        self.original = original  # whose content a revisit repeats
        self.done = trio.Event()
        self.number = 0
        self.index_bytes = 0
        self.records_bytes = 0
        self.error: SpiderdError | None = None


class Stored:
    """Where a resource lies."""

    __slots__ = ("directory", "index_bytes", "number", "records_bytes")

    def __init__(self, directory: int, number: int, index_bytes: int, records_bytes: int = 0) -> None:
        self.directory = directory
        self.number = number
        self.index_bytes = index_bytes
        self.records_bytes = records_bytes  # length of the records after it


class Writer:
    """Owns the open directories of a fetcher's workers. `run` it in a nursery."""

    def __init__(self, root: Path, *, warc: bool = False) -> None:
        self.root = root
        self.warc = warc
        self._directories: dict[int, Directory] = {}  # worker -> its open directory
        self._jobs: list[_Job] = []
        self._wake = trio.Event()

    async def open(
        self, worker: int, number: int, count: int, index_bytes: int, records_bytes: int = 0
    ) -> None:
        """Give a worker its directory, cut back to what is committed.

        Raises:
            CannotCreate, StorageError: see `Directory`.
        """
        old = self._directories.pop(worker, None)
        opening = partial(
            Directory,
            self.root,
            number,
            count=count,
            index_bytes=index_bytes,
            records_bytes=records_bytes,
            warc=self.warc,
        )
        directory = await trio.to_thread.run_sync(_reopen, old, opening)
        self._directories[worker] = directory

    def count(self, worker: int) -> int:
        """Resources in the worker's directory."""
        return self._directories[worker].count

    async def store(self, worker: int, url: str, body: bytes, received: Received | None = None) -> Stored:
        """Write a resource into the worker's directory; `received` is what records are made of.

        Raises:
            DiskFull, StorageError: nothing was added.
        """
        return await self._hand_in(_Job(self._directories[worker], url, body, received))

    async def note(
        self, worker: int, received: Received, note: Note, original: Original | None = None
    ) -> Stored:
        """Keep records of an answer that is no resource; only where records are kept.

        Args:
            worker: whose directory they go to.
            received: the answer.
            note: what it is.
            original: the page whose content a revisit repeats.

        Raises:
            DiskFull, StorageError: nothing was added.
        """
        directory = self._directories[worker]
        return await self._hand_in(_Job(directory, received.url, b"", received, note, original))

    async def _hand_in(self, job: _Job) -> Stored:
        self._jobs.append(job)
        self._wake.set()
        await job.done.wait()
        if job.error is not None:
            raise job.error
        return Stored(job.directory.number, job.number, job.index_bytes, job.records_bytes)

    async def run(self) -> None:
        """Write what is handed in, until cancelled; then close the directories."""
        try:
            while True:
                await self._wake.wait()
                self._wake = trio.Event()
                while self._jobs:
                    await trio.lowlevel.checkpoint()  # what others hand in in this round goes along
                    jobs, self._jobs = self._jobs, []
                    await trio.to_thread.run_sync(_write, jobs)
                    for job in jobs:
                        job.done.set()
        finally:
            for directory in self._directories.values():
                directory.close()


def _reopen(old: Directory | None, opening: Callable[[], Directory]) -> Directory:
    if old is not None:
        old.close()
    return opening()


def _write(jobs: Iterable[_Job]) -> None:
    for job in jobs:
        try:
            if job.note == "revisit" and job.received is not None:
                job.directory.note(revisit_records(job.received, job.original))
            elif job.note == "unmodified" and job.received is not None:
                job.directory.note(not_modified_records(job.received, job.original))
            elif job.note is not None and job.received is not None:
                job.directory.note(exchange_records(job.received))
            else:
                job.number = job.directory.store(job.url, job.body, job.received)
            job.index_bytes = job.directory.index_bytes
            job.records_bytes = job.directory.records_bytes
        except StorageError as error:
            job.error = error
