"""The messages of the local API, declared once for daemon, command line and dashboard.

JSON over HTTP/1.1 on a unix socket. Times are unix seconds, durations seconds, sizes bytes. An incompatible
change raises API_VERSION; adding a field with a default is compatible.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from spiderd.states import CrawlState, Reason, Step

API_VERSION = 1


class Reply(Struct, kw_only=True):
    """Base of all answers."""


class Hello(Reply):
    """GET /v1/ : who is there."""

    api: int
    version: str
    pid: int
    crawl: str  # random name of the crawl, made with the store
    started: float
    data_dir: str
    rights: Literal["read", "write"]


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


class Page(Reply):
    """Where a list was cut."""

    total: int
    offset: int
    limit: int


class Workers(Page):
    """GET /v1/workers."""

    rows: list[WorkerRow]


class Directories(Page):
    """GET /v1/directories."""

    rows: list[DirectoryRow]


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


class Events(Reply):
    """GET /v1/events?since=ID&wait=SECONDS : events after ID; `gap` where the ring has lost some."""

    rows: list[Event]
    last: int
    gap: bool


class Tree(Page):
    """GET /v1/tree?host=&prefix= : the parts of a directory of a host; without `host` all hosts."""

    host: str
    prefix: str
    rows: list[TreeRow]


class AddRequest(Struct, kw_only=True):
    """POST /v1/add."""

    urls: list[str]


class AddResult(Reply):
    """What became of one URL."""

    url: str
    result: Literal["new", "known", "refused"]
    reason: str = ""


class Added(Reply):
    """Answer to POST /v1/add."""

    new: int
    known: int
    refused: int
    results: list[AddResult]


class StateReply(Reply):
    """Answer to POST /v1/pause, /v1/resume, /v1/stop."""

    state: CrawlState
    reason: Reason


class RetryRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """POST /v1/retry; without a body those are put back whose failure may pass."""

    all: bool = False  # those whose failure will not pass, too
    urls: list[str] = field(default_factory=list)  # these and no others, whatever their failure


class Retried(StateReply):
    """Answer to POST /v1/retry."""

    urls: int = 0  # put back from the error queue
    missing: list[str] = field(default_factory=list)  # of those asked for, the ones that are not in it


class ReleaseRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """POST /v1/release."""

    what: Annotated[
        str, Meta(min_length=1)
    ]  # a shape as GET /v1/traps names it, a host, or a URL of the host


class Released(StateReply):
    """Answer to POST /v1/release."""

    kind: Literal["shape", "host"]
    name: str
    urls: int  # that may be fetched again
    held: str = ""  # what has held the host back; "" = nothing did


class Change(Reply):
    """One key of the configuration with two values, written as in the file; secrets are masked."""

    key: str
    value: str
    filed: str  # what command line, environment, file and defaults say; of a change: the value before


class Reconfigured(StateReply):
    """Answer to POST /v1/reload and POST /v1/settings."""

    changed: list[Change] = field(default_factory=list)  # holds from now on
    restart: list[Change] = field(default_factory=list)  # will hold after a restart
    hidden: list[Change] = field(default_factory=list)  # overridden by a setting that was made live
    notes: list[str] = field(default_factory=list)  # sentences for people


class SettingRow(Reply):
    """One key of the configuration; values are written as in the file, secrets are masked."""

    key: str
    value: str  # that the crawl goes by
    filed: str  # what command line, environment, file and defaults say
    live: bool  # may be changed while the crawl runs
    override: bool = False  # was made live, and holds until unset


class Settings(Reply):
    """GET /v1/settings : the configuration in effect."""

    source: str  # path of the file; "" = none was read
    rows: list[SettingRow]


SettingValue = bool | int | float | str | list[str]


class SettingRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """POST /v1/settings : make a setting live, or (null) unset it."""

    key: str
    value: SettingValue | None = None  # as in the file: durations are "2s"


class Why(Reply):
    """GET /v1/why?url=URL : which rule decides about a URL, and what is known of it."""

    url: str  # as it would be fetched
    key: str  # its seen key, 16 hexadecimal digits
    allowed: bool  # may it be fetched, by scope and robots
    scope: str  # the rule that decides, for people
    robots: str  # the line of robots.txt that decides; "" where none does
    queue: str  # a `states.Queue`; "" where the URL is not known
    tries: int
    failure: str  # of the last try; "" where none failed
    host: str
    host_state: str  # as in HostRow; "" where the host is not known
    next_allowed: float  # unix time at which the host may be asked; 0 = now
    summary: str = ""  # what happens to the URL and why, in one sentence for people
    host_reason: str = ""  # why the host is parked or backing off
    seen: bool = False  # whether it was ever found; what no rule admits is not kept
    depth: int = -1  # links from the nearest seed; -1 = not known
    shape: str = ""  # of the URL, where that is parked as a trap
    next_try: float = 0.0  # unix time at which it is tried again after a failure; 0 = none is due
    before: int = -1  # URLs of its host that come first; -1 = not known
    kind: str = ""  # a `states.OutcomeKind`: how it was settled
    status: int = 0  # HTTP status
    detail: str = ""  # of the failure
    fetched: float = 0.0  # unix time
    location: str = ""  # target of a redirect
    path: str = ""  # file in the archive
    referrer: str = ""  # URL of the page that led here; "" = a seed, or not known
    visits: int = 0  # after the first one, that told whether the page had changed
    changes: int = 0  # of these, those that found a change
    changed: float = 0.0  # unix time of the last visit that found one; 0 = none has
    changes_every: float = 0.0  # seconds between two changes, as estimated; 0 = not known
    next_visit: float = 0.0  # unix time; 0 = none is to come
    asked_again: bool = False  # its time has come: it waits for its host's turn


class ErrorBody(Reply):
    """`code` is stable, `message` is for people."""

    code: str
    message: str


class ErrorReply(Reply):
    """Body of every answer that is not 2xx."""

    error: ErrorBody


class Revisits(Reply):
    """The pages that are visited again, as `Snapshot.revisits`."""

    on: bool  # by themselves; what somebody asks for is visited in any case
    scheduled: int = 0  # pages that have a next visit
    due: int = 0  # whose time has come, and who wait for their host's turn
    overdue: int = 0  # of these, those that have waited for longer than `revisit.min`
    next: float = 0.0  # unix time at which the next page is due; 0 = none is known
    rates: dict[str, int] = field(default_factory=dict)  # how often pages change, in words -> pages


class RevisitRequest(Struct, kw_only=True, forbid_unknown_fields=True):
    """POST /v1/revisit."""

    what: Annotated[str, Meta(min_length=1)]  # a URL that was fetched, or a regular expression on URLs


class RevisitReply(StateReply):
    """Answer to POST /v1/revisit."""

    kind: Literal["url", "pattern"]
    pages: int  # that are visited again as soon as their hosts may be asked


class IndexState(Reply):
    """How far the search index is behind the crawl, as `Snapshot.index`."""

    state: Literal["starting", "indexing", "ranking", "rebuilding", "idle", "failing"]
    indexed: int  # pages that the index has dealt with, of
    pages: int  # those that the store knows
    documents: int = 0  # that can be found
    bytes: int = 0  # on disk
    message: str = ""  # one sentence where it is failing


class Hit(Reply):
    """One result of a search.

    Marks are the words that were looked for, as ranges [from, to) of characters of the text, in order.
    """

    id: int  # page number: GET /v1/page?id=
    url: str
    title: str
    site: str  # host and port
    fetched: float
    language: str = ""  # BCP 47 primary tag; "" where it is not known
    snippet: str = ""  # on one line; fragments are joined by " … "
    marks: list[tuple[int, int]] = field(default_factory=list)  # of snippet
    title_marks: list[tuple[int, int]] = field(default_factory=list)
    duplicates: int = 0  # pages with the same text that are not shown
    score: float = 0.0


class SearchReply(Reply):
    """GET /v1/search?q=&page=&limit=&typing= : one page of results; the best 1,000 are reached."""

    query: str
    page: int  # from 1
    pages: int  # how many there are
    limit: int  # results on a page
    total: int  # pages that match
    exact: bool  # False: there are about `total`
    elapsed: float
    hits: list[Hit]
    message: str = ""  # a sentence for people where nothing matches, or where a part was not understood
    suggestions: list[str] = field(default_factory=list)  # queries that do match
    index: IndexState | None = None


class LinkRow(Reply):
    """A link, as told of one of its two pages."""

    url: str  # of the other page; "" where it is followed and was not asked for yet
    text: str
    kind: str  # what stands there: "a", "img", "refresh", ...
    page: int  # number of the other page; 0 where it was never asked for
    status: int  # HTTP status of the other page; 0 = none


class Links(Reply):
    """GET /v1/links?id= : where a page leads, and which pages lead to it; of many the first."""

    out: list[LinkRow]
    out_total: int
    into: list[LinkRow]
    looked: int  # pages that were looked at for those, of
    pages: int  # all that there are


class PageReply(Reply):
    """GET /v1/page?url= or ?id= : what is kept of one page, with its readable text."""

    id: int
    url: str
    title: str
    status: int
    kind: str  # a `states.OutcomeKind`
    failure: str
    fetched: float
    content_type: str
    size: int
    depth: int
    referrer: str  # URL of the page that led here; "" = a seed
    location: str  # target of a redirect
    path: str  # file in the archive; "" where nothing was stored
    language: str
    text: str  # readable text, with line ends; "" where the index has none
    cut: bool  # the text goes on
    links_out: int
    links_in: int  # from pages of this crawl, as of the last ranking; -1 = never ranked


class ReportColumn(Reply):
    """A column of a report; `form` says how people read it."""

    name: str
    title: str
    form: str  # text, url, status, count, size, seconds, share


class ReportInfo(Reply):
    """A report on what was crawled."""

    name: str
    help: str  # one line
    noun: str  # what a row is
    count: int  # rows
    columns: list[ReportColumn] = field(default_factory=list)


class Reports(Page):
    """GET /v1/reports."""

    rows: list[ReportInfo]
    made: float = 0.0  # unix time of what the reports speak of; 0 = they are being made for the first time
    urls: int = 0  # that had been asked for then
    making: bool = False  # newer ones are on the way


class ReportRow(Reply):
    """A finding."""

    page: int  # number of the page that it speaks of; 0 = of none
    url: str  # that it speaks of; "" = of none
    cells: list[str | int | float]  # as the columns


class Report(Page):
    """GET /v1/report?kind=NAME&limit=&offset=&filter= ; the columns are those of GET /v1/reports."""

    kind: str
    rows: list[ReportRow]
    made: float = 0.0  # as in Reports
    making: bool = False
