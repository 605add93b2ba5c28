"""Visits: when each page is to be asked for again, and what its visits have found.

Problem: millions of pages are each due at a time of their own; those that come next must be found in a step.
Once its time has come, it is the turn of a page's host that decides, as for any other request. And what was
handed out must not be lost with a process.

Structure. `visits` has a row a page. `due` is ordered by time. `again` holds the pages whose time has come,
by host, the longest due first; `wake` moves them there, a bounded number at a time. A page with a row in
`visits` is in exactly one of the two, under the time that its row says. A visit that was handed out leaves
its row in `again` where it is; the row goes with the outcome (`take`), in the transaction that records it. So
nothing has to be brought back after a crash, and a visit has one end: the second outcome of it finds no row.
A visit that somebody has asked for is in `again` under the time 0: before all others, and told from them.

A page that is visited again stays complete all the while: none of the four queues knows of it.

Cost: two rows a page, 100 bytes together; a visit moves one row and writes one. Pages are counted by their
rate (`VisitsState.levels`), since all of them share one budget (`spiderd.schedule.revisit`).
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from spiderd.states import OutcomeKind
from spiderd.store.hosts import Hosts
from spiderd.store.pages import Pages
from spiderd.store.records import (
    HOST_ID_BYTES,
    PageRecord,
    Row,
    WaitingUrl,
    decode,
    encode,
    host_key_bytes,
    host_of,
    number_key,
)
from spiderd.store.transaction import Transaction
from spiderd.urls import host_key

VISITED = frozenset({OutcomeKind.STORED, OutcomeKind.DUPLICATE, OutcomeKind.REDIRECT, OutcomeKind.SITEMAP})
"""Kinds of pages that are visited again."""

_ROW = b"visits"  # of the table `meta`


class VisitRecord(Row):
    """What the visits of a page have found."""

    hash: bytes  # of the seen key
    host: int
    due: float  # unix time; 0 = as soon as may be
    last: float = 0.0  # unix time of the last visit that said whether the page had changed
    shape: float = 0.0  # what is believed of its rate of change: a Gamma distribution,
    time: float = 0.0  # see `spiderd.schedule.revisit`
    level: int = 0  # of that rate
    changed: float = 0.0  # unix time of the last visit that found a change; 0 = none has
    visits: int = 0  # after the first one, that said whether the page had changed
    changes: int = 0
    gone: int = 0  # visits in a row that found no page (404, 410)
    failures: int = 0  # tries in a row that have failed for a passing reason
    hints: int = 0  # of its sitemap: those that came true less those that did not
    hinted: bool = False  # the next visit was brought forward by such a hint


class VisitsState(Struct, kw_only=True):
    """The row `meta:visits`."""

    on: bool = False  # pages that are recorded get a row
    unvisited: bytes | None = None  # URL hash up to which older pages have got one; None = all have
    levels: dict[int, int] = field(default_factory=dict)  # level of a rate -> pages


class Again(Row):
    """A page whose time has come, with what a request for it needs."""

    key: bytes  # of its row in `again`
    waiting: WaitingUrl
    visit: VisitRecord
    page: PageRecord
    place: tuple[int, int] | None = None  # directory and number of the body that it had; None: it had none

    @property
    def number(self) -> int:
        """The page's number."""
        return int.from_bytes(self.key[-8:], "big")


class AgainRead(Struct):
    """Pages to be read ahead for a host."""

    host: int
    after: bytes  # key in `again` up to which they are known
    count: int
    asked_only: bool  # those alone that somebody has asked for


class Unvisited(Row):
    """A page that has no row yet."""

    number: int
    hash: bytes
    host: int
    page: PageRecord


class VisitsStart(Struct):
    """What there is to be visited when visits are switched on or off."""

    unvisited: bytes | None  # as in `VisitsState`
    next_due: float | None  # unix time at which the next page is due
    due: int  # pages whose time has come
    levels: dict[int, int]


