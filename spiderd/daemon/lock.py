"""One daemon to a data directory: a lock on `DIR/lock`, held for life, decides.

The kernel lets go of it when the process ends, however it ends. The process id in the file is for people.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spiderd.errors import AlreadyRunning, CannotCreate, StorageError


@contextmanager
def locked(data_dir: Path) -> Iterator[None]:
    """Hold the data directory.

    Raises:
        AlreadyRunning: another daemon holds it; the message names its process.
        CannotCreate: the directory or the lock cannot be made.
    """
    path = data_dir / "lock"
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise CannotCreate(
            f"The data directory {data_dir} cannot be used: {error.strerror}. Name another with --data-dir."
        ) from error
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(fd, 32).decode(errors="replace").strip() or "unknown"
            raise AlreadyRunning(
                f"A spiderd (pid {holder}) runs on {data_dir} already: attach with spider-tui, or stop it."
            ) from None
        os.ftruncate(fd, 0)
        try:
            os.write(fd, f"{os.getpid()}\n".encode())
        except OSError as error:
            raise StorageError(f"{path} cannot be written: {error.strerror}.") from error
        yield
    finally:
        os.close(fd)
