"""Where the index lies, and how a new one takes the place of an old one.

    DIR/index/words.json      which folder holds the index of pages that answers now
    DIR/index/words-3/        that index; written by whoever holds the lock
    DIR/index/links.json      which folder holds what the link graph says
    DIR/index/links-7/        ranks and anchor texts; never changed once it is there
    DIR/index/lock            held by the process that writes
    DIR/index/attempt         the page that is being read (`spiderd.search.attempts`)

A new folder is filled beside the old one and becomes the one that counts when the small file is replaced,
which is one rename. So a reader finds the old one or the new one, whole, at any time; and what a process that
was killed has left half done is swept by the next one that writes.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import msgspec

from spiderd.errors import AlreadyRunning, CannotCreate

Kind = Literal["words", "links"]


class Pointer(msgspec.Struct):
    """Which folder counts, and the version of what is in it."""

    version: int
    folder: str


class Places:
    """The folder of the index in a data directory."""

    def __init__(self, data_dir: Path) -> None:
        self.root = data_dir / "index"

    def current(self, kind: Kind, version: int) -> Path | None:
        """Return the folder that counts; None where there is none, or one of another version."""
        try:
            pointer = msgspec.json.decode((self.root / f"{kind}.json").read_bytes(), type=Pointer)
        except (FileNotFoundError, NotADirectoryError, msgspec.DecodeError):
            return None
        folder = self.root / pointer.folder
        return folder if pointer.version == version and folder.is_dir() else None

    def new(self, kind: Kind) -> Path:
        """Make an empty folder.

        Raises:
            CannotCreate: the disk or its rights are against it.
        """
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            number = 1 + max((int(folder.name.partition("-")[2]) for folder in self._all(kind)), default=0)
            folder = self.root / f"{kind}-{number}"
            folder.mkdir()
        except OSError as error:
            raise CannotCreate(f"Cannot make a search index in {self.root}: {error.strerror}.") from error
        return folder

    def publish(self, kind: Kind, version: int, folder: Path) -> None:
        """Let a folder be the one that counts from now on."""
        target = self.root / f"{kind}.json"
        temporary = target.with_suffix(f".{os.getpid()}")
        temporary.write_bytes(msgspec.json.encode(Pointer(version, folder.name)))
        temporary.replace(target)

    def sweep(self, kind: Kind, *keep: Path) -> None:
        """Delete the folders that do not count, but for some."""
        for folder in self._all(kind):
            if folder not in keep:
                shutil.rmtree(folder, ignore_errors=True)

    def _all(self, kind: Kind) -> list[Path]:
        return [
            path
            for path in self.root.glob(f"{kind}-*")
            if path.is_dir() and path.name.partition("-")[2].isdecimal()
        ]

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of the index.

        Raises:
            AlreadyRunning: another process writes the index.
            CannotCreate: the disk or its rights are against it.
        """
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.root / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise CannotCreate(f"Cannot make a search index in {self.root}: {error.strerror}.") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise AlreadyRunning(f"Another process is writing the search index in {self.root}.") from None
        try:
            yield
        finally:
            os.close(descriptor)

    def size(self) -> int:
        """Bytes of all files."""
        total = 0
        for folder, _, files in os.walk(self.root):
            for name in files:
                try:
                    total += os.stat(os.path.join(folder, name)).st_size  # noqa: PTH116, PTH118  # many files
                except FileNotFoundError:  # merged away meanwhile
                    continue
        return total
