"""A small crawl with fixed contents: what the API's tests ask."""

from __future__ import annotations

from spiderd.api.crawl import ListQuery
from spiderd.api.events import EventLog
from spiderd.errors import ConfigError, StorageError, UsageError
from spiderd.protocol import (
    API_VERSION,
    Added,
    AddResult,
    Change,
    Counters,
    Directories,
    DirectoryRow,
    ErrorRow,
    Errors,
    Events,
    Hello,
    Hit,
    HostRow,
    Hosts,
    IndexState,
    PageReply,
    Rates,
    Reconfigured,
    Released,
    Retried,
    RetryRequest,
    SearchReply,
    SettingRequest,
    SettingRow,
    Settings,
    Snapshot,
    StateReply,
    TrapRow,
    Traps,
    Why,
    WorkerRow,
    Workers,
)
from spiderd.states import CrawlState, Reason, Step

STARTED = 1_700_000_000.0


SHAPE = "example.test/cal?month"
INDEX = IndexState(state="indexing", indexed=28, pages=33, documents=27, bytes=65536)


class SampleCrawl:
    """Keeps a state, a set of URLs and an event log; everything else stands still."""

    def __init__(self, events: EventLog | None = None) -> None:
        self.log = events or EventLog(clock=lambda: STARTED + 60)
        self.state = CrawlState.RUNNING
        self.reason = Reason.NONE
        self.urls: set[str] = {"http://example.test/"}
        self.asked: list[ListQuery] = []
        self.retried: list[RetryRequest] = []
        self.set_live: dict[str, object] = {"crawl.threads": 2}
        self.broken = False  # the configuration
        self.directory_rows = [
            DirectoryRow(
                directory=number,
                worker=number % 2,
                count=10 * number,
                max_count=5000,
                bytes=1000 * number,
                open=number > 8,
                path=f"pages/{number}",
            )
            for number in range(1, 11)
        ]

    def hello(self) -> Hello:
        return Hello(
            api=API_VERSION,
            version="1.2.3",
            pid=4711,
            crawl="amber-fox",
            started=STARTED,
            data_dir="/srv/crawl",
            rights="read",
        )

    def snapshot(self) -> Snapshot:
        return Snapshot(
            now=STARTED + 60,
            state=self.state,
            reason=self.reason,
            message="",
            since=STARTED + 1,
            hello=self.hello(),
            counters=Counters(
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
            ),
            rates=Rates(pages=1.5, bytes=2048.0, history=[1.0, 2.0]),
            workers=[self.worker(0), self.worker(1)],
            directories=self.directory_rows[-2:],
            directories_total=10,
            last_event=self.log.last,
            order="breadth",
            threads=2,
            max_pages=0,
            index=INDEX,
            pages_this_run=5,
            overrides=[Change(key="crawl.threads", value="2", filed="8")],
        )

    @staticmethod
    def worker(number: int) -> WorkerRow:
        step = (Step.RECEIVING, Step.IDLE)[number]
        url = ("http://example.test/a?b=\u00e9", "")[number]
        return WorkerRow(
            worker=number,
            step=step,
            since=STARTED + 59,
            url=url,
            directory=9 + number,
            pages=15,
            errors=number,
        )

    async def workers(self, query: ListQuery) -> Workers:
        self.asked.append(query)
        return Workers(total=2, offset=query.offset, limit=query.limit, rows=[self.worker(0), self.worker(1)])

    async def directories(self, query: ListQuery) -> Directories:
        self.asked.append(query)
        rows = [row for row in self.directory_rows if query.filter in row.path]
        rows.sort(key=lambda row: getattr(row, query.sort or "directory"), reverse=query.desc)
        cut = rows[query.offset : query.offset + query.limit]
        return Directories(total=len(rows), offset=query.offset, limit=query.limit, rows=cut)

    async def hosts(self, query: ListQuery) -> Hosts:
        self.asked.append(query)
        row = HostRow(
            host="http://example.test",
            state="delayed",
            waiting=60,
            processing=2,
            complete=35,
            error=3,
            delay=1.0,
            next_allowed=STARTED + 61,
            robots="ok",
            last_status=200,
        )
        return Hosts(total=1, offset=query.offset, limit=query.limit, rows=[row])

    async def errors(self, query: ListQuery) -> Errors:
        self.asked.append(query)
        if query.filter == "broken store":
            raise StorageError("the store cannot be read: /srv/crawl/store: Input/output error")
        if query.filter == "bug":
            raise ZeroDivisionError
        row = ErrorRow(
            url="http://example.test/gone",
            failure="http_error",
            status=404,
            detail="Not Found",
            tries=1,
            at=STARTED + 30,
            referrer="http://example.test/",
        )
        return Errors(total=1, offset=query.offset, limit=query.limit, rows=[row])

    async def events(self, since: int, wait: float, level: str) -> Events:
        return await self.log.read(since, wait, level)

    async def add(self, urls: list[str]) -> Added:
        answer = await self.check(urls)
        self.urls.update(result.url for result in answer.results if result.result == "new")
        return answer

    async def check(self, urls: list[str]) -> Added:
        results = [self._judge(url) for url in urls]
        counts = {kind: sum(row.result == kind for row in results) for kind in ("new", "known", "refused")}
        return Added(results=results, **counts)

    def _judge(self, url: str) -> AddResult:
        if not url.startswith("http"):
            return AddResult(url=url, result="refused", reason="not http or https")
        return AddResult(url=url, result="known" if url in self.urls else "new")

    async def pause(self) -> StateReply:
        return self._become(CrawlState.PAUSED)

    async def resume(self) -> StateReply:
        return self._become(CrawlState.RUNNING)

    async def stop(self) -> StateReply:
        return self._become(CrawlState.STOPPING)

    async def retry(self, asked: RetryRequest) -> Retried:
        self.retried.append(asked)
        missing = [url for url in asked.urls if "gone" not in url]
        return Retried(state=self.state, reason=self.reason, urls=3, missing=missing)

    async def visited(self, urls: list[str]) -> Added:
        answer = await self.add(urls)
        answer.results = [row for row in answer.results if row.result == "refused"]
        return answer

    async def traps(self, query: ListQuery) -> Traps:
        self.asked.append(query)
        example = "http://example.test/cal?month=50"
        row = TrapRow(shape=SHAPE, host="example.test", pages=62, waiting=7, example=example)
        return Traps(total=1, offset=query.offset, limit=query.limit, rows=[row], outside=3)

    async def release(self, what: str) -> Released:
        if what not in (SHAPE, "example.test"):
            raise UsageError(f"{what} is neither a parked shape nor a host of this crawl")
        held = "" if what == SHAPE else "backoff: 503, as it asked"
        kind = "shape" if what == SHAPE else "host"
        return Released(state=self.state, reason=self.reason, kind=kind, name=what, urls=7, held=held)

    def settings(self) -> Settings:
        rows = [
            SettingRow(
                key="crawl.threads",
                value="2",
                filed="8",
                live=True,
                override="crawl.threads" in self.set_live,
            ),
            SettingRow(key="politeness.delay", value='"1s"', filed='"1s"', live=True),
            SettingRow(key="archive.format", value='"files"', filed='"warc"', live=False),
        ]
        return Settings(source="/etc/spiderd/config.toml", rows=rows)

    async def reload(self) -> Reconfigured:
        if self.broken:
            raise ConfigError(
                "/etc/spiderd/config.toml:3: crawl.thread: unknown key; did you mean crawl.threads?"
            )
        return Reconfigured(
            state=self.state,
            reason=self.reason,
            changed=[Change(key="politeness.delay", value='"2s"', filed='"1s"')],
            restart=[Change(key="archive.format", value='"warc"', filed='"files"')],
            hidden=[Change(key="crawl.threads", value="2", filed="8")],
            notes=["pages that were fetched before are not searched again for links that fit now"],
        )

    async def set(self, asked: SettingRequest) -> Reconfigured:
        if asked.key != "crawl.threads":
            raise UsageError(f"{asked.key}: unknown key; did you mean crawl.threads?")
        self.set_live[asked.key] = asked.value
        change = Change(key=asked.key, value=str(asked.value or 8), filed="2")
        return Reconfigured(state=self.state, reason=self.reason, changed=[change])

    def _become(self, state: CrawlState) -> StateReply:
        self.state, self.reason = state, Reason.USER
        return StateReply(state=state, reason=Reason.USER)

    async def why(self, url: str) -> Why:
        return Why(
            url=url,
            key="00ff00ff00ff00ff",
            allowed=False,
            scope="scope.follow = site: example.test",
            robots="Disallow: /private",
            queue="error",
            tries=1,
            failure="robots_denied",
            host="http://example.test",
            host_state="ready",
            next_allowed=0.0,
            summary="It was not fetched: robots.txt forbade it when its turn came.",
            seen=True,
            depth=2,
            kind="skipped",
            fetched=STARTED + 20,
            referrer="http://example.test/",
        )

    async def search(self, query: str, page: int, limit: int, *, typing: bool = False) -> SearchReply:
        hit = Hit(
            id=7,
            url="http://example.test/a?b=\u00e9",
            title="An example",
            site="example.test",
            fetched=STARTED + 30,
            language="en",
            snippet="This is an example … of a page",
            marks=[(11, 18)],
            title_marks=[(3, 10)],
            score=4.5,
        )
        found = query == "example"
        return SearchReply(
            query=query,
            page=page,
            pages=int(found),
            limit=limit,
            total=int(found),
            exact=True,
            elapsed=0.002,
            hits=[hit] if found and page == 1 else [],
            message="" if found else f"Nothing matches {query}.",
            suggestions=[] if found else ["example"],
            index=INDEX,
        )

    async def page(self, number: int, url: str) -> PageReply:
        if url and url not in self.urls:
            raise UsageError(f"{url} has not been fetched.")
        return PageReply(
            id=number or 7,
            url=url or "http://example.test/",
            title="An example",
            status=200,
            kind="stored",
            failure="",
            fetched=STARTED + 30,
            content_type="text/html",
            size=1234,
            depth=1,
            referrer="http://example.test/",
            location="",
            path="/srv/crawl/pages/00001/00007",
            language="en",
            text="An example\n\nThis is an example.",
            cut=False,
            links_out=12,
            links_in=3,
        )

    async def reindex(self) -> IndexState:
        return INDEX
