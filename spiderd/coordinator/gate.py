"""The robots gate: may this URL be asked for, as far as its origin's robots.txt says? Pure."""

from __future__ import annotations

from enum import Enum

from spiderd.config import Config
from spiderd.robots.policy import RobotsRecord
from spiderd.robots.rules import Ruling, product_token
from spiderd.schedule.politeness import HostState, release
from spiderd.schedule.workbench import HostQueue
from spiderd.states import Failure
from spiderd.urls import origin

HOPELESS = frozenset({Failure.DNS_NO_SUCH_NAME, Failure.ADDRESS_FORBIDDEN})
"""Failures of a robots.txt that will not pass by asking again."""


class Gate(Enum):
    """What to do with the next URL of a host."""

    OPEN = "open"  # ask for it
    LOOK_UP = "look up"  # read what the store knows of the origin's robots.txt
    FETCH = "fetch"  # ask for robots.txt first
    HOLD = "hold"  # robots.txt cannot be had for now: the host waits
    DENIED = "denied"  # the rules forbid it
    HOPELESS = "hopeless"  # robots.txt cannot be had after all tries: the URL has failed


AGENT = "spiderd"


def agent_of(config: Config) -> str:
    """The name by which robots.txt knows us."""
    agent = config.politeness.user_agent
    return product_token(agent) if agent else AGENT


def decide(host: HostQueue, url: str, now: float, config: Config) -> tuple[Gate, Ruling | None]:
    """Decide on one URL; a ruling comes with DENIED."""
    if not config.politeness.robots:
        return Gate.OPEN, None
    known = host.robots.get(origin(url))
    if known is None:
        return Gate.LOOK_UP, None
    record = known.record
    if now >= record.expires:
        return Gate.FETCH, None
    if record.kind == "disallow_all":
        return (Gate.HOPELESS if is_hopeless(record, config.crawl.retries) else Gate.HOLD), None
    ruling = known.robots.allowed(url)
    return (Gate.OPEN if ruling.allowed else Gate.DENIED), ruling


def is_hopeless(record: RobotsRecord, retries: int) -> bool:
    """Whether there is no point in waiting for this robots.txt any longer."""
    return record.kind == "disallow_all" and (record.tries > retries or record.failure in HOPELESS)


def unhold(host: HostQueue) -> None:
    """Take back what `hold` did: robots.txt is not asked any more."""
    records = [known.record for known in host.robots.values()]
    if any(record.kind == "disallow_all" and record.expires == host.state.held_until for record in records):
        release(host.state)


UNKNOWN = RobotsRecord("disallow_all")
"""Nothing is known of an origin's robots.txt: it is to be fetched at once."""


def hold(state: HostState, record: RobotsRecord) -> None:
    """Make the host wait until its robots.txt may be asked for again (RFC 9309 2.3.1.4)."""
    if record.expires > state.held_until:
        state.held_until = record.expires
        state.hold = state.hold or "unreachable"
        state.hold_reason = state.hold_reason or record.why
