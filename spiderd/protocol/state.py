"""How the crawl is: counters, workers, directories, events."""

from __future__ import annotations

from typing import Literal

from msgspec import field

from spiderd.protocol.base import Hello, Page, Reply
from spiderd.protocol.control import Change
from spiderd.states import CrawlState, Reason, Step


class Counters(Reply):
    """Numbers that always agree with the store (written in the same transaction), since the crawl began."""

    known: int = 0  # URLs ever seen = waiting + processing + complete + error
    waiting: int = 0
    parked: int = 0  # of the waiting, those of shapes that are taken for traps
    processing: int = 0
    complete: int = 0
    error: int = 0
    pages: int = 0  # stored resources
    duplicates: int = 0
    redirects: int = 0
    skipped: int = 0
    retries: int = 0
    bytes: int = 0  # stored
    bytes_received: int = 0
    links: int = 0  # links found on pages
    hosts: int = 0
    statuses: dict[str, int] = field(default_factory=dict)  # HTTP status -> answers
    failures: dict[str, int] = field(default_factory=dict)  # failure -> URLs that ended so
    refused: dict[str, int] = field(default_factory=dict)  # links not followed, by reason
    revisits: int = 0  # later visits of pages that told whether they had changed
    changes: int = 0  # of these, those that found a change
    gone: int = 0  # pages that were given up since they were not there any more


class WorkerRow(Reply):
    """One worker (on screen: a thread)."""

    worker: int
    step: Step
    since: float
    url: str
    directory: int
    pages: int  # stored since the daemon started
    errors: int


class DirectoryRow(Reply):
    """One download directory."""

    directory: int
    worker: int
    count: int  # resources, of `max_count`
    max_count: int
    bytes: int
    open: bool  # still being filled
    path: str


class Event(Reply):
    """Something that happened; ids grow by one."""

    id: int
    at: float
    level: Literal["debug", "info", "warning", "error"]
    name: str  # "stored", "failed", "robots", "state", ...
    message: str
    url: str = ""
    host: str = ""
    worker: int = -1


class Rates(Reply):
    """Throughput of the last seconds."""

    pages: float = 0.0  # a second, over the last 10 s
    bytes: float = 0.0
    history: list[float] = field(default_factory=list)  # pages a second, each second, oldest first


class Snapshot(Reply):
    """GET /v1/status : all that a screen needs."""

    now: float
    state: CrawlState
    reason: Reason
    message: str  # one sentence for people; "" where the state says it all
    since: float  # of the state
    hello: Hello
    counters: Counters
    rates: Rates
    workers: list[WorkerRow]
    directories: list[DirectoryRow]  # the open one of each worker
    directories_total: int
    last_event: int  # id; ask /v1/events?since= for those after the last one you have
    order: str
    threads: int
    max_pages: int
    index: IndexState | None = None  # None: this daemon builds no search index
    pages_this_run: int = 0  # of `counters.pages`, those that this daemon has stored
    overrides: list[Change] = field(
        default_factory=list
    )  # settings that were made live, and hold until unset
    revisits: Revisits | None = None


class Workers(Page):
    """GET /v1/workers."""

    rows: list[WorkerRow]


class Directories(Page):
    """GET /v1/directories."""

    rows: list[DirectoryRow]


class Events(Reply):
    """GET /v1/events?since=ID&wait=SECONDS : events after ID; `gap` where the ring has lost some."""

    rows: list[Event]
    last: int
    gap: bool


class Revisits(Reply):
    """The pages that are visited again, as `Snapshot.revisits`."""

    on: bool  # by themselves; what somebody asks for is visited in any case
    scheduled: int = 0  # pages that have a next visit
    due: int = 0  # whose time has come, and who wait for their host's turn
    overdue: int = 0  # of these, those that have waited for longer than `revisit.min`
    next: float = 0.0  # unix time at which the next page is due; 0 = none is known
    rates: dict[str, int] = field(default_factory=dict)  # how often pages change, in words -> pages


class IndexState(Reply):
    """How far the search index is behind the crawl, as `Snapshot.index`."""

    state: Literal["starting", "indexing", "ranking", "rebuilding", "idle", "failing"]
    indexed: int  # pages that the index has dealt with, of
    pages: int  # those that the store knows
    documents: int = 0  # that can be found
    bytes: int = 0  # on disk
    message: str = ""  # one sentence where it is failing
