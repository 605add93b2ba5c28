"""Reports that count: statuses, types, depth, sizes.

Each has so many classes and no more, whatever a hostile site makes up (`MOST`): the rest is one class.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

from spiderd.audit.collector import Collector
from spiderd.audit.kinds import Cell
from spiderd.audit.material import essence
from spiderd.audit.pages import PAGES
from spiderd.states import OutcomeKind
from spiderd.store.records import PageRecord
from spiderd.units import human_size

MOST = 1_000
SIZES = (0, 1 << 10, 10 << 10, 50 << 10, 100 << 10, 500 << 10, 1 << 20, 5 << 20, 10 << 20, 1 << 62)
"""Bounds of the classes of sizes, in bytes."""

Class = TypeVar("Class", bound=Hashable)


class Tally:
    """What was counted of one class."""

    __slots__ = ("bytes", "count", "largest", "page", "truncated", "url")

    def __init__(self) -> None:
        self.count = self.bytes = self.truncated = self.page = 0
        self.largest = -1
        self.url = ""  # of the first page, or of the largest one


class Tallies(Generic[Class]):
    """Tallies by class."""

    def __init__(self, rest: Class) -> None:
        """Begin; what is one class too many is counted under `rest`."""
        self.by_class: dict[Class, Tally] = {}
        self._rest = rest
        self.total = 0

    def add(self, of: Class, number: int, page: PageRecord, *, largest: bool = False) -> None:
        """Count a page; with `largest` it is the example where it is larger than those before."""
        if of not in self.by_class and len(self.by_class) >= MOST:
            of = self._rest
        tally = self.by_class.setdefault(of, Tally())
        if not tally.count or (largest and page.size > tally.largest):
            tally.page, tally.url, tally.largest = number, page.url, page.size
        tally.count += 1
        tally.bytes += page.size
        tally.truncated += page.truncated
        self.total += 1

    def share(self, tally: Tally) -> float:
        """Which part of all that is."""
        return round(tally.count / self.total, 4)


class Statuses(Collector):
    """How URLs were answered: by status, or why there was no answer."""

    kinds = ("statuses",)

    def begin(self) -> None:
        """Begin."""
        self._tallies: Tallies[str] = Tallies("other")

    def page(self, number: int, page: PageRecord) -> None:
        """Count a URL."""
        self._tallies.add(str(page.status or page.failure.value or "none"), number, page)

    def finish(self) -> None:
        """File the classes, the fullest first."""
        for status, tally in self._tallies.by_class.items():
            cells: tuple[Cell, ...] = (status, tally.count, self._tallies.share(tally), tally.url)
            self.findings.file("statuses", -tally.count, tally.page, *cells)


class Types(Collector):
    """Media types of what was fetched."""

    kinds = ("types",)

    def begin(self) -> None:
        """Begin."""
        self._tallies: Tallies[str] = Tallies("other")

    def page(self, number: int, page: PageRecord) -> None:
        """Count an answer of 200 or so."""
        if 200 <= page.status < 300:
            self._tallies.add(essence(page)[:100] or "none", number, page)

    def finish(self) -> None:
        """File the classes, the fullest first."""
        for of, tally in self._tallies.by_class.items():
            cells: tuple[Cell, ...] = (of, tally.count, self._tallies.share(tally), tally.bytes, tally.url)
            self.findings.file("types", -tally.count, tally.page, *cells)


class Depth(Collector):
    """How many links from a seed pages are."""

    kinds = ("depth",)

    def begin(self) -> None:
        """Begin."""
        self._tallies: Tallies[int] = Tallies(MOST)

    def page(self, number: int, page: PageRecord) -> None:
        """Count a page."""
        if page.kind in PAGES:
            self._tallies.add(min(page.depth, MOST), number, page)

    def finish(self) -> None:
        """File the classes by depth."""
        for depth, tally in self._tallies.by_class.items():
            cells: tuple[Cell, ...] = (depth, tally.count, self._tallies.share(tally), tally.url)
            self.findings.file("depth", depth, tally.page, *cells)


class Sizes(Collector):
    """How big pages are."""

    kinds = ("sizes",)

    def begin(self) -> None:
        """Begin."""
        self._tallies: Tallies[int] = Tallies(0)

    def page(self, number: int, page: PageRecord) -> None:
        """Count a page."""
        if page.kind is OutcomeKind.STORED:
            self._tallies.add(size_class(page.size), number, page, largest=True)

    def finish(self) -> None:
        """File the classes, the smallest first."""
        for place, tally in self._tallies.by_class.items():
            cells: list[Cell] = [class_name(place), tally.count, self._tallies.share(tally)]
            cells += [tally.bytes, tally.truncated, tally.url]
            self.findings.file("sizes", place, tally.page, *cells)


def size_class(size: int) -> int:
    """The class of a size: how many of the bounds it reaches, less one."""
    return sum(size >= bound for bound in SIZES[1:-1])


def class_name(place: int) -> str:
    """What a class of sizes is called."""
    if place == 0:
        return f"under {human_size(SIZES[1])}"
    if place == len(SIZES) - 2:
        return f"from {human_size(SIZES[place])}"
    return f"{human_size(SIZES[place])} to {human_size(SIZES[place + 1])}"
