"""Near-duplicate pages: a 64-bit simhash of a page's words, and finding those that differ in few bits.

Simhash (Charikar 2002; Manku, Jain, Das Sarma 2007): each bit of the fingerprint is the majority vote of
that bit over the hashes of all features. Features are runs of three words, so that order counts; digits in
them do not (the months of a calendar differ in numbers, and are what this is for). Pages that share nearly
all features differ in few of the 64 bits; at most 3 is the bound of the 2007 paper for the web. A page of
few words has the hash of all of them instead: one word more or less makes it another page.

Cost: about 0.15 us a word, since nothing is done a feature. A word has three 64-bit hashes, one for each
place in a run, found in a dictionary (words repeat); the hash of a run is the exclusive or of the hashes of
its words at their places. So all runs together are three byte strings, shifted by a word each, and the votes
on a bit are one exclusive or, one mask and one population count over integers of a byte a word.

To find earlier fingerprints within 3 bits, each is filed under its four 16-bit quarters: with three bits of
difference at least one quarter is equal.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from hashlib import blake2b

NEAR = 3
"""Bits in which the fingerprints of two pages may differ for the pages to be nearly the same."""
RUN = 3
MAX_WORDS = 2000  # of a page: the rest does not count
FEW_WORDS = 24

_SIZE = 8  # bytes of a hash
_WORDS_KEPT = 50_000  # with their hashes, some 10 MB
_LONGEST = 64  # characters of a word that count

_DIGITS = re.compile("[0-9]+")


def simhash(words: Sequence[str]) -> int:
    """Return the fingerprint of a page, 64 bits; 0 for a page without words."""
    folded = _DIGITS.sub("0", " ".join(words[:MAX_WORDS])).split()
    if len(folded) < FEW_WORDS:
        return int.from_bytes(_digest(" ".join(folded))[:_SIZE]) if folded else 0
    return _majority(b"".join(map(_HASHES.__getitem__, folded)), len(folded) - RUN + 1)


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "replace"), digest_size=RUN * _SIZE).digest()


class _Hashes(dict[str, bytes]):
    """The hashes of words; forgets all of them now and then, so that its size is bounded."""

    def __missing__(self, word: str) -> bytes:
        if len(self) >= _WORDS_KEPT:
            self.clear()
        found = self[word[:_LONGEST]] = _digest(word[:_LONGEST])
        return found


_HASHES = _Hashes()


def _majority(hashes: bytes, runs: int) -> int:
    """Return the bits that most runs have set.

    Args:
        hashes: of each word, for the places of a run one after the other.
        runs: how many there are.
    """
    ones = int.from_bytes(b"\x01" * runs)
    result = 0
    for column in range(_SIZE):
        votes = 0
        for place in range(RUN):
            words = hashes[place * _SIZE + column :: RUN * _SIZE]
            votes ^= int.from_bytes(words[place : place + runs])
        for bit in range(8):
            if 2 * ((votes >> bit) & ones).bit_count() > runs:
                result |= 1 << (8 * (_SIZE - 1 - column) + bit)
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
        """Return a known fingerprint near this one, None where there is none."""
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
