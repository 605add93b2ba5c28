"""The lists that the API answers, a part at a time.

Hosts may be many. The store is asked for them in pieces, so that the crawl goes on in between, and of each
piece only what can come into the answer is kept; rows are made for the answer alone. What a host does now is
known for those on the workbench; of the others the store has the state they were left in.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from msgspec import Struct

from spiderd.api.crawl import ListQuery
from spiderd.coordinator.coordinator import Coordinator
from spiderd.daemon.picture import Picture
from spiderd.daemon.settings import LiveSettings
from spiderd.protocol import (
    Directories,
    ErrorRow,
    Errors,
    HostRow,
    Hosts,
    TrapRow,
    Traps,
    Workers,
)
from spiderd.schedule.politeness import HostState, delay_of, may_ask_at, standing
from spiderd.schedule.workbench import HostQueue
from spiderd.store import lists
from spiderd.store.records import HostRecord, decode
from spiderd.store.thread import StoreThread
from spiderd.urls import display_host

Row = TypeVar("Row", bound=Struct)
Item = TypeVar("Item")
Host = tuple[int, HostRecord]

PIECE = 4000  # hosts that the store is asked for at a time: some milliseconds

_STORED = frozenset({"host", "complete", "error"})
"""Fields of a host's row that the store knows; by these no row needs to be made to sort."""


class Listing:
    """Answers lists."""

    def __init__(
        self, settings: LiveSettings, coordinator: Coordinator, store: StoreThread, picture: Picture
    ) -> None:
        self._settings = settings
        self._coordinator = coordinator
        self._store = store
        self._picture = picture

    async def workers(self, query: ListQuery) -> Workers:
        """List the workers."""
        rows, total = part(self._picture.workers(), query, lambda row: row.url)
        return Workers(rows=rows, total=total, offset=query.offset, limit=query.limit)

    async def directories(self, query: ListQuery) -> Directories:
        """List the download directories."""
        found = await self._store.call(lists.directories)
        rows, total = part([self._picture.directory(n, r) for n, r in found], query, lambda row: row.path)
        return Directories(rows=rows, total=total, offset=query.offset, limit=query.limit)

    async def errors(self, query: ListQuery) -> Errors:
        """List the error queue, newest first."""
        total, found = await self._store.call(
            lists.errors, contains=query.filter.lower(), offset=query.offset, limit=query.limit
        )
        rows = [
            ErrorRow(
                url=failed.page.url,
                failure=failed.page.failure,
                status=failed.page.status,
                detail=failed.error.detail,
                tries=failed.error.tries,
                at=failed.page.fetched_at,
                referrer=failed.referrer,
            )
            for failed in found
        ]
        if query.sort:
            rows.sort(key=lambda row: _sortable(getattr(row, query.sort)), reverse=query.desc)
        return Errors(rows=rows, total=total, offset=query.offset, limit=query.limit)

    async def traps(self, query: ListQuery) -> Traps:
        """List the shapes that are parked, those with the most waiting URLs first."""
        rows = [
            TrapRow(
                shape=shape,
                host=shape.partition("/")[0],
                pages=state.pages,
                waiting=state.waiting,
                example=state.example,
            )
            for shape, state in self._coordinator.watch.shapes().items()
        ]
        rows.sort(key=lambda row: -row.waiting)
        rows, total = part(rows, query, lambda row: row.shape)
        outside = self._coordinator.outside.count
        return Traps(rows=rows, total=total, offset=query.offset, limit=query.limit, outside=outside)

    # hosts

    async def hosts(self, query: ListQuery) -> Hosts:
        """List the host queues, those with the most work first unless another order is asked for."""
        now = time.time()
        shown, total = await best_hosts(self._store, query, self._host_key(query.sort, now))
        left = await self._store.call(
            lists.politeness, [number for number, _ in shown if self._live(number) is None]
        )
        rows = [self._host_row(number, record, left.get(number), now) for number, record in shown]
        return Hosts(rows=rows, total=total, offset=query.offset, limit=query.limit)

    async def host(self, key: str) -> HostRow | None:
        """Tell of one host; None where it is not known."""
        found = await self._store.call(lists.host, key)
        if found is None:
            return None
        number, record, left = found
        return self._host_row(number, record, left, time.time())

    def _host_key(self, sort: str, now: float) -> Callable[[Host], Any]:
        """What hosts are sorted by."""
        if not sort:
            return lambda host: host[1].waiting
        if sort in _STORED:
            field = "key" if sort == "host" else sort
            return lambda host: getattr(host[1], field)
        return lambda host: _sortable(getattr(self._host_row(*host, None, now), sort))

    def _live(self, number: int) -> HostQueue | None:
        return self._coordinator.desk.bench.hosts.get(number)

    def _host_row(self, number: int, record: HostRecord, left: bytes | None, now: float) -> HostRow:
        rules = self._settings.running.politeness
        host = self._live(number)
        row = HostRow(
            host=record.key,
            state="ready" if record.waiting else "done",
            waiting=record.waiting,
            processing=0,
            complete=record.complete,
            error=record.error,
            delay=rules.delay,
            next_allowed=0.0,
            robots="",
            last_status=0,
            name=_as_written(record.key),
        )
        state = host.state if host is not None else decode(HostState, left) if left else None
        if state is not None:
            row.delay = delay_of(state, rules)
            at = may_ask_at(state)
            row.next_allowed = at if at > now else 0.0
            row.last_status = state.last_status
            stands, row.reason = standing(state, now, rules)
            if row.waiting or stands not in ("ready", "delayed"):
                row.state = stands
        if host is not None:
            row.processing = min(host.in_flight, row.waiting)
            row.waiting -= row.processing
            row.robots = robots_word(host)
            row.state = "robots" if host.awaiting_robots else "fetching" if host.in_flight else row.state
        return row


