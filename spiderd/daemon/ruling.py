"""`spiderd why URL`: which rule decides about a URL, what is known of it, and what will happen to it.

What is on the workbench is asked first, since it is true now; the store has the rest. A URL that waits is
looked up among the first rows of its host, which is where the next ones are.
"""

from __future__ import annotations

import time
from collections.abc import Container
from pathlib import Path

import trio
from msgspec import Struct

from spiderd.archive.reading import place_of
from spiderd.config import Config
from spiderd.coordinator.coordinator import Coordinator
from spiderd.coordinator.outside import KEY as OUTSIDE
from spiderd.coordinator.watch import shape_key
from spiderd.daemon.happenings import Happenings
from spiderd.daemon.listing import Listing
from spiderd.daemon.settings import LiveSettings
from spiderd.daemon.verdict import Facts, summary
from spiderd.daemon.wording import in_scope, in_words
from spiderd.errors import UsageError
from spiderd.protocol import Why
from spiderd.robots.policy import RobotsRecord, robots_of
from spiderd.robots.rules import Robots
from spiderd.schedule.traps import shape_of
from spiderd.states import OutcomeKind, Queue
from spiderd.store import lists
from spiderd.store.ledger import Ledger
from spiderd.store.records import PageRecord, decode, number_key
from spiderd.store.thread import StoreThread
from spiderd.store.visits import VisitRecord
from spiderd.urls import ScopeRules, host_key, key_hash, normalize, origin, seen_key

LOOK_AT = 20_000  # rows of the store in which a waiting URL is looked for; some 20 ms


class _Known(Struct):
    """What the store knows."""

    seen: bool
    page: PageRecord | None
    failed: bool  # it is in the error queue
    detail: str
    waits: lists.Waits | None
    referrer: str
    robots: RobotsRecord | None


class Ruling:
    """Tells why."""

    def __init__(
        self,
        settings: LiveSettings,
        coordinator: Coordinator,
        store: StoreThread,
        happenings: Happenings,
        listing: Listing,
        pages: Path,
    ) -> None:
        self._settings = settings
        self._coordinator = coordinator
        self._store = store
        self._happenings = happenings
        self._listing = listing
        self._pages = pages

    async def why(self, text: str) -> Why:
        """Tell what decides about a URL.

        Raises:
            UsageError: it is no http(s) URL.
        """
        url = normalize(text)
        if url is None:
            raise UsageError(f"{text} is not an http(s) URL.")
        config, now = self._settings.running, time.time()
        url_hash = key_hash(seen_key(url, config.urls))
        leased = {lease.key for lease in self._coordinator.desk.book}
        known = await self._store.call(_look_up, url_hash, url, leased)
        host = await self._listing.host(host_key(url))
        depth = self._depth(known, url)
        rules = await trio.to_thread.run_sync(
            ScopeRules, config, list(self._coordinator.seeds)
        )  # there may be many
        outside, scope = _scope(rules, url, depth, config)
        allowed, line = self._robots(known, url, config)
        facts = Facts(
            url=url,
            host=host,
            crawl=self._coordinator.lifecycle,
            config=config,
            outside=outside,
            robots="" if allowed else line,
            in_hand=self._coordinator.desk.book.holds(url_hash),
            now=now,
        )
        shape = shape_of(url)
        parked = shape if known.waits is not None and known.waits.parked == shape_key(shape) else ""
        answer = Why(
            url=url,
            key=url_hash.hex(),
            allowed=not outside and allowed,
            scope=scope,
            robots=line,
            queue=_queue(known, in_hand=facts.in_hand),
            tries=known.waits.waiting.tries if known.waits else known.page.tries if known.page else 0,
            failure=self._failure(known, url),
            host=host_key(url),
            host_state=host.state if host is not None else "",
            host_reason=host.reason if host is not None else "",
            next_allowed=host.next_allowed if host is not None else 0.0,
            seen=known.seen,
            depth=depth,
            shape=parked,
            next_try=known.waits.due if known.waits else 0.0,
            before=known.waits.before if known.waits else -1,
            detail=known.detail,
            referrer=known.referrer,
        )
        if known.page is not None:
            self._add_page(answer, known.page)
            _add_visits(answer, *await self._store.call(lists.visit, url_hash))
        answer.summary = summary(answer, facts)
        return answer

    def _add_page(self, answer: Why, page: PageRecord) -> None:
        answer.kind, answer.status = page.kind, page.status
        answer.fetched, answer.location = page.fetched_at, page.location
        if page.number:
            answer.path = str(place_of(self._pages, page.directory, page.number))

    def _depth(self, known: _Known, url: str) -> int:
        if known.waits is not None:
            return known.waits.waiting.depth
        if known.page is not None:
            return known.page.depth
        return 0 if self._coordinator.is_seed(url) else -1

    def _robots(self, known: _Known, url: str, config: Config) -> tuple[bool, str]:
        if not config.politeness.robots:
            return True, "not asked for (politeness.robots = false)"
        record, robots = known.robots, None
        for host in self._coordinator.desk.bench.hosts.values():
            if host.key == host_key(url) and (live := host.robots.get(origin(url))) is not None:
                record, robots = live.record, live.robots
        if record is None:
            return True, "not fetched yet"
        if record.kind == "disallow_all":
            return False, f"{record.why}: nothing is asked for until it can be had"
        return _line(robots or robots_of(record, self._coordinator.settling.agent), url)

    def _failure(self, known: _Known, url: str) -> str:
        """Of the last try: kept with a page; of what is tried again, the events tell for a while."""
        if known.waits is not None and known.waits.due:
            for event in reversed(self._happenings.ring.since(0).rows):
                if event.url == url and event.name == "failed":
                    return event.message.partition(":")[0]
            return ""
        return known.page.failure if known.page is not None else ""


