"""A full disk: the crawl is paused, and goes on by itself when there is room again."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import trio

from spiderd.coordinator.coordinator import Coordinator
from spiderd.states import Reason
from spiderd.store.thread import StoreThread

LOOK_EVERY = 1.0  # seconds
ROOM = 1024 * 1024  # bytes that must be there for the crawl to go on


async def watch_disk(folder: Path, coordinator: Coordinator, store: StoreThread) -> None:
    """Resume a crawl that a full disk has paused, once there is room."""
    while True:
        await coordinator.lifecycle.changed.wait()
        while coordinator.lifecycle.reason is Reason.DISK_FULL:
            await trio.sleep(LOOK_EVERY)
            if store.trouble is None and await trio.to_thread.run_sync(has_room, folder):
                coordinator.resume()


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