class Visits:
    """The tables `visits`, `due` and `again`."""

    def __init__(self, transaction: Transaction, pages: Pages, hosts: Hosts) -> None:
        """Read and write within a transaction."""
        self._transaction = transaction
        self._hosts = hosts
        self._pages = pages
        self._state: VisitsState | None = None  # belongs to the open transaction
        self._is_kept = False  # the store has a row of it
        self.touched: dict[int, bytes] = {}  # host -> lowest key that came into `again` since `take_touched`

    @property
    def state(self) -> VisitsState:
        """The state row, to be changed in place."""
        if self._state is None:
            row = self._transaction.get("meta", _ROW)
            self._is_kept = row is not None
            self._state = VisitsState() if row is None else decode(VisitsState, row)
        return self._state

    def write(self) -> None:
        """Write what is kept in memory."""
        if self._state is not None and (self._state.on or self._state.levels or self._is_kept):
            self._transaction.put("meta", _ROW, encode(self._state))
            self._is_kept = True

    def forget(self) -> None:
        """The transaction was aborted: forget what belonged to it."""
        self._state = None
        self.touched.clear()

    def take_touched(self) -> dict[int, bytes]:
        """Hosts of which pages have become due since the last call, each with the first of their keys."""
        touched, self.touched = self.touched, {}
        return touched

    # rows

    def get(self, key: bytes) -> VisitRecord | None:
        """The row of a page, by the key of its number."""
        row = self._transaction.get("visits", key)
        return None if row is None else decode(VisitRecord, row)

    def begin(self, number: int, visit: VisitRecord) -> None:
        """Give a page its first row, or a new one."""
        self.drop(number_key(number))
        self.put(number_key(number), visit)

    def put(self, key: bytes, visit: VisitRecord) -> None:
        """Let a page that is in neither table be visited at the time that its row says."""
        self._transaction.put("visits", key, encode(visit))
        self._transaction.put("due", due_key_of(visit, key), b"")
        self._count(visit, 1)

    def take(self, again: bytes) -> VisitRecord | None:
        """Take out a page whose visit has ended, by its key in `again`; None where it is not there."""
        if not self._transaction.delete("again", again):
            return None
        visit = self.get(again[-8:])
        if visit is not None:
            self._count(visit, -1)
        return visit

    def drop(self, key: bytes) -> None:
        """A page is not to be visited again."""
        visit = self.get(key)
        if visit is not None:
            self._unfile(key, visit)
            self._transaction.delete("visits", key)
            self._count(visit, -1)

    def _unfile(self, key: bytes, visit: VisitRecord) -> None:
        if not self._transaction.delete("due", due_key_of(visit, key)):
            self._transaction.delete("again", again_key(visit, key))

    def _count(self, visit: VisitRecord, amount: int) -> None:
        levels = self.state.levels
        count = levels.get(visit.level, 0) + amount
        if count:
            levels[visit.level] = count
        else:
            levels.pop(visit.level, None)

    # times

    def ask(self, key: bytes, visit: VisitRecord) -> None:
        """Let a page be visited as soon as its host may be asked, before all that are due by themselves."""
        self.drop(key)
        visit.due = 0.0
        self._transaction.put("visits", key, encode(visit))
        self._count(visit, 1)
        self._put_again(key, visit)

    def ask_for(self, url_hash: bytes, key: bytes) -> bool:
        """Let a page be visited as soon as may be, one without a row, too; False where it is none."""
        page = self._pages.get(key)
        visit = self.get(key)
        if page is None or not is_visited(page, visit):
            return False
        if (
            visit is not None
            and self.state.on
            and self._transaction.get("again", again_key(visit, key)) is not None
        ):
            return True  # its time has come, and it may be in flight
        if visit is None:
            host = self._hosts.id_of(host_key(page.url))
            visit = VisitRecord(url_hash, host, 0.0, page.fetched_at)
        self.ask(key, visit)
        return True

    def bring_forward(self, key: bytes, visit: VisitRecord, at: float) -> None:
        """Let a page be visited earlier than its row says; only where its time has not come."""
        if at < visit.due and self._transaction.delete("due", due_key_of(visit, key)):
            visit.due = at
            self._transaction.put("visits", key, encode(visit))
            self._transaction.put("due", _time(at) + key, b"")

    def wake(self, now: float, most: int) -> float | None:
        """Move up to so many pages whose time has come to their hosts; the unix time of the next, or None."""
        limit = _time(now)
        with self._transaction.cursor("due") as cursor:
            while cursor.first():
                key = cursor.key()
                if key[:8] > limit or most <= 0:
                    return int.from_bytes(key[:8], "big") / 1000
                most -= 1
                cursor.delete()
                visit = self.get(key[8:])
                if visit is not None:
                    self._put_again(key[8:], visit)
        return None

    def _put_again(self, key: bytes, visit: VisitRecord) -> None:
        again = again_key(visit, key)
        self._transaction.put("again", again, b"")
        lowest = self.touched.get(visit.host)
        if lowest is None or again < lowest:
            self.touched[visit.host] = again

    # reading

    @property
    def due(self) -> int:
        """How many pages there are whose time has come."""
        return self._transaction.entries("again")

    def next_due(self) -> float | None:
        """Unix time at which the next page is due, those apart whose time has come; None where none is."""
        with self._transaction.cursor("due") as cursor:
            return int.from_bytes(cursor.key()[:8], "big") / 1000 if cursor.first() else None

    def read(self, read: AgainRead) -> list[Again]:
        """The next pages of a host whose time has come."""
        prefix = host_key_bytes(read.host)
        last = prefix + (bytes(8) if read.asked_only else b"\xff" * 8) + b"\xff" * 8
        found: list[Again] = []
        lost: list[bytes] = []
        with self._transaction.cursor("again") as cursor:
            here = cursor.set_range(read.after + b"\0" if read.after else prefix)
            while here and len(found) < read.count and cursor.key() <= last:
                again = self._again(cursor.key())
                if again is not None:
                    found.append(again)
                else:
                    lost.append(cursor.key()[-8:])
                here = cursor.next()
        for key in lost:
            self.drop(key)
        return found

    def _again(self, key: bytes) -> Again | None:
        visit, page = self.get(key[-8:]), self._pages.get(key[-8:])
        if visit is None or page is None or not is_visited(page, visit):
            return None  # such as one that waits to be fetched as if for the first time
        waiting = WaitingUrl(page.url, visit.hash, page.depth, referrer=page.referrer, lastmod=page.lastmod)
        if page.kind is OutcomeKind.SITEMAP:
            waiting.kind = "sitemap"
        return Again(key, waiting, visit, page, self._place(page))

    def _place(self, page: PageRecord) -> tuple[int, int] | None:
        """Where the body lies that a page still has, or shares with another."""
        if page.kind is OutcomeKind.STORED:
            return page.directory, page.number
        first = self._pages.first_with(page.digest) if page.kind is OutcomeKind.DUPLICATE else None
        return None if first is None else (first.directory, first.number)

    def hosts(self, after: int, count: int, *, asked_only: bool) -> list[int]:
        """Numbers of hosts with pages whose time has come, from the one behind `after` on."""
        hosts: list[int] = []
        with self._transaction.cursor("again") as cursor:
            here = cursor.set_range(host_key_bytes(after + 1))
            while here and len(hosts) < count:
                host = host_of(cursor.key())
                if not asked_only or cursor.key()[HOST_ID_BYTES:-8] == bytes(8):
                    hosts.append(host)
                here = cursor.set_range(host_key_bytes(host + 1))
        return hosts

    def unvisited(self, after: bytes, count: int) -> tuple[list[Unvisited], bytes | None]:
        """Of the next pages by URL hash, those without a row; and where to go on, None at the end."""
        found: list[Unvisited] = []
        with self._transaction.cursor("page_of") as cursor:
            here = cursor.set_range(after + b"\0" if after else b"\0")
            for _ in range(count):
                if not here:
                    return found, None
                after, key = cursor.key(), cursor.value()
                page = self._pages.get(key) if self._transaction.get("visits", key) is None else None
                if page is not None and page.kind in VISITED:
                    host = self._hosts.id_of(host_key(page.url))
                    found.append(Unvisited(int.from_bytes(key, "big"), after, host, page))
                here = cursor.next()
        return found, after

    def schedule(self, visits: Sequence[tuple[int, VisitRecord]], up_to: bytes | None) -> None:
        """Give older pages their rows, those of the URL hashes up to the one given."""
        for number, visit in visits:
            page = self._pages.get(number_key(number))
            if page is not None and page.kind in VISITED and self.get(number_key(number)) is None:
                self.put(number_key(number), visit)
        self.state.unvisited = up_to


def is_visited(page: PageRecord, visit: VisitRecord | None) -> bool:
    """Whether a page may be visited again: it is one, or was one when it was visited before."""
    return page.kind in VISITED or (
        visit is not None and (visit.gone > 0 or page.kind is OutcomeKind.SKIPPED)
    )


def again_key(visit: VisitRecord, key: bytes) -> bytes:
    """Key in `again` of a page."""
    return host_key_bytes(visit.host) + _time(visit.due) + key


def due_key_of(visit: VisitRecord, key: bytes) -> bytes:
    """Key in `due` of a page."""
    return _time(visit.due) + key


def _time(at: float) -> bytes:
    return max(0, int(at * 1000)).to_bytes(8, "big")
