"""A crawl with contents that a test chooses: fulfils the API's `Crawl` and is served by the real API.

For pictures and loads that a real crawl cannot be brought to: exact figures, 20,000 hosts, hostile titles.
Everything that is about behaviour is tested against a real daemon instead.
"""

from __future__ import annotations

import random

import msgspec

from spiderd.api.crawl import ListQuery
from spiderd.api.events import EventLog
from spiderd.errors import ConfigError, UsageError
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
from tests.api.sample import SampleCrawl

NOW = 1_750_000_000.0  # the stage's clock stands still
NAMES = ("news", "docs", "blog", "shop", "wiki", "lists", "files", "static", "forum", "maps")


class Stage(SampleCrawl):
    """Rows are plain attributes; change them and the next answer has them.

    What is not said here is as in the sample that the API is tested with.
    """

    def __init__(self, *, threads: int = 8, hosts: int = 40, directories: int = 20, errors: int = 30) -> None:
        super().__init__(EventLog(clock=self._time, burst=1_000_000))
        self.chance = random.Random(7)
        self.state, self.reason, self.message = CrawlState.RUNNING, Reason.NONE, ""
        self.api = API_VERSION
        self.pid = 4121
        self.since = NOW - 600
        self.crawl = "amber-fox"
        self.known: set[str] = {"https://news.example.com/"}
        self.calls: list[str] = []
        self.worker_rows = [self._worker(number) for number in range(threads)]
        self.host_rows = [self._host(number) for number in range(hosts)]
        self.directory_rows = [self._directory(number, threads, directories) for number in range(directories)]
        self.error_rows = [self._error(number) for number in range(errors)]
        self.counters = Counters(
            known=1_284_551,
            waiting=412_087,
            processing=threads,
            complete=870_145,
            error=2_311,
            pages=860_902,
            duplicates=9_140,
            redirects=103,
            bytes=15_247_893_012,
            bytes_received=4_647_893_012,
            links=31_000_000,
            hosts=hosts,
            statuses={"200": 861_002, "404": 6_200, "301": 1_103, "503": 2_311},
            failures={"server_error": 2_000, "idle_timeout": 311},
        )
        self.trap_rows = [
            TrapRow(
                shape=f"https://shop.example.com/list/{number}/N",
                host="shop.example.com",
                pages=50,
                waiting=9_000 + number,
                example=f"https://shop.example.com/list/{number}/50",
            )
            for number in range(3)
        ]
        self.setting_rows = [
            SettingRow(key="crawl.threads", value="24", filed="8", live=True, override=True),
            SettingRow(key="crawl.order", value='"breadth"', filed='"breadth"', live=True),
            SettingRow(key="crawl.max_pages", value="0", filed="0", live=True),
            SettingRow(key="scope.exclude", value="[]", filed="[]", live=True),
            SettingRow(key="politeness.delay", value='"1s"', filed='"1s"', live=True),
            SettingRow(key="archive.format", value='"files"', filed='"files"', live=False),
            SettingRow(key="fetch.proxy", value='"***"', filed='"***"', live=False),
        ]
        self.hits = [_hit(number) for number in range(34)]
        self.index = IndexState(
            state="idle", indexed=860_000, pages=860_902, documents=851_000, bytes=2_100_000_000
        )
        self.history = [
            max(0.0, 90 + 60 * self.chance.random() - (40 if 200 < x < 260 else 0)) for x in range(480)
        ]

    def _time(self) -> float:
        """Events are a third of a second apart."""
        return NOW - 300 + 0.31 * (self.log.last % 900) if hasattr(self, "log") else NOW

    def _worker(self, number: int) -> WorkerRow:
        step = (Step.RECEIVING, Step.WAITING, Step.PARSING, Step.STORING, Step.IDLE, Step.CONNECTING)[
            number % 6
        ]
        host = f"{NAMES[number % len(NAMES)]}.example.com"
        return WorkerRow(
            worker=number,
            step=step,
            since=NOW - (6.7 if number == 7 else 0.1 * (number % 9)),
            url="" if step is Step.IDLE else f"https://{host}/c/2026-08-21/doc-inczf{number:04}.html",
            directory=20 + number,
            pages=13_812 - 7 * number,
            errors=number % 4 * 5,
        )

    def _host(self, number: int) -> HostRow:
        states = ("fetching", "ready", "delayed", "backoff", "parked", "unreachable", "done", "robots")
        state = states[number % 8]
        return HostRow(
            host=f"{NAMES[number % 10]}{number}.example.com",
            state=state,
            waiting=0 if state == "done" else 81_204 // (number + 1),
            processing=int(state == "fetching"),
            complete=74_112 // (number + 1),
            error=number % 5,
            delay=1.0 if number % 8 != 3 else 8.0,
            next_allowed=NOW + 22 if state == "backoff" else 0.0,
            robots=("ok", "none", "denied", "unreachable")[number % 4],
            last_status=(200, 200, 404, 503)[number % 4],
            reason={
                "backoff": "503 three times",
                "parked": "trap: 50 pages of one shape",
                "unreachable": "no such name",
            }.get(state, ""),
        )

    def _directory(self, number: int, threads: int, total: int) -> DirectoryRow:
        open_ = number >= total - threads
        return DirectoryRow(
            directory=number,
            worker=number % threads,
            count=(number * 617) % 5000 if open_ else 5000,
            max_count=5000,
            bytes=((number * 617) % 5000 if open_ else 5000) * 17_000,
            open=open_,
            path=f"/var/lib/spiderd/pages/{number}",
        )

    def _error(self, number: int) -> ErrorRow:
        status = (404, 503, 0)[number % 3]
        return ErrorRow(
            url=f"https://slow.example.net/a/{number}",
            failure={404: "http_error", 503: "server_error", 0: "idle_timeout"}[status],
            status=status,
            detail="" if status else "nothing came for 20 s",
            tries=1 + number % 3,
            at=NOW - 17 * number,
            referrer="https://slow.example.net/",
        )

    def happen(self, count: int) -> None:
        """Let events happen."""
        for number in range(self.log.last, self.log.last + count):
            bad = number % 7 == 3
            self.log.add(
                "warning" if bad else "info",
                "failed" if bad else "stored",
                "503 Service Unavailable, the host backs off" if bad else "200 text/html, 18 KiB, 31 links",
                url=f"https://{NAMES[number % 10]}.example.com/a/{number}",
                host=f"{NAMES[number % 10]}.example.com",
                worker=number % max(1, len(self.worker_rows)),
            )

    # the API's Crawl

    def hello(self) -> Hello:
        return Hello(
            api=self.api,
            version="0.4.1",
            pid=self.pid,
            crawl=self.crawl,
            started=NOW - 8077,
            data_dir="/var/lib/spiderd",
            rights="write",
        )

    def snapshot(self) -> Snapshot:
        last = max(1, len(self.history))
        return Snapshot(
            now=NOW,
            state=self.state,
            reason=self.reason,
            message=self.message,
            since=self.since,
            hello=self.hello(),
            counters=self.counters,
            rates=Rates(
                pages=sum(self.history[-10:]) / min(10, last),
                bytes=2_311 * 1024.0,
                history=list(self.history),
            ),
            workers=self.worker_rows,
            directories=[row for row in self.directory_rows if row.open],
            directories_total=len(self.directory_rows),
            last_event=self.log.last,
            order="breadth",
            threads=len(self.worker_rows),
            max_pages=0,
            index=self.index,
            overrides=[
                Change(key=row.key, value=row.value, filed=row.filed)
                for row in self.setting_rows
                if row.override
            ],
        )

    async def workers(self, query: ListQuery) -> Workers:
        return Workers(**_page(self.worker_rows, query, "url"))

    async def directories(self, query: ListQuery) -> Directories:
        return Directories(**_page(self.directory_rows, query, "path"))

    async def hosts(self, query: ListQuery) -> Hosts:
        return Hosts(**_page(self.host_rows, query, "host"))

    async def errors(self, query: ListQuery) -> Errors:
        return Errors(**_page(self.error_rows, query, "url"))

    async def events(self, since: int, wait: float, level: str) -> Events:
        return await self.log.read(since, wait, level)

    async def check(self, urls: list[str]) -> Added:
        results = [self._judge(url) for url in urls]
        counts = {kind: sum(row.result == kind for row in results) for kind in ("new", "known", "refused")}
        return Added(results=results, **counts)

    async def add(self, urls: list[str]) -> Added:
        answer = await self.check(urls)
        self.calls.append(f"add {' '.join(urls)}")
        self.known.update(row.url for row in answer.results if row.result == "new")
        return answer

    def _judge(self, url: str) -> AddResult:
        if not url.startswith(("http://", "https://")):
            return AddResult(url=url, result="refused", reason="not http or https")
        return AddResult(url=url, result="known" if url in self.known else "new")

    async def pause(self) -> StateReply:
        return self._become("pause", CrawlState.PAUSED)

    async def resume(self) -> StateReply:
        return self._become("resume", CrawlState.RUNNING)

    async def stop(self) -> StateReply:
        return self._become("stop", CrawlState.STOPPING)

    async def retry(self, asked: RetryRequest) -> Retried:
        self.calls.append(" ".join(["retry", *asked.urls]))
        return Retried(state=self.state, reason=self.reason, urls=len(self.error_rows))

    def _become(self, call: str, state: CrawlState) -> StateReply:
        self.calls.append(call)
        self.state, self.reason = state, Reason.USER
        return StateReply(state=state, reason=Reason.USER)

    async def traps(self, query: ListQuery) -> Traps:
        return Traps(**_page(self.trap_rows, query, "shape"))

    async def release(self, what: str) -> Released:
        self.calls.append(f"release {what}")
        shape = any(row.shape == what for row in self.trap_rows)
        self.trap_rows = [row for row in self.trap_rows if row.shape != what]
        return Released(
            state=self.state, reason=self.reason, kind="shape" if shape else "host", name=what, urls=12
        )

    def settings(self) -> Settings:
        return Settings(source="/etc/spiderd/config.toml", rows=self.setting_rows)

    async def set(self, asked: SettingRequest) -> Reconfigured:
        self.calls.append(f"set {asked.key} {asked.value}")
        row = next((row for row in self.setting_rows if row.key == asked.key), None)
        if row is None or not row.live:
            raise ConfigError(f"{asked.key} cannot be changed while the crawl runs")
        before, row.override = row.value, asked.value is not None
        row.value = row.filed if asked.value is None else msgspec.json.encode(asked.value).decode()
        change = Change(key=row.key, value=row.value, filed=before)
        return Reconfigured(state=self.state, reason=self.reason, changed=[change])

    async def reload(self) -> Reconfigured:
        self.calls.append("reload")
        return Reconfigured(state=self.state, reason=self.reason, notes=["nothing has changed"])

    async def visited(self, urls: list[str]) -> Added:
        return await self.check(urls)

    async def why(self, url: str) -> Why:
        return Why(
            url=url,
            key="00ff00ff00ff00ff",
            allowed=True,
            scope="scope.follow = site: example.com",
            robots="",
            queue="waiting",
            tries=0,
            failure="",
            host="news.example.com",
            host_state="ready",
            next_allowed=0.0,
        )

    async def search(self, query: str, page: int, limit: int, *, typing: bool = False) -> SearchReply:
        self.calls.append(f"search {query}")
        words = query.casefold().split()
        found = [hit for hit in self.hits if words and all(word in hit.title.casefold() for word in words)]
        start = limit * (page - 1)
        return SearchReply(
            query=query,
            page=page,
            pages=-(-len(found) // limit),
            limit=limit,
            total=len(found),
            exact=True,
            elapsed=0.014,
            hits=found[start : start + limit],
            message="" if found else "No page holds all of these words.",
            suggestions=[] if found else ["crawl"],
            index=self.index,
        )

    async def page(self, number: int, url: str) -> PageReply:
        hit = next((hit for hit in self.hits if hit.id == number or hit.url == url), None)
        if hit is None:
            raise UsageError(f"{url or number} has not been fetched.")
        return PageReply(
            id=hit.id,
            url=hit.url,
            title=hit.title,
            status=200,
            kind="stored",
            failure="",
            fetched=hit.fetched,
            content_type="text/html",
            size=18_432,
            depth=2,
            referrer="https://news.example.com/",
            location="",
            path="pages/3/00112",
            language=hit.language,
            text=f"{hit.title}\n\nThe crawl must keep at most one open connection to a host.\n" * 20,
            cut=False,
            links_out=41,
            links_in=6,
        )

    async def reindex(self) -> IndexState:
        self.calls.append("reindex")
        return self.index


def _hit(number: int) -> Hit:
    title = ("Polite crawling in practice", "Robots rules and the crawl", "爬虫的礼貌策略 crawl")[number % 3]
    return Hit(
        id=number + 1,
        url=f"https://{NAMES[number % 10]}.example.com/notes/{number}.html",
        title=f"{title} {number}",
        site=f"{NAMES[number % 10]}.example.com",
        fetched=NOW - 60 * number,
        language=("en", "en", "zh")[number % 3],
        snippet="… a crawl keeps one connection to a host; politeness is a property of the queue …",
        marks=[(4, 9)],
        title_marks=[(0, 6)],
        duplicates=number % 4,
        score=12.0 - number / 10,
    )


def _page(rows: list, query: ListQuery, text: str) -> dict:
    found = [row for row in rows if query.filter.casefold() in getattr(row, text).casefold()]
    if query.sort:
        found.sort(key=lambda row: getattr(row, query.sort), reverse=query.desc)
    cut = found[query.offset : query.offset + query.limit]
    return {
        "total": len(found),
        "offset": query.offset,
        "limit": query.limit,
        "rows": [msgspec.structs.replace(row) for row in cut],
    }
