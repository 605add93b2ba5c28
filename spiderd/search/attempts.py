"""Which page is being read: so that one that kills its reader does not do so for ever.

Pages are hostile, and what reads them is partly C. Before a page is read its number is written into a file
that is mapped into memory (a store into the page cache: it outlives a killed process, and costs no call);
after it the file says 0. A process that finds a number there knows which page its predecessor died of. A page
that has done so `PATIENCE` times is not read again; a process that is killed from outside in the middle of
the same page as often is very unlucky.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 3

_FORM = struct.Struct("<QQQ")  # page in hand, page that was in hand at the last death, deaths in a row


class Attempts:
    """The file that says which page is in hand."""

    def __init__(self, path: Path) -> None:
        """Open the file; what it says counts as a death."""
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            if os.fstat(descriptor).st_size != _FORM.size:
                os.ftruncate(descriptor, 0)
                os.ftruncate(descriptor, _FORM.size)
            self._map = mmap.mmap(descriptor, _FORM.size)
        finally:
            os.close(descriptor)
        in_hand, page, deaths = _FORM.unpack_from(self._map)
        if in_hand:
            deaths = deaths + 1 if in_hand == page else 1
            _FORM.pack_into(self._map, 0, 0, in_hand, deaths)
            page = in_hand
        self.suspect = page if deaths else 0
        self.deaths = deaths

    def is_deadly(self, number: int) -> bool:
        """Whether a page has killed its reader too often."""
        return number == self.suspect and self.deaths >= PATIENCE

    @contextmanager
    def at(self, number: int) -> Iterator[None]:
        """Have a page in hand."""
        struct.pack_into("<Q", self._map, 0, number)
        try:
            yield
        finally:
            struct.pack_into("<Q", self._map, 0, 0)

    def close(self) -> None:
        """Close the file."""
        self._map.close()
