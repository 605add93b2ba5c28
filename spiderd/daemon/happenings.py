"""Events on their way to the ring that clients read and to the log."""

from __future__ import annotations

from typing import cast

from spiderd.api.crawl import Level
from spiderd.api.events import EventLog
from spiderd.daemon.log import Log


class Happenings:
    """Records events once for clients, once for the log."""

    def __init__(self, ring: EventLog, log: Log) -> None:
        self.ring = ring
        self._log = log

    def add(
        self, level: str, name: str, message: str, *, url: str = "", host: str = "", worker: int = -1
    ) -> bool:
        """Record an event, unless its host has used up its share."""
        recorded = self.ring.add(cast("Level", level), name, message, url=url, host=host, worker=worker)
        if recorded:
            self._log.write(level, name, message, url)
        return recorded
