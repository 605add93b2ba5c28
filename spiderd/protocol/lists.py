"""Hosts, site tree, errors, traps: what can be paged through."""

from __future__ import annotations

from typing import Literal

from spiderd.protocol.base import Page, Reply


class HostRow(Reply):
    """One host queue."""

    host: str
    state: Literal["ready", "delayed", "fetching", "robots", "backoff", "parked", "unreachable", "done"]
    waiting: int
    processing: int
    complete: int
    error: int
    delay: float
    next_allowed: float  # unix time; 0 = now
    robots: str  # "", "none", "ok", "denied", "unreachable"
    last_status: int
    reason: str = ""  # why parked or backing off
    name: str = ""  # as people write it ("bücher.example"); "" where that is `host`


class NextUrl(Reply):
    """A URL at the head of a host's queue."""

    url: str
    depth: int
    tries: int  # that have failed
    leased: bool  # it is being fetched


class OutcomeRow(Reply):
    """How one request to a host ended."""

    url: str
    at: float
    kind: str  # a `states.OutcomeKind`
    status: int
    failure: str
    detail: str  # of the failure
    size: int


class RobotsRow(Reply):
    """What is known of the robots.txt of one origin."""

    origin: str
    kind: Literal["rules", "allow_all", "disallow_all"]
    why: str  # for people, where no line decides
    fetched: float
    expires: float  # unix time at which it is asked for again
    delay: float  # Crawl-delay that holds for us; 0 = none is given
    sitemaps: int  # that it names
    text: str  # its beginning
    cut: bool  # the text goes on


class HostReply(Reply):
    """GET /v1/host?host= : what comes next of one host, how the last requests ended, what it allows."""

    row: HostRow
    pages: int  # stored
    bytes: int
    next: list[NextUrl]  # in order
    recent: list[OutcomeRow]  # newest first, as far as there are any
    looked: int  # among the last so many outcomes of the crawl
    robots: list[RobotsRow]


class TreeRow(Reply):
    """A part of the site tree: a host, a directory with all that is below, or what lies in it itself.

    What lies in it itself includes what is below but not told apart (too deep, or too many directories).
    """

    kind: Literal["host", "directory", "here"]
    host: str
    prefix: str  # path, "" or ending with a slash
    name: str  # of a host or directory, as people write it
    found: int  # URLs = waiting + complete + error
    waiting: int  # or being fetched
    complete: int
    error: int
    inside: bool  # whether there are parts to be asked for


class ErrorRow(Reply):
    """One URL in the error queue."""

    url: str
    failure: str
    status: int
    detail: str
    tries: int
    at: float
    referrer: str


class Hosts(Page):
    """GET /v1/hosts."""

    rows: list[HostRow]


class Errors(Page):
    """GET /v1/errors."""

    rows: list[ErrorRow]


class TrapRow(Reply):
    """A shape of URLs that is taken for a trap: what waits of it is not fetched until it is released."""

    shape: str
    host: str
    pages: int  # that were fetched of it
    waiting: int  # URLs that are set aside
    example: str  # URL of the page that parked it


class Traps(Page):
    """GET /v1/traps."""

    rows: list[TrapRow]
    outside: int = 0  # URLs that are set aside because the scope no longer holds them; they come back with it


class Tree(Page):
    """GET /v1/tree?host=&prefix= : the parts of a directory of a host; without `host` all hosts."""

    host: str
    prefix: str
    rows: list[TreeRow]
