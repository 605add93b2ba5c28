"""A disk that is full, or gone: the crawl is paused, and goes on by itself when all is well again."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import trio

from spiderd.coordinator.coordinator import Coordinator
from spiderd.errors import CannotCreate, DiskFull
from spiderd.states import Reason
from spiderd.store.thread import StoreThread

LOOK_EVERY = 1.0  # seconds, at a disk that was full
PLACE_EVERY = 5.0  # seconds, at the data directory
ROOM = 1024 * 1024  # bytes that must be there for the crawl to go on


class Place:
    """Tells whether a data directory is where it was: one that is moved or deleted is written on unseen."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[Path, tuple[int, int]] = {}

    def begin(self) -> None:
        """Take note of what is there, now that the store is open.

        Raises:
            CannotCreate: the folder of the archive cannot be made.
        """
        try:
            (self._folder / "pages").mkdir(exist_ok=True)
        except OSError as error:
            raise CannotCreate(f"{self._folder / 'pages'} cannot be made: {error.strerror}.") from error
        self.missing()

    def missing(self) -> str:
        """What has vanished, in a sentence; "" where nothing has. What is not there yet has not vanished."""
        for path in (self._folder, self._folder / "store" / "data.mdb", self._folder / "pages"):
            try:
                status = path.stat()
            except OSError:
                found = None
            else:
                found = (status.st_dev, status.st_ino)
                self._known.setdefault(path, found)
            if path in self._known and found != self._known[path]:
                return f"{path} has vanished: put it back where it was, or stop the crawl."
        return ""


async def watch_place(place: Place, coordinator: Coordinator) -> None:
    """Pause a crawl whose data directory has vanished, until it is back."""
    vanished = False
    while True:
        missing = await trio.to_thread.run_sync(place.missing)
        lifecycle = coordinator.lifecycle
        if missing and not vanished:
            vanished = True
            if not lifecycle.is_held or lifecycle.reason is Reason.STORE_ERROR:  # else somebody has paused it
                coordinator.pause(Reason.STORE_ERROR, missing)
        elif vanished and not missing:
            vanished = False
            if lifecycle.reason is Reason.STORE_ERROR:
                coordinator.resume()
        await trio.sleep(PLACE_EVERY)


async def watch_disk(folder: Path, coordinator: Coordinator, store: StoreThread) -> None:
    """Resume a crawl that a full disk has paused, once there is room."""
    while True:
        await coordinator.lifecycle.changed.wait()
        while coordinator.lifecycle.reason is Reason.DISK_FULL:
            await trio.sleep(LOOK_EVERY)
            if store.trouble is None and await trio.to_thread.run_sync(has_room, folder):
                coordinator.resume()


def expect_room(folder: Path) -> None:
    """Make sure that there is room before anything is opened.

    Raises:
        DiskFull: there is not.
    """
    if not has_room(folder):
        raise DiskFull(f"No room left on the disk of {folder}: free some, then start again.")


def has_room(folder: Path) -> bool:
    """Whether a file of some size can be written in a folder; quotas count."""
    probe = folder / f".room-{os.getpid()}"
    try:
        fd = os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            os.write(fd, bytes(ROOM))
            return os.fstat(fd).st_size == ROOM
        finally:
            os.close(fd)
            probe.unlink()
    except OSError as error:
        return error.errno not in (errno.ENOSPC, errno.EDQUOT)
