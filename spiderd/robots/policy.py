"""What an answer to GET /robots.txt means, and how long that holds (RFC 9309 2.3.1, 2.4).

The fetcher follows up to `MAX_REDIRECTS` redirects, to other hosts, too; the rules then hold for the host
that was asked first. Where the chain is longer, or a hop cannot be followed, the file counts as unavailable,
which allows everything (2.3.1.2): a site that wants to be left alone has a file that can be read.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from spiderd.robots.rules import ALLOW_ALL, MAX_BODY, Robots, disallow_all, parse
from spiderd.states import Failure

MAX_REDIRECTS = 5
LIFETIME = 24 * 3600.0
"""Seconds that an answer is used for (RFC 9309 2.4)."""
FIRST_RETRY = 60.0  # seconds after an answer that says nothing, doubled each time
FIRST_RETRY_UNREACHED = 10.0  # where no answer came: that has cost nobody anything
LAST_RETRY = 3600.0

RobotsKind = Literal["rules", "allow_all", "disallow_all"]

_UNAVAILABLE = frozenset({Failure.TOO_MANY_REDIRECTS, Failure.BAD_REDIRECT})


class RobotsRecord(Struct, array_like=True, gc=False):
    """What is known of a host's robots.txt, as the store keeps it."""

    kind: RobotsKind
    body: bytes = b""  # of kind "rules" only
    fetched_at: float = 0.0
    expires: float = 0.0  # unix time at which robots.txt is to be asked for again
    status: int = 0
    failure: str = ""
    tries: int = 0  # requests in a row without an answer that decides

    @property
    def why(self) -> str:
        """The reason for a ruling that no line gives, in words for people."""
        said = f"answered {self.status}" if self.status else f"could not be fetched ({self.failure})"
        return f"robots.txt {said}"


def ruling_for(
    status: int,
    failure: Failure,
    body: bytes,
    now: float,
    previous: RobotsRecord | None = None,
) -> RobotsRecord:
    """Turn the answer to GET /robots.txt into what holds for the host from now on.

    Args:
        status: HTTP status of the last hop; 0 where no answer came.
        failure: why no usable answer came, `Failure.NONE` otherwise.
        body: the body, content coding undone; at most `MAX_BODY` bytes of it are kept.
        now: unix time.
        previous: the record that this one replaces; its tries decide how long the next pause is.
    """
    if failure in _UNAVAILABLE or (300 <= status < 500 and status != 429):
        return RobotsRecord("allow_all", b"", now, now + LIFETIME, status, failure)
    if 200 <= status < 300 and failure in (Failure.NONE, Failure.TYPE_NOT_WANTED, Failure.NO_CONTENT):
        return RobotsRecord("rules", body[:MAX_BODY], now, now + LIFETIME, status)
    tries = previous.tries + 1 if previous is not None else 1
    first = FIRST_RETRY if status else FIRST_RETRY_UNREACHED
    pause = min(first * 2.0 ** min(tries - 1, 16), LAST_RETRY)
    return RobotsRecord("disallow_all", b"", now, now + pause, status, failure, tries)


def robots_of(record: RobotsRecord, agent: str = "spiderd") -> Robots:
    """Return the rules that a record stands for; to be kept, since reading a big file takes milliseconds."""
    if record.kind == "rules":
        return parse(record.body, agent)
    return ALLOW_ALL if record.kind == "allow_all" else disallow_all(record.why)
