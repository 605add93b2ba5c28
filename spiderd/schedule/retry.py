"""Whether and when a URL that failed is tried again: a table by kind of failure, nothing else.

A try is paid for by the URL only where the failure is the URL's own. What the host as a whole said (429, 503)
and what went wrong on our side (no room on the disk) costs the URL nothing. After a 429 or 503 it goes to the
tail all the same: one page that always answers 503 must not keep the rest of its host from being asked.
"""

from __future__ import annotations

from msgspec import Struct

from spiderd.states import PASSING, Failure

GROWTH = 2.0  # each pause is that many times the one before
LONGEST = 3600.0  # seconds


class Retry(Struct, frozen=True, tag=True):
    """Try again, at the tail of the queue, not before `at` (unix time)."""

    at: float


class GiveUp(Struct, frozen=True, tag=True):
    """The URL goes to the error queue."""


class Requeue(Struct, frozen=True, tag=True):
    """The URL waits again and pays no try; when it is given out is the host's business.

    It keeps its place in the queue, or goes to the tail.
    """

    to_tail: bool


Decision = Retry | GiveUp | Requeue

FIRST_PAUSE: dict[Failure, float] = {
    Failure.DNS_TEMPORARY: 30.0,
    Failure.CONNECT_REFUSED: 10.0,
    Failure.CONNECT_TIMEOUT: 20.0,
    Failure.CONNECT_FAILED: 10.0,
    Failure.TLS_FAILED: 30.0,
    Failure.FIRST_BYTE_TIMEOUT: 20.0,
    Failure.IDLE_TIMEOUT: 20.0,
    Failure.TOTAL_TIMEOUT: 30.0,
    Failure.TOO_SLOW: 30.0,
    Failure.PROTOCOL_ERROR: 10.0,
    Failure.CONNECTION_LOST: 5.0,  # mostly a server that closed an idle connection
    Failure.TRUNCATED: 5.0,
    Failure.BAD_ENCODING: 10.0,
    Failure.SERVER_ERROR: 10.0,
    Failure.FETCHER_DIED: 1.0,  # nothing to do with the host
}
"""Seconds before the first retry, for each failure that may pass."""

COSTS_NOTHING: frozenset[Failure] = frozenset({Failure.THROTTLED, Failure.STORE_FAILED})
"""Failures that are not the URL's own."""


def decide(failure: Failure, tries: int, now: float, retries: int) -> Decision:
    """Decide what becomes of a URL whose lease has failed.

    Args:
        failure: how it failed.
        tries: attempts that the URL has paid for, this one included; 1 after the first failure.
        now: unix time.
        retries: `crawl.retries`, how often a URL is tried again after its first attempt.
    """
    if failure in COSTS_NOTHING:
        return Requeue(to_tail=failure is Failure.THROTTLED)
    if failure not in PASSING or tries > retries:
        return GiveUp()
    pause = FIRST_PAUSE[failure] * GROWTH ** min(max(tries - 1, 0), 16)
    return Retry(now + min(pause, LONGEST))
