"""Events on their way to the ring that clients read and to the log."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import cast

from spiderd.api.crawl import Level
from spiderd.api.events import EventLog
from spiderd.config.declaration import Log as LogRules
from spiderd.config.secrets import masked
from spiderd.daemon.log import Log, capturing
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
        """Record an event, unless its host has used up its share; passwords in URLs are masked here."""
        if "@" in message or "@" in url:
            message, url = masked(message), masked(url)
        return self.ring.add(cast("Level", level), name, message, url=url, host=host, worker=worker)

    def sweep(self) -> None:
        """Tell what was left out, where its time is over; to be called now and then."""
        self.ring.sweep()

    def log_by(self, rules: LogRules) -> None:
        """Write what these rules want to the log, from now on."""
        self._log.go_by(rules.level, rules.format)

    def capturing(self) -> AbstractContextManager[None]:
        """Write what is logged by Python's own means to the log, too, as long as the context lasts."""
        return capturing(self._log)

    def _write(self, event: Event) -> None:
        self._log.write(event)
