"""Events on their way to the ring that clients read and to the log."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import cast

from spiderd.api.crawl import Level
from spiderd.api.events import EventLog
from spiderd.daemon.log import Log
from spiderd.protocol import Event


class Happenings:
    """Records events for clients; what reaches their ring is written to the log, too."""

    def __init__(self, log: Log, *, ticks: Callable[[], float] = time.monotonic) -> None:
        # Ids above those of every earlier run: see `spiderd.api.events`.
        self.ring = EventLog(first=int(time.time() * 1000), ticks=ticks, on_event=self._write)
        self._log = log

    def add(
        self, level: str, name: str, message: str, *, url: str = "", host: str = "", worker: int = -1
    ) -> bool:
        """Record an event, unless its host has used up its share."""
        return self.ring.add(cast("Level", level), name, message, url=url, host=host, worker=worker)

    def sweep(self) -> None:
        """Tell what was left out, where its time is over; to be called now and then."""
        self.ring.sweep()

    def log_from(self, level: str) -> None:
        """Write events of this level and above to the log, from now on."""
        self._log.least(level)

    def _write(self, event: Event) -> None:
        self._log.write(event.level, event.name, event.message, event.url)
