"""The state of the crawl: one place that changes it, with the time and the reason of the last change."""

from __future__ import annotations

from collections.abc import Callable

import trio

from spiderd.states import CrawlState, Reason


class Lifecycle:
    """State, reason and the sentence that goes with it."""

    def __init__(
        self, on_change: Callable[[CrawlState, Reason, str], None], clock: Callable[[], float]
    ) -> None:
        self._clock = clock
        self.state = CrawlState.STARTING
        self.reason = Reason.NONE
        self.message = ""
        self.since = self._clock()
        self.changed = trio.Event()  # set at the next change
        self._on_change = on_change

    def go(self, state: CrawlState, reason: Reason = Reason.NONE, message: str = "") -> bool:
        """Change the state; False where it was that already."""
        if (state, reason, message) == (self.state, self.reason, self.message):
            return False
        self.state, self.reason, self.message = state, reason, message
        self.since = self._clock()
        self.changed.set()
        self.changed = trio.Event()
        self._on_change(state, reason, message)
        return True

    @property
    def runs(self) -> bool:
        """Whether leases are given out."""
        return self.state is CrawlState.RUNNING

    @property
    def rests(self) -> bool:
        """Whether there was nothing to do."""
        return self.state in (CrawlState.COMPLETE, CrawlState.IDLE, CrawlState.WAITING)

    @property
    def wakes(self) -> bool:
        """Whether it rests and goes on by itself when something is due."""
        return self.rests and (self.state is CrawlState.WAITING or self.reason is Reason.PARKED)

    @property
    def is_held(self) -> bool:
        """Whether somebody or something has paused the crawl."""
        return self.state in (CrawlState.PAUSING, CrawlState.PAUSED)
