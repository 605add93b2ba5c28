"""When a host may be asked again: pure decisions over (now, what is known of the host, configuration).

A host has one `HostState`, which the store keeps. Three things move the time of its next request:

- the *delay* between two requests, counted from the start of one to the start of the next: the greatest of
  what the user configured, what robots.txt asks for, a multiple of the host's smoothed latency (a host that
  gets slower is asked less; not where the user wrote delay "0s") and what is left of a back-off. `max_delay`
  caps all but the configured delay and the Crawl-delay: what the site itself asks for is obeyed (up to a
  day), and where that is more than `max_delay` the host is shown as parked between requests, with the reason;
- a *hold* after 429 or 503: as long as Retry-After says, else exponential with a jitter that is a hash of
  the host's name (deterministic, but hosts behind one failing machine do not come back together). A hold of
  more than an hour parks the host;
- a *hold* after three connection-level failures in a row: one minute, doubling up to six hours.

A host that was held comes back carefully: one connection, and a delay that starts at the length of the hold
and halves with each success. Answers to requests that were on their way when a hold began come in during
it; they neither lengthen it by another step (three requests in flight that all end in 429 are one event)
nor end it.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal

from msgspec import Struct

from spiderd.config.declaration import Politeness
from spiderd.messages import Outcome
from spiderd.states import Failure
from spiderd.units import human_duration

Hold = Literal["", "backoff", "parked", "unreachable"]
Standing = Literal["ready", "delayed", "backoff", "parked", "unreachable"]

SMOOTHING = 0.3  # weight of the newest latency in the average
BACKOFF_FIRST = 10.0  # seconds after the first 429 or 503 without a usable Retry-After
BACKOFF_LAST = 3600.0
JITTER = 0.25  # a back-off is that much shorter or longer, by a hash of the host
PARK_AFTER = 3600.0  # a Retry-After farther away than this parks the host
FOREVER = 10 * 365 * 86400.0  # no Retry-After is read as more than this
MAX_CRAWL_DELAY = 86400.0  # a Crawl-delay of more than a day means a day
RECOVERED = 0.05  # seconds of extra delay that are no longer worth halving
FAILURES_ALLOWED = 3  # connection-level failures in a row that make a host unreachable
UNREACHABLE_FIRST = 60.0
UNREACHABLE_LAST = 6 * 3600.0

THROTTLES_ALLOWED = 10  # back-offs in a row, nearly three hours of them, after which a host is given up

UNREACHING: frozenset[Failure] = frozenset(
    {
        Failure.DNS_TEMPORARY,
        Failure.DNS_NO_SUCH_NAME,
        Failure.CONNECT_REFUSED,
        Failure.CONNECT_TIMEOUT,
        Failure.CONNECT_FAILED,
        Failure.TLS_FAILED,
    }
)
"""Failures that say something of the host, not of the URL."""


class HostState(Struct, array_like=True, gc=False):
    """What is remembered of one host; times are unix seconds, durations seconds."""

    host: str = ""  # its name, for sentences and for the jitter
    next_allowed: float = 0.0  # by the delay
    held_until: float = 0.0  # by a hold
    hold: Hold = ""  # stays after `held_until`, until an answer ends it
    hold_reason: str = ""
    latency: float = 0.0  # smoothed; 0 = not known
    crawl_delay: float = 0.0  # of robots.txt; 0 = none
    penalty: float = 0.0  # extra delay that a back-off has left behind
    throttles: int = 0  # 429 and 503 since the host was last well
    unreachable: int = 0  # connection-level failures in a row
    last_status: int = 0


def delay_of(state: HostState, rules: Politeness) -> float:
    """Return the seconds between two requests to the host."""
    adaptive = state.penalty
    if rules.delay > 0:
        adaptive = max(adaptive, rules.latency_factor * state.latency)
    return max(rules.delay, _crawl_delay(state, rules), min(adaptive, rules.max_delay))


def _crawl_delay(state: HostState, rules: Politeness) -> float:
    return min(state.crawl_delay, MAX_CRAWL_DELAY) if rules.robots else 0.0


def may_ask_at(state: HostState) -> float:
    """Return the earliest unix time of the next request; a time that is past means now."""
    return max(state.next_allowed, state.held_until)


def asked(state: HostState, now: float, rules: Politeness) -> None:
    """Note that a request to the host is being handed out."""
    state.next_allowed = now + delay_of(state, rules)


def rules_changed(state: HostState, before: Politeness, after: Politeness, now: float) -> None:
    """Let the delay after the last request to the host be what the new rules make of it."""
    if state.next_allowed:
        asked_at = min(state.next_allowed - delay_of(state, before), now)
        state.next_allowed = asked_at + delay_of(state, after)


def connections_of(state: HostState, rules: Politeness) -> int:
    """Return how many connections the host may have: one while held or recovering, or with a Crawl-delay."""
    careful = state.hold or state.penalty or state.unreachable or _crawl_delay(state, rules)
    return 1 if careful else rules.per_host


def standing(state: HostState, now: float, rules: Politeness) -> tuple[Standing, str]:
    """Return how the host is to be shown, and why; hosts without work are the caller's business."""
    if state.hold and now < state.held_until:
        return state.hold, state.hold_reason
    if now >= state.next_allowed:
        return "ready", ""
    asks = _crawl_delay(state, rules)
    if asks > max(rules.max_delay, rules.delay):
        return "parked", f"robots.txt asks for {human_duration(asks)} between requests"
    return "delayed", state.hold_reason if state.penalty else ""


