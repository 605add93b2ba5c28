"""Throughput, sampled once a second."""

from __future__ import annotations

from collections import deque

from spiderd.protocol import Counters, Rates

HISTORY = 600  # seconds
WINDOW = 10  # seconds over which a rate is meant


class RateMeter:
    """Pages and bytes a second, from counters that only grow."""

    def __init__(self) -> None:
        self._pages: deque[float] = deque(maxlen=HISTORY)
        self._bytes: deque[float] = deque(maxlen=WINDOW)
        self._last: tuple[float, int, int] | None = None

    def sample(self, now: float, counters: Counters) -> None:
        """Take a sample; `now` is a steady time in seconds."""
        if self._last is not None:
            at, pages, size = self._last
            elapsed = max(now - at, 0.001)
            self._pages.append((counters.pages - pages) / elapsed)
            self._bytes.append((counters.bytes_received - size) / elapsed)
        self._last = (now, counters.pages, counters.bytes_received)

    def rates(self) -> Rates:
        """What a screen shows."""
        recent = list(self._pages)[-WINDOW:]
        return Rates(
            pages=sum(recent) / len(recent) if recent else 0.0,
            bytes=sum(self._bytes) / len(self._bytes) if self._bytes else 0.0,
            history=[round(value, 2) for value in self._pages],
        )
