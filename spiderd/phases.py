"""The phases of a fetch and how long each takes, summed up over a fetcher and then over all of them."""

from __future__ import annotations

from collections.abc import Sequence

from spiderd.histogram import WIDTH, Histogram

PHASES = ("dns", "connect", "tls", "first_byte", "body")
"""In the order of an exchange. On a connection that was kept there are but the last two."""


class Phases:
    """A histogram for each phase."""

    __slots__ = ("body", "connect", "dns", "first_byte", "tls")

    def __init__(self) -> None:
        self.dns, self.connect, self.tls = Histogram(), Histogram(), Histogram()
        self.first_byte, self.body = Histogram(), Histogram()

    def by_name(self) -> dict[str, Histogram]:
        """The histograms by phase."""
        return {name: getattr(self, name) for name in PHASES}

    def take(self) -> list[int]:
        """What was counted since the last call, as one row of numbers; [] where that is nothing."""
        taken = [number for histogram in self.by_name().values() for number in histogram.take()]
        return taken if any(taken) else []

    def add(self, taken: Sequence[int]) -> None:
        """Add what another has taken."""
        if taken:
            for place, histogram in enumerate(self.by_name().values()):
                histogram.add(taken[place * WIDTH : (place + 1) * WIDTH])
