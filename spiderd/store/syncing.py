"""When the files that rows speak of are forced to the disk, and up to which row they are there.

Problem: the store's own commit is synced by LMDB, but a row is worth nothing without the page's file. To sync
each file costs a journal commit and a flush a page (measured: 1 to 2 ms, whatever is done to hide it); one
`syncfs` for all files of a group costs 5 to 15 ms, for 20 pages or for 500. So files are synced by the group:

    with the commit    first all files, then the rows that name them. What is committed is whole.
    beside it          every few seconds, in a thread of its own that nobody waits for. What is committed may
                       name files that a power cut takes.

`State.durable` is the last change whose files are known to be on the disk. Rows behind it are looked at when
the store is opened, whichever way was chosen: of steps out of the journal the files were never synced.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

from spiderd.store.environment import explained
from spiderd.store.transaction import State

BESIDE_EVERY = 10.0  # seconds; what a power cut may cost where files are synced beside the commits


class Syncing:
    """Forces files to the disk with the commits of a store, or beside them. Used in the store's thread."""

    def __init__(self, sync: Callable[[], None], *, every: float = 0.0) -> None:
        """Prepare.

        Args:
            sync: forces the files that were written so far; blocks.
            every: seconds between two syncs beside the commits; 0 = one with each commit.
        """
        self._sync = sync
        self._every = every
        self._due = time.monotonic() + every
        self._reached = 0  # the last change whose files are known to be on the disk
        self._last = 0  # the last change that is committed
        self._thread: threading.Thread | None = None
        self._error: Exception | None = None

    def before_commit(self, state: State) -> None:
        """Force what is to be committed, or take note of what was; to be called before the state is written.

        Raises:
            DiskFull, StorageError: the disk failed; `durable` is as before.
        """
        if self._error is not None:
            error, self._error = self._error, None
            raise error
        last = state.next_change - 1
        if not self._every and last > state.durable:
            self._sync()
            self._reached = last
        state.durable = max(state.durable, self._reached)
        self._last = last

    def after_commit(self) -> None:
        """Begin a sync beside the next commits, if one is due and none is under way."""
        if not self._every or time.monotonic() < self._due or (self._thread and self._thread.is_alive()):
            return
        self._due = time.monotonic() + self._every
        if self._last > self._reached:
            self._thread = threading.Thread(target=self._beside, args=(self._last,), daemon=True)
            self._thread.start()

    def _beside(self, last: int) -> None:
        try:
            self._sync()
        except Exception as error:  # noqa: BLE001  # it is raised by the next commit
            self._error = error
        else:
            self._reached = last

    def is_behind(self, state: State) -> bool:
        """Whether a commit would bring files to the disk that are not known to be there."""
        return state.next_change - 1 > state.durable

    def finish(self) -> None:
        """Sync with the commit from now on: it is the last one."""
        self._every = 0.0
        if self._thread is not None:
            self._thread.join()


def sync_files(folder: Path) -> None:
    """Force all that was written to the file system of a folder; one that is not there has nothing to force.

    Raises:
        DiskFull, StorageError: the disk failed.
    """
    try:
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return
    except OSError as error:
        raise explained(error, folder) from error
    try:
        failed = _syncfs()(fd)
        number = ctypes.get_errno()
    finally:
        os.close(fd)
    if failed:
        raise explained(OSError(number, os.strerror(number)), folder)


@cache
def _syncfs() -> Callable[[int], int]:
    """Linux's syncfs(2), which Python does not have; elsewhere sync(2), which may return too early."""
    try:
        call: Callable[[int], int] = ctypes.CDLL(None, use_errno=True).syncfs
    except (AttributeError, OSError):
        return _sync_all
    return call


def _sync_all(_fd: int) -> int:
    os.sync()
    return 0
