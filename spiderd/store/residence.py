"""How much of a store's file is resident in the process that has it open, and letting go of it.

LMDB reads through a map of its file. What was touched counts as memory of the process until the kernel needs
the room, and the kernel maps sixteen pages around each one that it is asked for; so with ten million URLs
known a crawl shows hundreds of megabytes, which are but the page cache in other words. Whoever watches memory
cannot tell the difference. So the map is let go of from time to time (`madvise`): pages stay in the page
cache, and come back when they are touched. Linux only; elsewhere nothing is done.
"""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress
from pathlib import Path

MOST = 32 * 1024 * 1024  # bytes that may be resident beyond what there was at the beginning: libraries
DONT_NEED = 4  # MADV_DONTNEED of madvise(2)


class Residence:
    """The resident part of one mapped file. Used by the thread that reads it."""

    def __init__(self, file: Path, *, most: int = MOST) -> None:
        """Watch a file that is mapped, read-only and shared, into this process."""
        self._file = str(file)
        self._statm = -1
        with suppress(OSError):
            self._statm = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
        self._most = self._resident() + most // os.sysconf("SC_PAGE_SIZE")

    def trim(self) -> bool:
        """Let go of the file if too much of it is resident; whether that was done."""
        if self._resident() <= self._most:
            return False
        with suppress(OSError, AttributeError):
            madvise = ctypes.CDLL(None).madvise
            for begin, end in mappings(self._file):
                madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), DONT_NEED)
            return True
        return False

    def _resident(self) -> int:
        """Pages of files and libraries that are resident in this process; 0 where nobody can tell."""
        return int(os.pread(self._statm, 128, 0).split()[2]) if self._statm >= 0 else 0

    def close(self) -> None:
        """Watch no longer; may be called twice."""
        if self._statm >= 0:
            os.close(self._statm)
        self._statm = -1


def mappings(file: str) -> list[tuple[int, int]]:
    """Addresses of this process at which a file is mapped so that letting go of it loses nothing.

    Raises:
        OSError: they cannot be had.
    """
    found = []
    for line in Path("/proc/self/maps").read_text().splitlines():
        place, rights, *_, name = line.split(maxsplit=5) if line.count(" ") >= 5 else (*line.split(), "")
        if name == file and rights == "r--s":
            begin, _, end = place.partition("-")
            found.append((int(begin, 16), int(end, 16)))
    return found
