"""Near-duplicate pages: a 64-bit simhash of a page's words, and finding those that differ in few bits.

Simhash (Charikar 2002; Manku, Jain, Das Sarma 2007): each bit of the fingerprint is the majority vote of
that bit over the hashes of all features. Features are runs of three words, so that order counts. Pages that
share nearly all features differ in few of the 64 bits; at most 3 is the bound of the 2007 paper for the web.

Cost: one hash a feature (about 0.6 us), then 64 population counts over one big integer for each of the
eight byte columns, instead of 64 additions a feature.

To find earlier fingerprints within 3 bits, each is filed under its four 16-bit quarters: with three bits of
difference at least one quarter is equal.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from hashlib import blake2b

NEAR = 3
"""Bits in which the fingerprints of two pages may differ for the pages to be nearly the same."""
RUN = 3
MAX_WORDS = 5000  # of a page: the rest does not count
MIN_WORDS = 24  # below, one word more or less is a different page


def simhash(words: Sequence[str]) -> int:
    """Return the fingerprint of a page, 64 bits; 0 for a page without enough words to tell."""
    words = words[:MAX_WORDS]
    if len(words) < MIN_WORDS:
        return 0
    digests = b"".join(
        [
            blake2b(" ".join(words[at : at + RUN]).encode("utf-8", "replace"), digest_size=8).digest()
            for at in range(len(words) - RUN + 1)
        ]
    )
    return _majority(digests)


def _majority(digests: bytes) -> int:
    count = len(digests) // 8
    ones = int.from_bytes(b"\x01" * count)
    result = 0
    for column in range(8):
        votes = int.from_bytes(digests[column::8])
        for bit in range(8):
            if 2 * ((votes >> bit) & ones).bit_count() > count:
                result |= 1 << (8 * (7 - column) + bit)
    return result


def near(one: int, other: int, bits: int = NEAR) -> bool:
    """Tell whether two fingerprints differ in at most `bits` bits."""
    return (one ^ other).bit_count() <= bits


class Fingerprints:
    """The fingerprints of the last `capacity` pages, searchable for near ones."""

    def __init__(self, capacity: int = 20_000, known: Iterable[int] = ()) -> None:
        self.capacity = capacity
        self._order: OrderedDict[int, None] = OrderedDict()
        self._quarters: dict[int, set[int]] = {}
        for fingerprint in known:
            self.add(fingerprint)

    def __len__(self) -> int:
        return len(self._order)

    def find(self, fingerprint: int) -> int | None:
        """Return a known fingerprint near this one, None where there is none or the page is too short."""
        if not fingerprint:
            return None
        if fingerprint in self._order:
            return fingerprint
        for quarter in _quarters(fingerprint):
            for other in self._quarters.get(quarter, ()):
                if near(fingerprint, other):
                    return other
        return None

    def add(self, fingerprint: int) -> None:
        """Remember a fingerprint; beyond the capacity the oldest is forgotten."""
        if not fingerprint or fingerprint in self._order:
            return
        self._order[fingerprint] = None
        for quarter in _quarters(fingerprint):
            self._quarters.setdefault(quarter, set()).add(fingerprint)
        if len(self._order) > self.capacity:
            oldest, _ = self._order.popitem(last=False)
            for quarter in _quarters(oldest):
                filed = self._quarters[quarter]
                filed.discard(oldest)
                if not filed:
                    del self._quarters[quarter]


def _quarters(fingerprint: int) -> tuple[int, int, int, int]:
    """Return the four 16-bit quarters, each marked with its place."""
    return (
        fingerprint & 0xFFFF,
        fingerprint >> 16 & 0xFFFF | 0x10000,
        fingerprint >> 32 & 0xFFFF | 0x20000,
        fingerprint >> 48 | 0x30000,
    )
