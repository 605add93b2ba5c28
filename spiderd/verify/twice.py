"""Which of many hashes come twice, without keeping them all.

Two bit fields say which place in a table of 16 places a hash has been met once, and which more than once.
A second pass need look only at hashes of the latter, about one in thirty, and those it can keep. Four bytes a
hash, where a Python set takes ninety.
"""

from __future__ import annotations


class Twice:
    """Told all hashes in one pass, it tells in a second one which it has told before."""

    def __init__(self, count: int) -> None:
        """Prepare for about `count` hashes."""
        self._mask = (1 << max(10, (16 * count).bit_length())) - 1
        self._once = bytearray((self._mask + 1) >> 3)
        self._more = bytearray((self._mask + 1) >> 3)
        self._met: set[bytes] = set()

    def note(self, url_hash: bytes) -> None:
        """Take note of a hash, in the first pass."""
        place, bit = self._place(url_hash)
        if self._once[place] & bit:
            self._more[place] |= bit
        self._once[place] |= bit

    def is_repeated(self, url_hash: bytes) -> bool:
        """Whether this hash was asked for before, in the second pass."""
        place, bit = self._place(url_hash)
        if not self._more[place] & bit:
            return False
        if url_hash in self._met:
            return True
        self._met.add(url_hash)
        return False

    def _place(self, url_hash: bytes) -> tuple[int, int]:
        place = int.from_bytes(url_hash[:8], "big") & self._mask
        return place >> 3, 1 << (place & 7)
