"""Where barren pages lead: who answers for a URL that a page without anything new has named.

A trap's pages name pages of the trap. But a dull page may also be the only way to a good one: interstitials
("you are leaving us"), covers and frames of many books that are alike. Two things follow.

- What a barren page was counted against gets credit when a page that it led to does bring something new: it
  starts anew, and comes back if it was parked meanwhile, as it is when pages are fetched in breadth.
- Relative links that nest without end (`a/`, `b/` on a server that answers anything) make two shapes of each
  and four of those, so that no shape ever has enough pages. What they have in common is the content: so a
  content that comes under one URL after the other is watched as a shape is, and what its pages lead to is
  parked under its name, but for a few probes: one of them that brings something new sets all the others free.

The names of the last `capacity` barren pages are kept, by page number; what is forgotten is fetched.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

CAPACITY = 50_000
PROBES = 10  # pages that a parked content leads to and that are fetched all the same
MARK = "/{content "


def content_name(host: str, content: bytes) -> str:
    """Name a content of a host as shapes are named.

    >>> content_name("a.test", b"12345678")
    'a.test/{content 3132333435363738}'
    """
    return f"{host}{MARK}{content[:8].hex()}}}"


class Lineage:
    """What the latest barren pages were counted against."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self.capacity = capacity
        self._names: OrderedDict[int, Sequence[str]] = OrderedDict()
        self._contents: OrderedDict[str, None] = OrderedDict()
        self._probes: dict[str, int] = {}

    def is_known(self, content: str) -> bool:
        """Whether a content, by its name, was met before; from now on it is."""
        known = content in self._contents
        self._contents[content] = None
        self._contents.move_to_end(content)
        if len(self._contents) > self.capacity:
            self._contents.popitem(last=False)
        return known

    def probes(self, content: str) -> bool:
        """Whether a URL that a parked content leads to is fetched all the same; that is counted."""
        sent = self._probes.get(content, 0)
        if sent >= PROBES:
            return False
        if len(self._probes) >= self.capacity:
            self._probes.clear()
        self._probes[content] = sent + 1
        return True

    def credit(self, content: str) -> None:
        """Something new was found by way of a content: should it be parked again, it is probed again."""
        self._probes.pop(content, None)

    def note(self, page: int, names: Sequence[str]) -> None:
        """Remember what a barren page, by its number, was counted against."""
        self._names[page] = names
        if len(self._names) > self.capacity:
            self._names.popitem(last=False)

    def of(self, page: int) -> Sequence[str]:
        """What a page was counted against; nothing where it was not barren, or is forgotten."""
        return self._names.get(page, ())

    def contents_of(self, page: int) -> Sequence[str]:
        """Those of them that are contents."""
        return [name for name in self.of(page) if MARK in name]
