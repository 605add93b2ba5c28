"""The events of the daemon: a ring that many readers follow by id, and that no single host can flood.

Readers come and go and keep their own place (`since`), so the log keeps no state for them: a ring of the
last `size` events whose ids grow by one. Whoever asks for events that have left the ring is told `gap`. Ids
begin at `first`; a daemon that takes the milliseconds of its start for it has ids above those of every
earlier run (less than 1,000 events a second on the average, which the rate limit sees to), so that a client
that comes back after a restart learns of the gap as well.

Rate limit: of the events with the same (host, name), `burst` pass in a window of `window` seconds from the
first of them; the rest are counted and reported as one event when the window is over. Windows have the same
length, so they end in the order in which they began: a queue of them is swept from its head at each call,
constant time an event. Memory is bounded by `size` and by the events that came within one window. `on_event`
is told of each event that reaches the ring, the reports on what was left out among them: a log that hangs on
it says what readers see.

One task owns the log (trio's, on the loop); it is not for threads.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from itertools import islice

import trio
from msgspec import Struct

from spiderd.api.crawl import Level
from spiderd.protocol import Event, Events

RING = 2000
BURST = 10  # events of one (host, name) that pass in a window
WINDOW = 10.0  # seconds
RANK: dict[str, int] = {"debug": 0, "info": 1, "warning": 2, "error": 3}

Key = tuple[str, str]


class _Window(Struct):
    """Events of one (host, name) since the first of them."""

    ends: float
    passed: int = 0
    suppressed: int = 0
    level: Level = "debug"  # the highest of the suppressed


class EventLog:
    """A ring of numbered events with waiting readers and a rate limit a (host, name)."""

    def __init__(
        self,
        *,
        first: int = 1,
        size: int = RING,
        burst: int = BURST,
        window: float = WINDOW,
        clock: Callable[[], float] = time.time,
        ticks: Callable[
            [], float
        ] = time.monotonic,  # for the windows: a clock set back must not prolong them
        on_event: Callable[[Event], None] = lambda _: None,
    ) -> None:
        self._ring: deque[Event] = deque(maxlen=size)
        self._next = max(1, first)
        self._burst = burst
        self._window = window
        self._clock = clock
        self._ticks = ticks
        self._on_event = on_event
        self._windows: dict[Key, _Window] = {}
        self._ending: deque[Key] = deque()  # keys of _windows, in the order in which they end
        self._news: trio.Event | None = None  # there only while somebody waits

    @property
    def last(self) -> int:
        """Id of the newest event; one less than the first id where there is none."""
        return self._next - 1

    def add(
        self, level: Level, name: str, message: str, *, url: str = "", host: str = "", worker: int = -1
    ) -> bool:
        """Record an event, unless its (host, name) has used up its share; answers whether it was recorded."""
        ticks = self._ticks()
        self.sweep(ticks)
        if not self._passes((host, name), level, ticks):
            return False
        self._append(level, name, message, url=url, host=host, worker=worker)
        return True

    def since(self, since: int, level: str = "debug") -> Events:
        """Answer the events after id `since` of at least `level`, oldest first.

        `since` 0 means whatever there is and is never a gap; an id that this log has not reached belongs to
        another log and is one.
        """
        self.sweep()
        oldest = self._ring[0].id if self._ring else self._next
        foreign = since > self.last
        skip = 0 if foreign else max(0, since - oldest + 1)
        rank = RANK[level]
        rows = [event for event in islice(self._ring, skip, None) if RANK[event.level] >= rank]
        return Events(rows=rows, last=self.last, gap=foreign or 0 < since < oldest - 1)

    async def read(self, since: int, wait: float, level: str = "debug") -> Events:
        """As `since`, but where there is nothing to tell wait up to `wait` seconds for it."""
        events = self.since(since, level)
        with trio.move_on_after(wait):
            while not events.rows and not events.gap:
                await self._wait()
                events = self.since(events.last, level)  # what came before was of a lower level
        return events

    async def _wait(self) -> None:
        """Wait for the next event of any level."""
        if self._news is None:
            self._news = trio.Event()
        await self._news.wait()

    def _passes(self, key: Key, level: Level, ticks: float) -> bool:
        window = self._windows.get(key)
        if window is None:
            window = self._windows[key] = _Window(ends=ticks + self._window)
            self._ending.append(key)
        if window.passed < self._burst:
            window.passed += 1
            return True
        window.suppressed += 1
        if RANK[level] > RANK[window.level]:
            window.level = level
        return False

    def sweep(self, ticks: float | None = None) -> None:
        """End the windows whose time is over, and tell what they have held back.

        Every call of the log does so; to be called now and then where nothing else might.
        """
        ticks = self._ticks() if ticks is None else ticks
        while self._ending:
            host, name = key = self._ending[0]
            window = self._windows[key]
            if window.ends > ticks:
                return
            self._ending.popleft()
            del self._windows[key]
            if window.suppressed:
                message = f'{window.suppressed} more "{name}" events in {self._window:g} s were left out'
                self._append(window.level, name, message, host=host)

    def _append(
        self, level: Level, name: str, message: str, *, url: str = "", host: str = "", worker: int = -1
    ) -> None:
        where = {"url": url, "host": host}
        now = self._clock()
        event = Event(id=self._next, at=now, level=level, name=name, message=message, worker=worker, **where)
        self._ring.append(event)
        self._next += 1
        self._on_event(event)
        if self._news is not None:
            self._news.set()
            self._news = None
