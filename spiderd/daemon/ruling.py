"""`spiderd why URL`: which rule decides about a URL, and what is known of it."""

from __future__ import annotations

import time

from msgspec import Struct

from spiderd.config import Config
from spiderd.coordinator.coordinator import Coordinator
from spiderd.daemon.intake import REASONS
from spiderd.protocol import Why
from spiderd.robots.policy import RobotsRecord, robots_of
from spiderd.schedule.politeness import HostState, may_ask_at, standing
from spiderd.states import OutcomeKind, Queue
from spiderd.store.ledger import Ledger
from spiderd.store.records import PageRecord, decode
from spiderd.store.thread import StoreThread
from spiderd.urls import ScopeRules, host_key, key_hash, normalize, origin, seen_key


class _Known(Struct):
    """What the store knows."""

    seen: bool
    page: PageRecord | None
    robots: RobotsRecord | None
    state: HostState | None


async def why(url: str, config: Config, coordinator: Coordinator, store: StoreThread) -> Why | None:
    """Tell what decides about a URL; None where it is no http(s) URL."""
    target = normalize(url)
    if target is None:
        return None
    key = seen_key(target, config.urls)
    url_hash = key_hash(key)
    known = await store.call(_look_up, url_hash, origin(target), host_key(target))
    now = time.time()
    reason = ScopeRules(config, coordinator.seeds).decide(target, 0)
    allowed, line = _robots(known.robots, target, config)
    state, held = standing(known.state, now, config.politeness) if known.state else ("", "")
    page = known.page
    return Why(
        url=target,
        key=url_hash.hex(),
        allowed=not reason and allowed,
        scope=REASONS.get(reason, reason) if reason else "in scope",
        robots=line,
        queue=_queue(known, in_hand=coordinator.desk.book.holds(url_hash)),
        tries=page.tries if page else 0,
        failure=page.failure if page else "",
        host=host_key(target),
        host_state=f"{state}: {held}" if held else state,
        next_allowed=max(0.0, may_ask_at(known.state)) if known.state else 0.0,
    )


def _look_up(ledger: Ledger, url_hash: bytes, of: str, host: str) -> _Known:
    robots = ledger.get("robots", of.encode())
    number = ledger.get("host_ids", host.encode())
    state = ledger.get("politeness", number) if number else None
    return _Known(
        ledger.frontier.is_seen(url_hash),
        ledger.pages.of(url_hash),
        decode(RobotsRecord, robots) if robots else None,
        decode(HostState, state) if state else None,
    )


def _robots(record: RobotsRecord | None, url: str, config: Config) -> tuple[bool, str]:
    if not config.politeness.robots or record is None:
        return True, ""
    if record.kind == "disallow_all":
        return False, record.why
    ruling = robots_of(record).allowed(url)
    return ruling.allowed, f"line {ruling.number}: {ruling.line}" if ruling.number else ruling.line


def _queue(known: _Known, *, in_hand: bool) -> str:
    if in_hand:
        return Queue.PROCESSING
    if known.page is not None:
        return Queue.ERROR if known.page.kind is OutcomeKind.FAILED else Queue.COMPLETE
    return Queue.WAITING if known.seen else ""
