"""The crawl as the API sees it: answers from memory where a screen asks often, from the store otherwise."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

import spiderd
from spiderd.api.crawl import ListQuery
from spiderd.archive.directory import directory_path
from spiderd.config import Config
from spiderd.coordinator.coordinator import Coordinator
from spiderd.daemon import intake
from spiderd.daemon.happenings import Happenings
from spiderd.daemon.indexing import Searching
from spiderd.daemon.rates import RateMeter
from spiderd.daemon.ruling import why
from spiderd.errors import UsageError
from spiderd.protocol import (
    API_VERSION,
    Added,
    Counters,
    Directories,
    DirectoryRow,
    ErrorRow,
    Errors,
    Events,
    Hello,
    HostRow,
    Hosts,
    IndexState,
    PageReply,
    Retried,
    SearchReply,
    Snapshot,
    StateReply,
    Why,
    WorkerRow,
    Workers,
)
from spiderd.schedule.politeness import delay_of, may_ask_at, standing
from spiderd.schedule.workbench import HostQueue
from spiderd.states import PASSING, CrawlState, Reason, Step
from spiderd.store import lists
from spiderd.store.commands import add_seeds, retry_errors, set_paused
from spiderd.store.records import DirectoryRecord, HostRecord, PageRecord
from spiderd.store.step import copy_of
from spiderd.store.thread import StoreThread

Row = TypeVar("Row", bound=Struct)

STOP_GRACE = 10.0  # seconds that requests in flight are given


class Steering:
    """Implements what the API needs of a crawl (`spiderd.api.crawl.Crawl`)."""

    def __init__(
        self,
        config: Config,
        data_dir: Path,
        crawl: str,
        coordinator: Coordinator,
        store: StoreThread,
        happenings: Happenings,
    ) -> None:
        self._config = config
        self._data_dir = data_dir
        self._crawl = crawl
        self._coordinator = coordinator
        self._store = store
        self._happenings = happenings
        self._started = time.time()
        self._open: dict[int, tuple[int, DirectoryRecord]] = {}  # worker -> its directory
        self._directories = 0
        self.rates = RateMeter()
        self.searching = Searching(config)
        self.stop_asked: Callable[[], None] = lambda: coordinator.stop(Reason.USER, grace=STOP_GRACE)

    # the picture

    def hello(self) -> Hello:
        """Say who is there."""
        return Hello(
            api=API_VERSION,
            version=spiderd.__version__,
            pid=os.getpid(),
            crawl=self._crawl,
            started=self._started,
            data_dir=str(self._data_dir),
            rights="read",
        )

    def counters(self) -> Counters:
        """Counters of the last turn; what is in flight counts as processing, not as waiting."""
        counters = copy_of(self._coordinator.desk.counters)
        counters.processing = min(self._coordinator.desk.book.pages, counters.waiting)
        counters.waiting -= counters.processing
        return counters

    def snapshot(self) -> Snapshot:
        """Describe the crawl as it is now."""
        lifecycle, config = self._coordinator.lifecycle, self._config
        return Snapshot(
            now=time.time(),
            state=lifecycle.state,
            reason=lifecycle.reason,
            message=lifecycle.message,
            since=lifecycle.since,
            hello=self.hello(),
            counters=self.counters(),
            rates=self.rates.rates(),
            workers=self._worker_rows(),
            directories=[self._directory_row(n, r) for _, (n, r) in sorted(self._open.items())],
            directories_total=self._directories,
            last_event=self._happenings.ring.last,
            order=config.crawl.order,
            threads=config.crawl.threads,
            max_pages=config.crawl.max_pages,
            index=self.searching.state,
        )

    async def refresh_directories(self) -> None:
        """Look the open directories up in the store; once a second is often enough."""
        rows = await self._store.call(lists.directories)
        self._directories = len(rows)
        self._open = {row.worker: (number, row) for number, row in rows if row.open}

    def _worker_rows(self) -> list[WorkerRow]:
        coordinator = self._coordinator
        rows = []
        for worker in range(self._config.crawl.threads):
            state = coordinator.workers.get(worker)
            pages, errors = coordinator.tallies.get(worker, (0, 0))
            rows.append(
                WorkerRow(
                    worker=worker,
                    step=state.step if state is not None else Step.IDLE,
                    since=state.since if state is not None else self._started,
                    url=state.url if state is not None else "",
                    directory=self._open[worker][0] if worker in self._open else 0,
                    pages=pages,
                    errors=errors,
                )
            )
        return rows

    def _directory_row(self, number: int, record: DirectoryRecord) -> DirectoryRow:
        return DirectoryRow(
            directory=number,
            worker=record.worker,
            count=record.count,
            max_count=self._config.archive.max_count,
            bytes=record.bytes,
            open=record.open,
            path=str(directory_path(self._data_dir / "pages", number)),
        )

    # lists

    async def workers(self, query: ListQuery) -> Workers:
        """List the workers."""
        rows, total = _part(self._worker_rows(), query, lambda row: row.url)
        return Workers(rows=rows, total=total, offset=query.offset, limit=query.limit)

    async def directories(self, query: ListQuery) -> Directories:
        """List the download directories."""
        found = await self._store.call(lists.directories)
        rows, total = _part([self._directory_row(n, r) for n, r in found], query, lambda row: row.path)
        return Directories(rows=rows, total=total, offset=query.offset, limit=query.limit)

    async def hosts(self, query: ListQuery) -> Hosts:
        """List the host queues, those with the most waiting URLs first unless another order is asked for."""
        found = await self._store.call(lists.hosts)
        now = time.time()
        rows = [self._host_row(number, record, now) for number, record in found]
        rows.sort(key=lambda row: -row.waiting)
        part, total = _part(rows, query, lambda row: row.host)
        return Hosts(rows=part, total=total, offset=query.offset, limit=query.limit)

    def _host_row(self, number: int, record: HostRecord, now: float) -> HostRow:
        host = self._coordinator.desk.bench.hosts.get(number)
        row = HostRow(
            host=record.key,
            state="ready" if record.waiting else "done",
            waiting=record.waiting,
            processing=0,
            complete=record.complete,
            error=record.error,
            delay=self._config.politeness.delay,
            next_allowed=0.0,
            robots="",
            last_status=0,
        )
        return row if host is None else self._live(row, host, now)

    def _live(self, row: HostRow, host: HostQueue, now: float) -> HostRow:
        rules = self._config.politeness
        state, reason = standing(host.state, now, rules)
        row.processing = min(host.in_flight, row.waiting)
        row.waiting -= row.processing
        row.delay = delay_of(host.state, rules)
        at = may_ask_at(host.state)
        row.next_allowed = at if at > now else 0.0
        row.last_status = host.state.last_status
        row.robots = _robots_word(host)
        row.reason = reason
        if host.awaiting_robots:
            row.state = "robots"
        elif host.in_flight:
            row.state = "fetching"
        elif row.waiting or state not in ("ready", "delayed"):
            row.state = state
        return row

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

    async def events(self, since: int, wait: float, level: str) -> Events:
        """Answer the events after an id."""
        return await self._happenings.ring.read(since, wait, level)

    # control

    async def add(self, urls: list[str]) -> Added:
        """Put URLs into the frontier as seeds."""
        candidates = intake.examine(urls, self._config)
        good = [candidate.url for candidate in candidates if candidate.url]
        new: list[bool] = []
        if good:
            auth = intake.auth_of(candidates)
            new = await self._store.change(add_seeds, intake.found(candidates), good, auth)
            self._coordinator.reseed(good, auth)
        return _added(candidates, new)

    async def check(self, urls: list[str]) -> Added:
        """Say what `add` would answer."""
        candidates = intake.examine(urls, self._config)
        hashes = [candidate.hash for candidate in candidates if candidate.url]
        seen = await self._store.call(lists.seen, hashes)
        return _added(candidates, [not known for known in seen])

    async def pause(self) -> StateReply:
        """Give out no more leases; the crawl stays paused across restarts."""
        await self._store.change(set_paused, paused=True)
        self._coordinator.pause(Reason.USER)
        return self._state()

    async def resume(self) -> StateReply:
        """Go on after a pause."""
        await self._store.change(set_paused, paused=False)
        self._coordinator.resume()
        return self._state()

    async def stop(self) -> StateReply:
        """Begin to stop the daemon."""
        self.stop_asked()
        return self._state()

    async def retry(self) -> StateReply:
        """Put back those of the error queue whose failure may pass."""
        count = await self._store.change(retry_errors, _may_pass)
        if count:
            self._coordinator.reseed(())
        state = self._state()
        return Retried(state=state.state, reason=state.reason, urls=count)

    async def why(self, url: str) -> Why:
        """Tell which rule decides about a URL.

        Raises:
            UsageError: it is no http(s) URL.
        """
        answer = await why(url, self._config, self._coordinator, self._store)
        if answer is None:
            raise UsageError(f"{url} is not an http(s) URL.")
        return answer

    # the search

    async def search(self, query: str, page: int, limit: int) -> SearchReply:
        """Answer one page of results."""
        return await self.searching.search(query, page, limit)

    async def page(self, number: int, url: str) -> PageReply:
        """Tell what is kept of a page."""
        return await self.searching.page(number, url)

    async def reindex(self) -> IndexState:
        """Begin to build the search index anew."""
        return await self.searching.reindex()

    def _state(self) -> StateReply:
        lifecycle = self._coordinator.lifecycle
        return StateReply(state=lifecycle.state, reason=lifecycle.reason)

    @property
    def is_complete(self) -> bool:
        """Whether the crawl is complete."""
        return self._coordinator.lifecycle.state is CrawlState.COMPLETE


def _added(candidates: Sequence[intake.Candidate], new: Sequence[bool]) -> Added:
    told = intake.results(candidates, new)
    count = {kind: sum(row.result == kind for row in told) for kind in ("new", "known", "refused")}
    return Added(new=count["new"], known=count["known"], refused=count["refused"], results=told)


def _part(rows: list[Row], query: ListQuery, text: Callable[[Row], str]) -> tuple[list[Row], int]:
    """The rows that pass the filter, sorted and cut; and how many passed."""
    if query.filter:
        wanted = query.filter.lower()
        rows = [row for row in rows if wanted in text(row).lower()]
    if query.sort:
        rows.sort(key=lambda row: _sortable(getattr(row, query.sort)), reverse=query.desc)
    return rows[query.offset : query.offset + query.limit], len(rows)


def _sortable(value: object) -> tuple[float, str]:
    return (float(value), "") if isinstance(value, int | float) else (0.0, str(value))


def _robots_word(host: HostQueue) -> str:
    kinds = {known.record.kind for known in host.robots.values()}
    if "disallow_all" in kinds:
        return "unreachable"
    if "rules" in kinds:
        return "ok"
    return "none" if kinds else ""


def _may_pass(page: PageRecord) -> bool:
    return page.failure in PASSING or page.failure == "host_unreachable"