async def best_hosts(
    store: StoreThread, query: ListQuery, key: Callable[[Host], Any]
) -> tuple[list[Host], int]:
    """The hosts that are wanted, in order, by default largest first; and how many pass the filter."""
    wanted = query.offset + query.limit
    descending = query.desc if query.sort else True
    best: list[Host] = []
    total, after = 0, 0
    while True:
        piece, after, more = await store.call(lists.hosts, after, PIECE, query.filter.lower())
        total += len(piece)
        best = _first([*best, *piece], wanted, key, descending=descending)
        if not more:
            return best[query.offset :], total


def part(rows: list[Row], query: ListQuery, text: Callable[[Row], str]) -> tuple[list[Row], int]:
    """The rows that pass the filter, sorted and cut; and how many passed."""
    if query.filter:
        wanted = query.filter.lower()
        rows = [row for row in rows if wanted in text(row).lower()]
    if query.sort:
        rows.sort(key=lambda row: _sortable(getattr(row, query.sort)), reverse=query.desc)
    return rows[query.offset : query.offset + query.limit], len(rows)


def robots_word(host: HostQueue) -> str:
    """What is known of a host's robots.txt, in a word."""
    kinds = {known.record.kind for known in host.robots.values()}
    if "disallow_all" in kinds:
        return "unreachable"
    if "rules" in kinds:
        return "ok"
    return "none" if kinds else ""


def _first(items: Iterable[Item], count: int, key: Callable[[Item], Any], *, descending: bool) -> list[Item]:
    """The first so many in order; as `sorted`, without sorting what is not wanted."""
    return (heapq.nlargest if descending else heapq.nsmallest)(count, items, key)


def _as_written(key: str) -> str:
    """A host as people write it, "" where that is its key."""
    shown = display_host(key)
    return "" if shown == key else shown


def _sortable(value: object) -> tuple[float, str]:
    return (float(value), "") if isinstance(value, int | float) else (0.0, str(value))
