"""Hosts come onto the workbench when they have work and leave it when its place is needed.

Everything about a host lies in the store; the bench holds at most `MAX_HOSTS` of those that have work, so
that memory does not grow with the number of hosts ever seen. Hosts that find no place wait in the store and
are found again by one seek each, from where the last look ended.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from spiderd.coordinator.desk import Desk
from spiderd.schedule.politeness import HostState
from spiderd.schedule.workbench import HostQueue
from spiderd.store.records import WaitingUrl, decode
from spiderd.store.step import Effects, Opened, Read

MAX_HOSTS = 20_000
AT_A_TIME = 128  # hosts that the store is asked for in one step: with more, the others would wait for it
LOOK = 64  # hosts asked for in one look at the least: most of them may be on the bench


class Hosts:
    """Keeps the workbench supplied."""

    def __init__(self, desk: Desk, *, limit: int = MAX_HOSTS) -> None:
        self._desk = desk
        self._bench = desk.bench
        self._limit = limit
        self._opening: set[int] = set()
        self._wanted: deque[int] = deque()  # of those, which the store has not been asked for yet
        self._waiting_outside = False  # hosts with work have found no place
        self._looked_until = 0  # host after which to look for them next
        self._looked_from = 0  # host after which the look under way began
        self._turned_away = False  # a host has found no place since a look began at the first one
        self._looking = False

    @property
    def is_settled(self) -> bool:
        """Whether no host is on its way onto the bench."""
        return not (self._opening or self._waiting_outside or self._bench.hungry)

    @property
    def presses(self) -> bool:
        """Whether the store is to be asked for something."""
        return bool(self._wanted or self._bench.hungry)

    @property
    def may_look(self) -> bool:
        """Whether a host that waits outside may find a place now."""
        return self._waiting_outside and not self._looking and bool(self._room() or self._bench.idle)

    def found_waiting(self, hosts: Sequence[int], asked: int) -> None:
        """The store names hosts with work, in order; as many as it was asked for if there are more.

        Hosts that get work behind the place where it was looked last are missed by that round; so a round is
        the last one only if it began at the first host and nobody was turned away meanwhile.
        """
        self._looking = False
        self._waiting_outside = True
        for host in hosts:
            if host not in self._bench.hosts and host not in self._opening and not self._room():
                return
            self._want(host)
            self._looked_until = host
        if len(hosts) < asked:
            self._waiting_outside = self._looked_from > 0 or self._turned_away
            self._looked_until = 0

    def ask(self) -> None:
        """Put into the step what is to be read for the bench."""
        step = self._desk.step
        for _ in range(min(AT_A_TIME, len(self._wanted))):
            step.opens.append(self._wanted.popleft())
        hungry = self._bench.hungry
        for _ in range(min(AT_A_TIME, len(hungry))):
            number = hungry.pop()
            host = self._bench.hosts.get(number)
            if host is not None and self._bench.wants_read(host):
                host.reading = True
                step.reads.append(Read(number, host.after, self._bench.read_ahead))
        if self.may_look and (self._room() or self._clear_away()):
            self._looking = True
            self._looked_from = self._looked_until
            if not self._looked_from:
                self._turned_away = False
            step.more_hosts = (self._looked_from, max(self._room(), LOOK) + 1)

    def apply(self, effects: Effects, asked: tuple[int, int] | None, now: float) -> None:
        """Take in what the store has answered; `asked` is the step's `more_hosts`."""
        for opened in effects.opened:
            self._open(opened, now)
        for read, heads in effects.heads:
            self._take(read, heads, now)
        self._touch(effects.touched.items(), now)
        if asked is not None:
            self.found_waiting(effects.more_hosts, asked[1])

    def _touch(self, touched: Iterable[tuple[int, bytes]], now: float) -> None:
        for number, key in touched:
            host = self._bench.hosts.get(number)
            if host is None:
                if self._room():
                    self._want(number)
                else:
                    self._waiting_outside = self._turned_away = True
                continue
            if key <= host.after:
                host.reread()  # something ranks better than what was read ahead
            else:
                host.more = True
            self._bench.place(host, now)

    def want(self, number: int) -> bool:
        """Open a host for later visits, which leave half of the places to others; False: none is free."""
        if number not in self._opening and self._room() <= self._limit // 2 >= self._clear_away():
            return False
        self._want(number)
        return True

    def _want(self, number: int) -> None:
        if number not in self._bench.hosts and number not in self._opening:
            self._opening.add(number)
            self._wanted.append(number)

    def _open(self, opened: Opened, now: float) -> None:
        self._opening.discard(opened.host)
        state = decode(HostState, opened.state) if opened.state else HostState(host=opened.key)
        host = HostQueue(id=opened.host, key=opened.key, state=state, pages=opened.complete)
        host.more_again = self._desk.agains > 0
        self._bench.hosts[opened.host] = host
        self._bench.place(host, now)

    def _take(self, read: Read, heads: Sequence[tuple[bytes, WaitingUrl]], now: float) -> None:
        host = self._bench.hosts.get(read.host)
        if host is None:
            return
        host.reading = False
        if read.after == host.after:  # else it was told to read again meanwhile
            holds = self._desk.book.holds
            host.heads.extend(head for head in heads if not holds(head[1].hash))
            if heads:
                host.after = heads[-1][0]
            host.more = len(heads) == read.count
        self._bench.place(host, now)

    def _room(self) -> int:
        return max(0, self._limit - len(self._bench.hosts) - len(self._opening))

    def _clear_away(self) -> int:
        """Take hosts without work off the bench; the places that are free then."""
        for number in self._bench.idle:
            host = self._bench.hosts.get(number)
            if host is not None and host.is_done:
                self._desk.save(self._bench.hosts.pop(number))
        self._bench.idle.clear()
        return self._room()
