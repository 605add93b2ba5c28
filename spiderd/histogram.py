"""How long things take: counts in buckets that are fixed, so that what is measured costs next to nothing.

A measurement is one bisection and two additions (about 0.15 us); nothing is allocated, nothing is kept of a
single one. Processes measure for themselves and hand their counts over now and then, and counts add up. The
buckets span what a crawl meets, from a cached name (below 1 ms) to the longest of the time limits.

A histogram has one writer. Readers in other threads may see one that is short of the last measurement.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
"""Upper bounds of the buckets in seconds; what is longer has the last bucket."""

WIDTH = len(BOUNDS) + 2  # numbers that a histogram is written as


class Histogram:
    """Counts of durations by bucket."""

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts = [0] * WIDTH  # the last is the sum in microseconds

    def observe(self, seconds: float) -> None:
        """Count one duration."""
        counts = self._counts
        counts[bisect_left(BOUNDS, seconds)] += 1
        counts[-1] += int(seconds * 1e6)

    @property
    def counts(self) -> list[int]:
        """How many fell into each bucket, the one without a bound last."""
        return self._counts[:-1]

    @property
    def count(self) -> int:
        """How many there were."""
        return sum(self._counts[:-1])

    @property
    def total(self) -> float:
        """Seconds that all of them took together."""
        return self._counts[-1] / 1e6

    def take(self) -> list[int]:
        """What was counted since the last call, as WIDTH numbers."""
        taken, self._counts = self._counts, [0] * WIDTH
        return taken

    def add(self, taken: Sequence[int]) -> None:
        """Add what another has counted."""
        self._counts = [mine + theirs for mine, theirs in zip(self._counts, taken, strict=True)]
