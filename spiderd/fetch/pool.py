"""Idle connections, kept for the next request to the same place.

A connection is here only while nobody uses it: whoever takes it owns it and puts it back or closes it, so
there is no slot that could leak, and taking is a dictionary look-up however many connections there are (the
pool of httpcore looks at all of them for each request). Last in, first out, so that the others grow old and
are closed.
"""

from __future__ import annotations

import resource
from collections import OrderedDict

from spiderd.fetch.connection import Connection

MAX_IDLE = 1024  # connections: a crawl of many hosts comes back to each of them within a minute
MAX_IDLE_HERE = 8  # for one key
KEEP = 60.0  # seconds; most servers close sooner


def most_idle() -> int:
    """How many connections may wait: half of what the process may have open, at the most."""
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MAX_IDLE if allowed == resource.RLIM_INFINITY else min(MAX_IDLE, allowed // 2)


class Pool:
    """All idle connections of a client."""

    def __init__(
        self, max_idle: int | None = None, keep: float = KEEP, *, max_here: int = MAX_IDLE_HERE
    ) -> None:
        self._least = most_idle() if max_idle is None else max_idle
        self.resize(max_here)
        self.keep = keep
        self._idle: dict[object, list[Connection]] = {}
        self._closed = False
        self._ages: OrderedDict[Connection, None] = OrderedDict()  # longest idle first

    def resize(self, max_here: int) -> None:
        """Keep so many for one key from now on."""
        self.max_here = max_here
        self.max_idle = max(self._least, max_here)

    def __len__(self) -> int:
        return len(self._ages)

    def take(self, key: object) -> Connection | None:
        """The connection for a key that was used last, unless it has become stale meanwhile."""
        here = self._idle.get(key)
        while here:
            connection = here.pop()
            del self._ages[connection]
            if not here:
                del self._idle[key]
            if not connection.channel.stale():
                return connection
            connection.close()
        return None

    def put(self, connection: Connection, now: float) -> None:
        """Keep a connection that may be reused; the oldest go where there are too many."""
        if self._closed:
            connection.close()
            return
        connection.idle_since = now
        here = self._idle.setdefault(connection.key, [])
        here.append(connection)
        self._ages[connection] = None
        if len(here) > self.max_here:
            self._drop(here[0])
        while len(self._ages) > self.max_idle:
            self._drop(next(iter(self._ages)))
        self.expire(now)

    def expire(self, now: float) -> None:
        """Close what nobody has used for long."""
        while self._ages and now - (oldest := next(iter(self._ages))).idle_since > self.keep:
            self._drop(oldest)

    def forget(self, key: object) -> None:
        """Close all idle connections for a key: one of them has turned out to be dead."""
        for connection in list(self._idle.get(key, ())):
            self._drop(connection)

    def close(self) -> None:
        """Close all, and whatever is still put back."""
        self._closed = True
        while self._ages:
            self._drop(next(iter(self._ages)))

    def _drop(self, connection: Connection) -> None:
        del self._ages[connection]
        here = self._idle[connection.key]
        here.remove(connection)
        if not here:
            del self._idle[connection.key]
        connection.close()
