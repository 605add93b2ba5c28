"""The journal: steps that the store has taken but not yet committed, in a file.

Problem: a commit costs an fsync and rewrites pages of every table, so it is shared by all that happens in a
few hundred milliseconds; but a process that is killed must not lose what its workers have finished since.
Structure: each step is appended here before it is performed, one write a step, and the file is emptied by
the commit that includes it. What is left when a store is opened is performed again, in order; steps are
deterministic, so the second time gives what the first one gave. A frame carries the number of commits that
came before it: one that a commit has included already (killed between commit and emptying) is passed over.
Cost: a copy of each outcome into the page cache. It is never synced: against a power cut the commit counts.

    frame = 4 bytes length, 4 bytes CRC-32 of the rest, 8 bytes commits, payload

What a power cut leaves of a file that was not synced may be anything: an end that is missing, zeros in the
middle. The first frame that is not whole is the end; zeros are no frame, since their check would not be zero.
"""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

from spiderd.errors import StorageError
from spiderd.store.environment import explained

FRAME = struct.Struct(">IIQ")


def frame_of(commits: int, payload: bytes) -> bytes:
    """Make a frame of a payload that follows this number of commits."""
    return FRAME.pack(len(payload), _check(commits, payload), commits) + payload


def _check(commits: int, payload: bytes) -> int:
    return zlib.crc32(payload, zlib.crc32(commits.to_bytes(8, "big")))


class Journal:
    """The open journal of one store."""

    def __init__(self, path: Path) -> None:
        """Open or make the file.

        Raises:
            CannotCreate, StorageError: it cannot be opened.
        """
        self._path = path
        try:
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise explained(error, path) from error
        self._end = 0

    def read(self, commits: int) -> list[bytes]:
        """The payloads that follow this number of commits; a torn frame at the end is left out."""
        size = os.fstat(self._fd).st_size
        data = os.pread(self._fd, size, 0)
        payloads = []
        at = 0
        while at + FRAME.size <= len(data):
            length, check, after = FRAME.unpack_from(data, at)
            payload = data[at + FRAME.size : at + FRAME.size + length]
            if len(payload) < length or _check(after, payload) != check:
                break
            if after == commits:
                payloads.append(payload)
            at += FRAME.size + length
        return payloads

    def append(self, commits: int, payload: bytes) -> None:
        """Add one step.

        Raises:
            DiskFull, StorageError: nothing was added.
        """
        frame = frame_of(commits, payload)
        try:
            written = os.pwrite(self._fd, frame, self._end)
            if written < len(frame):
                written += os.pwrite(self._fd, frame[written:], self._end + written)
        except OSError as error:
            raise explained(error, self._path) from error
        if written < len(frame):
            raise StorageError(f"{self._path} could not be written whole.")
        self._end += len(frame)

    @property
    def end(self) -> int:
        """Where the next frame goes."""
        return self._end

    def cut(self, end: int) -> None:
        """Take back what was added behind `end`."""
        os.ftruncate(self._fd, end)
        self._end = end

    def close(self) -> None:
        """Close the file."""
        os.close(self._fd)
