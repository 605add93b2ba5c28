"""What the daemon tells whoever started it, beside its log: a protocol, so that it needs to know no terminal.

All calls come from the daemon's loop and return at once; what is slow (drawing) the reporter puts elsewhere.
"""

from __future__ import annotations

from typing import Protocol

from spiderd.protocol import Counters, Snapshot


class Report(Protocol):
    """Listener at the milestones of a run."""

    def restored(self, counters: Counters) -> None:
        """Take note of what an earlier run has left; called once, before the first lease, if there is any."""

    def progress(self, snapshot: Snapshot) -> None:
        """Take note of the crawl as it is; called about twice a second."""

    def complete(self, snapshot: Snapshot, elapsed: float) -> None:
        """Take note that the crawl is complete, after so many seconds of this run; again after every add."""

    def stopped(self, snapshot: Snapshot, elapsed: float) -> None:
        """Take note that the run is over and everything is committed; the last call."""


class Silent:
    """A report to nobody."""

    def restored(self, counters: Counters) -> None:
        """Ignore it."""

    def progress(self, snapshot: Snapshot) -> None:
        """Ignore it."""

    def complete(self, snapshot: Snapshot, elapsed: float) -> None:
        """Ignore it."""

    def stopped(self, snapshot: Snapshot, elapsed: float) -> None:
        """Ignore it."""
