"""A small crawl with fixed contents: what the API's and the command line's tests ask."""

from __future__ import annotations

from spiderd.api.crawl import ListQuery
from spiderd.api.events import EventLog
from spiderd.errors import StorageError
from spiderd.protocol import (
    API_VERSION,
    Change,
    Counters,
    DirectoryRow,
    ErrorRow,
    Errors,
    Hello,
    Hit,
    HostRow,
    IndexState,
    LinkRow,
    NextUrl,
    OutcomeRow,
    Rates,
    Reconfigured,
    ReportColumn,
    ReportInfo,
    ReportRow,
    RobotsRow,
    SettingRow,
    TrapRow,
    TreeRow,
    WorkerRow,
)
from spiderd.states import Step
from tests.api.played import PlayedCrawl

STARTED = 1_700_000_000.0
NOW = STARTED + 60
SITE = "http://example.test"
HOST = "example.test"
SHAPE = "example.test/cal?month"
INDEX = IndexState(state="indexing", indexed=28, pages=33, documents=27, bytes=65536)
GREETING = Hello(
    api=API_VERSION,
    version="1.2.3",
    pid=4711,
    crawl="amber-fox",
    started=STARTED,
    data_dir="/srv/crawl",
    rights="read",
)


class SampleCrawl(PlayedCrawl):
    """Keeps a state, a set of URLs and an event log; everything else stands still."""

    def __init__(self, events: EventLog | None = None) -> None:
        super().__init__(GREETING, NOW, events or EventLog(clock=lambda: NOW))
        self.since = STARTED + 1
        self.urls = {f"{SITE}/"}
        self.counters = _counters()
        self.rates = Rates(pages=1.5, bytes=2048.0, history=[1.0, 2.0])
        self.index = INDEX
        self.pages_this_run = 5
        self.worker_rows = [self.worker(0), self.worker(1)]
        self.directory_rows = [_directory(number) for number in range(1, 11)]
        self.host_rows = [_host()]
        columns = [ReportColumn(name="url", title="url", form="url")]
        self.report_infos = [ReportInfo(name="broken", help="links", noun="link", count=1, columns=columns)]
        self.report_rows = {"broken": [ReportRow(page=7, url=f"{SITE}/gone", cells=[f"{SITE}/gone"])]}
        self.next = [NextUrl(url=f"{SITE}/next", depth=2, tries=1, leased=True)]
        self.recent = [
            OutcomeRow(
                url=f"{SITE}/gone",
                at=STARTED + 30,
                kind="failed",
                status=404,
                failure="http_error",
                detail="Not Found",
                size=0,
            )
        ]
        self.robots = [
            RobotsRow(
                origin=SITE,
                kind="rules",
                why="",
                fetched=STARTED + 2,
                expires=STARTED + 86_402,
                delay=1.0,
                sitemaps=1,
                text="User-agent: *\nDisallow: /private\n",
                cut=False,
            )
        ]
        self.tree_rows = [
            _part("host", "", HOST, 100),
            _part("directory", "docs/", "docs", 70),
            _part("here", "", "", 30),
        ]
        self.error_rows = [_error("timeout", 0), _error("unreachable", 0), _error("gone", 404)]
        example = f"{SITE}/cal?month=50"
        self.trap_rows = [TrapRow(shape=SHAPE, host=HOST, pages=62, waiting=7, example=example)]
        self.outside = 3
        self.setting_rows = [
            SettingRow(key="crawl.threads", value="2", filed="8", live=True, override=True),
            SettingRow(key="politeness.delay", value='"1s"', filed='"1s"', live=True),
            SettingRow(key="archive.format", value='"files"', filed='"warc"', live=False),
        ]
        self.set_live = {"crawl.threads": 2}
        self.reloaded = Reconfigured(
            state=self.state,
            reason=self.reason,
            changed=[Change(key="politeness.delay", value='"2s"', filed='"1s"')],
            restart=[Change(key="archive.format", value='"warc"', filed='"files"')],
            hidden=[Change(key="crawl.threads", value="2", filed="8")],
            notes=["pages that were fetched before are not searched again for links that fit now"],
        )
        self.hits = [_hit()]
        self.suggestions = ["example"]
        self.text = "This is an example."
        self.out = [
            LinkRow(url=f"{SITE}/gone", text="Gone", kind="a", page=3, status=404),
            LinkRow(url="", text="Next", kind="a", page=0, status=0),
        ]
        self.into = [LinkRow(url=f"{SITE}/", text="An example", kind="a", page=1, status=200)]
        self.ruling = {
            "key": "00ff00ff00ff00ff",
            "allowed": False,
            "scope": "scope.follow = site: example.test",
            "robots": "Disallow: /private",
            "queue": "error",
            "tries": 1,
            "failure": "robots_denied",
            "host": HOST,
            "host_state": "ready",
            "next_allowed": 0.0,
            "summary": "It was not fetched: robots.txt forbade it when its turn came.",
            "seen": True,
            "depth": 2,
            "kind": "skipped",
            "fetched": STARTED + 20,
            "referrer": f"{SITE}/",
        }

    @staticmethod
    def worker(number: int) -> WorkerRow:
        return WorkerRow(
            worker=number,
            step=(Step.RECEIVING, Step.IDLE)[number],
            since=STARTED + 59,
            url=(f"{SITE}/a?b=\u00e9", "")[number],
            directory=9 + number,
            pages=15,
            errors=number,
        )

    async def errors(self, query: ListQuery) -> Errors:
        if query.filter == "broken store":
            raise StorageError("the store cannot be read: /srv/crawl/store: Input/output error")
        if query.filter == "bug":
            raise ZeroDivisionError
        return await super().errors(query)


def _counters() -> Counters:
    return Counters(
        known=100,
        waiting=60,
        processing=2,
        complete=35,
        error=3,
        pages=30,
        bytes=123456,
        bytes_received=45678,
        links=400,
        hosts=2,
        statuses={"200": 30, "404": 3},
        failures={"connect_timeout": 1, "http_error": 2},
        refused={"scope": 40},
    )


def _directory(number: int) -> DirectoryRow:
    return DirectoryRow(
        directory=number,
        worker=number % 2,
        count=10 * number,
        max_count=5000,
        bytes=1000 * number,
        open=number > 8,
        path=f"pages/{number}",
    )


def _host() -> HostRow:
    return HostRow(
        host=HOST,
        state="backoff",
        waiting=60,
        processing=2,
        complete=35,
        error=3,
        delay=1.0,
        next_allowed=STARTED + 61,
        robots="ok",
        last_status=503,
        reason="503, as it asked",
    )


def _part(kind: str, prefix: str, name: str, found: int) -> TreeRow:
    return TreeRow(
        kind=kind,
        host=HOST,
        prefix=prefix,
        name=name,
        found=found,
        waiting=found // 2,
        complete=found - found // 2 - found // 10,
        error=found // 10,
        inside=kind == "host",
    )


def _error(path: str, status: int) -> ErrorRow:
    return ErrorRow(
        url=f"{SITE}/{path}",
        failure="http_error" if status else "connect_timeout",
        status=status,
        detail="Not Found" if status else "",
        tries=1,
        at=STARTED + 30,
        referrer=f"{SITE}/",
    )


def _hit() -> Hit:
    return Hit(
        id=7,
        url=f"{SITE}/a?b=\u00e9",
        title="An example",
        site=HOST,
        fetched=STARTED + 30,
        language="en",
        snippet="This is an example … of a page",
        marks=[(11, 18)],
        title_marks=[(3, 10)],
        score=4.5,
    )
