"""The workbench: which host may be asked next. Pure; whoever uses it says what time it is.

Problem: of many hosts with waiting URLs, find at any moment one that may be asked now, the one whose next URL
ranks best, without looking at the others; no host may ever make another wait.

Structure: a `HostQueue` holds the next few URLs of its host, read ahead from the frontier. A host that may
be asked later lies in a heap by that time; one that may be asked now lies in a heap by the rank of its next
URL; one that cannot go on by itself (all its connections busy, robots.txt on its way, its address busy,
nothing read ahead) lies in none and is placed again by the event that it waits for. Each placing has a
ticket of its own, so that an entry that has been overtaken is recognised when it surfaces. A host that has
nothing but pages to be visited again lies in a heap of its own, by how long they are due: first visits do not
wait behind later ones, and how the two share is for whoever takes hosts to say. Cost: O(log hosts)
a lease; memory: hosts on the bench (bounded by its owner), and URLs read ahead, of which there are fewer a
host where there are many hosts.
"""

from __future__ import annotations

from collections import deque
from heapq import heapify, heappop, heappush
from typing import TypeVar

from msgspec import Struct, field

from spiderd.config.declaration import Politeness
from spiderd.robots.policy import RobotsRecord
from spiderd.robots.rules import Robots
from spiderd.schedule.politeness import (
    HostState,
    asked,
    connections_of,
    given_up,
    may_ask_at,
    rules_changed,
)
from spiderd.store.records import WaitingUrl
from spiderd.store.visits import Again

Entry = TypeVar("Entry", tuple[bytes, int, int], tuple[float, int, int])

SWEEP_BEYOND = 1000  # stale entries of a heap that are not worth looking at
READ_AHEAD = 64  # URLs of a host read from the frontier at a time, at the most
LOW_WATER = 24  # at which more are read
ALL_AHEAD = 16_000  # URLs read ahead for all hosts together, if there are many: about 10 MB
LEAST_AHEAD = 2
READ_AGAIN = 16  # pages of a host that are to be visited again, read ahead at a time: they are large
LOW_AGAIN = 6  # at which more are read


class OriginRobots(Struct):
    """What robots.txt of one origin (RFC 9309 2.3: scheme, host and port) says."""

    record: RobotsRecord
    robots: Robots