def robots_asks(state: HostState, crawl_delay: float, rules: Politeness) -> list[str]:
    """Note the Crawl-delay of robots.txt (0 = none); returns a sentence where it is above `max_delay`."""
    changed = crawl_delay != state.crawl_delay
    state.crawl_delay = crawl_delay
    asks = _crawl_delay(state, rules)
    if not changed or asks <= max(rules.max_delay, rules.delay):
        return []
    return [f"{state.host} asks for {human_duration(asks)} between requests (robots.txt); parked in between"]


def answered(state: HostState, outcome: Outcome, now: float, rules: Politeness) -> list[str]:
    """Take in how a request to the host ended.

    Returns:
        Sentences for the log: the host backs off, is parked, is unreachable, has recovered.
    """
    if outcome.status:
        state.last_status = outcome.status
    if outcome.failure is Failure.THROTTLED or outcome.status in (429, 503):
        return _throttled(state, outcome, now, rules)
    if outcome.failure in UNREACHING:
        return _unreached(state, outcome, now)
    sample = outcome.latency or (0.0 if outcome.status else outcome.elapsed)
    if sample > 0:
        state.latency += (sample - state.latency) * (SMOOTHING if state.latency else 1.0)
    return _reached(state, now) if outcome.status else []


def given_up(state: HostState, retries: int) -> bool:
    """Tell whether waiting for the host any longer would keep a crawl from its end.

    A host that is unreachable gets as many pauses as a URL gets retries, one that has never answered as many
    tries as a URL gets, and one that does nothing but refuse `THROTTLES_ALLOWED` back-offs. What waits for a
    host that is given up belongs in the error queue; the host keeps its pause, so that URLs found or put back
    later ask it no more often than that allows.
    """
    most = FAILURES_ALLOWED + retries if state.last_status else max(FAILURES_ALLOWED, 1 + retries)
    return state.unreachable >= most or state.throttles >= THROTTLES_ALLOWED


def release(state: HostState) -> None:
    """Lift a hold at somebody's request; the host still comes back carefully."""
    state.held_until = state.next_allowed = 0.0
    state.hold, state.hold_reason = "", ""


def _throttled(state: HostState, outcome: Outcome, now: float, rules: Politeness) -> list[str]:
    state.unreachable = 0
    asked_for = retry_after(outcome.retry_after, now)
    within = now < state.held_until and state.hold in ("backoff", "parked")
    if within and (asked_for is None or now + asked_for <= state.held_until):
        return []
    if not within:
        state.throttles += 1
    wait = _backoff(state) if asked_for is None else asked_for
    state.held_until = now + wait
    state.penalty = max(state.penalty, min(wait, rules.max_delay))
    status = outcome.status or "a refusal"
    if wait > PARK_AFTER:
        state.hold, state.hold_reason = "parked", f"{status}, Retry-After in {human_duration(wait)}"
        return [f"{state.host} is parked until {_clock(state.held_until)} after {status} (Retry-After)"]
    said = ", as it asked" if asked_for is not None else ""
    state.hold, state.hold_reason = "backoff", f"{status}{said}"
    return [f"{state.host} backs off {human_duration(wait)} after {status}{said}"]


def _unreached(state: HostState, outcome: Outcome, now: float) -> list[str]:
    if now < state.held_until and state.hold == "unreachable":
        return []
    state.unreachable += 1
    if state.unreachable < FAILURES_ALLOWED:
        return []
    steps = min(state.unreachable - FAILURES_ALLOWED, 16)
    wait = min(UNREACHABLE_FIRST * 2.0**steps, UNREACHABLE_LAST)
    state.held_until = max(state.held_until, now + wait)
    state.hold, state.hold_reason = "unreachable", f"{outcome.failure}, {state.unreachable} in a row"
    return [f"{state.host} is unreachable ({outcome.failure}), asked again in {human_duration(wait)}"]


def _reached(state: HostState, now: float) -> list[str]:
    """The host answered: what was wrong with it gets better, at once or step by step."""
    if state.hold == "unreachable":
        state.hold, state.hold_reason, state.held_until = "", "", 0.0
        state.unreachable = 0
        return [f"{state.host} is reachable again"]
    state.unreachable = 0
    if now < state.held_until or not (state.hold or state.penalty or state.throttles):
        return []
    state.hold = ""
    state.penalty /= 2
    if state.penalty >= RECOVERED:
        return []
    state.penalty, state.throttles, state.hold_reason = 0.0, 0, ""
    return [f"{state.host} has recovered"]


def _backoff(state: HostState) -> float:
    """Return the next step of the exponential back-off, with jitter."""
    step = min(BACKOFF_FIRST * 2.0 ** min(state.throttles - 1, 16), BACKOFF_LAST)
    seed = f"{state.host} {state.throttles}".encode()
    chance = hashlib.blake2b(seed, digest_size=4).digest()
    return step * (1.0 + JITTER * (int.from_bytes(chance) / 2.0**31 - 1.0))


def retry_after(value: str, now: float) -> float | None:
    """Read a Retry-After header (RFC 9110 10.2.3).

    Returns:
        Seconds from now; None where it is absent, garbage, or names no time in the future.
    """
    text = value.strip()
    if text.isascii() and text.isdigit():
        wait = FOREVER if len(text) > 10 else float(text)
    else:
        try:
            moment = parsedate_to_datetime(text)
        except (ValueError, TypeError, IndexError, OverflowError):
            return None
        wait = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() - now
    return min(wait, FOREVER) if wait > 0 else None


def _clock(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M UTC")