def _add_visits(answer: Why, visit: VisitRecord | None, asked_again: bool) -> None:  # noqa: FBT001  # a pair
    if visit is None:
        return
    answer.visits, answer.changes, answer.changed = visit.visits, visit.changes, visit.changed
    answer.changes_every = visit.time / visit.shape if visit.shape > 0 else 0.0
    answer.next_visit, answer.asked_again = visit.due, asked_again


def _look_up(ledger: Ledger, url_hash: bytes, url: str, leased: Container[bytes]) -> _Known:
    page = ledger.pages.of(url_hash)
    number = ledger.get("page_of", url_hash)
    error = ledger.errors.get(number) if number is not None else None
    host, robots = ledger.get("host_ids", host_key(url).encode()), ledger.get("robots", origin(url).encode())
    seen = ledger.frontier.is_seen(url_hash)
    waits = None
    if seen and host is not None and (page is None or page.kind is OutcomeKind.FAILED) and error is None:
        parked = (shape_key(shape_of(url)), OUTSIDE)
        waits = lists.find(ledger, url_hash, int.from_bytes(host, "big"), parked, leased, LOOK_AT)
    came_from = waits.waiting.referrer if waits else page.referrer if page else 0
    referrer = ledger.pages.get(number_key(came_from)) if came_from else None
    return _Known(
        seen,
        page if waits is None else None,
        error is not None,
        error.detail if error is not None else "",
        waits,
        referrer.url if referrer is not None else "",
        decode(RobotsRecord, robots) if robots else None,
    )


def _scope(rules: ScopeRules, url: str, depth: int, config: Config) -> tuple[str, str]:
    """Why it is outside of the scope ("" where it is not), and what to say of the scope."""
    reason = rules.decide_url(url, seed=depth == 0) or ("depth" if rules.too_deep(depth) else "")
    if reason:
        outside = in_words(reason, url, config)
        return outside, outside
    return "", in_scope(url, depth, config)


def _line(robots: Robots, url: str) -> tuple[bool, str]:
    ruling = robots.allowed(url)
    return ruling.allowed, f"line {ruling.number}: {ruling.line}" if ruling.number else ruling.line


def _queue(known: _Known, *, in_hand: bool) -> str:
    if in_hand:
        return Queue.PROCESSING
    if known.failed:
        return Queue.ERROR
    if known.waits is not None:
        return Queue.WAITING
    return Queue.COMPLETE if known.page is not None else ""