class HostQueue(Struct):
    """One host with work, as the workbench sees it."""

    id: int
    key: str
    state: HostState
    heads: deque[tuple[bytes, WaitingUrl]] = field(default_factory=deque)  # read ahead, by rank
    after: bytes = b""  # frontier key up to which has been read
    more: bool = True  # the frontier may hold URLs behind `after`
    reading: bool = False  # a read is under way
    in_flight: int = 0  # requests under way
    answered: int = 0  # whose answer is there, and whose outcome is not
    pages: int = 0  # complete and in flight, for scope.max_pages_per_host
    robots: dict[str, OriginRobots] = field(default_factory=dict)
    awaiting_robots: set[str] = field(default_factory=set)  # origins whose robots.txt is on its way
    address: str = ""  # that answered last
    awaiting_address: bool = False  # that address has all the connections it may have
    fetcher: int = -1  # that has its connections
    bound: bool = False  # to that fetcher, which has its cookies
    ticket: int = 0  # of its newest place in a heap; older entries are stale
    again: deque[Again] = field(default_factory=deque)  # to be visited again, the longest due first
    after_again: bytes = b""  # key up to which has been read of these
    more_again: bool = False  # there may be more of them
    reading_again: bool = False
    credit: float = 0.0  # of later visits against first ones (`spiderd.schedule.revisit.credited`)

    def reread(self) -> None:
        """Forget what was read ahead: the frontier holds something better, or again."""
        self.heads.clear()
        self.after = b""
        self.more = True

    def read_again(self) -> None:
        """Forget which pages to be visited again were read ahead."""
        self.again.clear()
        self.after_again = b""
        self.more_again = True

    @property
    def wants_again(self) -> bool:
        """Whether more pages to be visited again should be read ahead."""
        return self.more_again and not self.reading_again and len(self.again) < LOW_AGAIN

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do for the host."""
        return not (
            self.heads
            or self.more
            or self.reading
            or self.in_flight
            or self.answered
            or self.again
            or self.more_again
            or self.reading_again
        )


class Workbench:
    """The hosts with work, each in its place."""

    def __init__(self, rules: Politeness, retries: int) -> None:
        self.rules = rules
        self.retries = retries
        self.hosts: dict[int, HostQueue] = {}
        self.hungry: set[int] = set()  # hosts for which more is to be read ahead
        self.idle: set[int] = set()  # hosts that had nothing left to do when they were placed
        self.hungry_again: set[int] = set()  # likewise, of pages to be visited again
        self._ready: list[tuple[bytes, int, int]] = []  # rank of the next URL, host, ticket
        self._again: list[tuple[bytes, int, int]] = []  # time of the next visit, host, ticket
        self._later: list[tuple[float, int, int]] = []  # time, host, ticket
        self._tickets = 0

    def reconfigure(self, rules: Politeness, retries: int, now: float) -> None:
        """Go by other rules: each host is placed anew."""
        before, self.rules, self.retries = self.rules, rules, retries
        for host in self.hosts.values():
            rules_changed(host.state, before, rules, now)
            self.place(host, now)

    @property
    def read_ahead(self) -> int:
        """How many URLs of a host are to be read at a time: the more hosts there are, the fewer."""
        return max(LEAST_AHEAD, min(READ_AHEAD, ALL_AHEAD // max(1, len(self.hosts))))

    def wants_read(self, host: HostQueue) -> bool:
        """Whether more should be read ahead for a host."""
        ahead = len(host.heads)
        if not host.more or host.reading or ahead >= LOW_WATER:
            return False
        return ahead < max(1, self.read_ahead * LOW_WATER // READ_AHEAD)

    def place(self, host: HostQueue, now: float) -> None:
        """Put a host where it belongs now. To be called after every change of it."""
        if self.wants_read(host):
            self.hungry.add(host.id)
        if host.more_again and host.wants_again:
            self.hungry_again.add(host.id)
        if host.is_done:
            self.idle.add(host.id)
        else:
            self.idle.discard(host.id)
        self._tickets += 1
        host.ticket = self._tickets
        if (
            not (host.heads or host.again)
            or host.awaiting_robots
            or host.awaiting_address
            or host.in_flight >= connections_of(host.state, self.rules)
        ):
            return
        at = may_ask_at(host.state)
        if at > now and not self.has_given_up(host):
            heappush(self._later, (at, host.id, host.ticket))
            self._later = self._swept(self._later)
        else:
            self._make_ready(host)

    def _make_ready(self, host: HostQueue) -> None:
        if host.heads:
            heappush(self._ready, (host.heads[0][0][4:], host.id, host.ticket))
            self._ready = self._swept(self._ready)
        else:
            heappush(self._again, (host.again[0].key[4:], host.id, host.ticket))
            self._again = self._swept(self._again)

    def _swept(self, heap: list[Entry]) -> list[Entry]:
        """The heap without its stale entries, once they are most of it."""
        if len(heap) <= SWEEP_BEYOND + 4 * len(self.hosts):
            return heap
        kept = [entry for entry in heap if self._current(entry[1], entry[2]) is not None]
        heapify(kept)
        return kept

    def has_given_up(self, host: HostQueue) -> bool:
        """Whether what waits for a host should wait no longer."""
        return given_up(host.state, self.retries)

    def take(self, now: float) -> HostQueue | None:
        """The host that may be asked now and whose next URL ranks best; it is in no place until `place`."""
        self._look_at_later(now)
        return self._pop(self._ready)

    def take_again(self, now: float) -> HostQueue | None:
        """Of the hosts that may be asked now and have no URLs but for later visits, the one longest due."""
        self._look_at_later(now)
        return self._pop(self._again)

    def _look_at_later(self, now: float) -> None:
        while self._later and self._later[0][0] <= now:
            _, number, ticket = heappop(self._later)
            host = self._current(number, ticket)
            if host is not None:
                self._make_ready(host)

    def _pop(self, heap: list[tuple[bytes, int, int]]) -> HostQueue | None:
        while heap:
            _, number, ticket = heappop(heap)
            host = self._current(number, ticket)
            if host is not None:
                return host
        return None

    def next_time(self) -> float | None:
        """Unix time at which a host becomes ready; None where nothing waits for time to pass."""
        while self._later:
            at, number, ticket = self._later[0]
            if self._current(number, ticket) is not None:
                return at
            heappop(self._later)
        return None

    def lease(self, host: HostQueue, now: float) -> tuple[bytes, WaitingUrl]:
        """Take the host's next URL: a request to it is being handed out now."""
        head = host.heads.popleft()
        host.in_flight += 1
        asked(host.state, now, self.rules)
        return head

    def lease_again(self, host: HostQueue, now: float) -> Again:
        """Take the host's next page to be visited again: a request to it is being handed out now."""
        again = host.again.popleft()
        host.in_flight += 1
        asked(host.state, now, self.rules)
        return again

    def _current(self, number: int, ticket: int) -> HostQueue | None:
        host = self.hosts.get(number)
        return host if host is not None and host.ticket == ticket and (host.heads or host.again) else None
