"""A crawl that is played: fulfils the API's `Crawl` from attributes that a test sets, and notes calls.

For what a real crawl cannot be brought to at will: exact figures, 20,000 hosts, hostile titles, a store that
is broken. Everything that is about behaviour is tested against a real daemon instead.
"""

from __future__ import annotations

from typing import Any

import msgspec

from spiderd.api.crawl import ListQuery
from spiderd.api.events import EventLog
from spiderd.api.vitals import Vitals
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
    HostReply,
    HostRow,
    Hosts,
    IndexState,
    LinkRow,
    Links,
    NextUrl,
    OutcomeRow,
    PageReply,
    Rates,
    Reconfigured,
    Released,
    Report,
    ReportInfo,
    ReportRow,
    Reports,
    Retried,
    RetryRequest,
    RevisitReply,
    RobotsRow,
    SearchReply,
    SettingRequest,
    SettingRow,
    Settings,
    Snapshot,
    StateReply,
    TrapRow,
    Traps,
    Tree,
    TreeRow,
    Why,
    WorkerRow,
    Workers,
)
from spiderd.states import CrawlState, Reason

HELD_BACK = {"backoff", "parked", "unreachable"}


class PlayedCrawl:
    """Rows are plain attributes; change them and the next answer has them.

    Args:
        greeting: who is there.
        now: the crawl's clock, which stands still.
        events: the event log.
    """

    def __init__(self, greeting: Hello, now: float, events: EventLog) -> None:
        self.api = API_VERSION
        self.greeting, self.now, self.log = greeting, now, events
        self.state, self.reason, self.message = CrawlState.RUNNING, Reason.NONE, ""
        self.since = now
        self.urls: set[str] = set()
        self.counters = Counters()
        self.rates = Rates()
        self.worker_rows: list[WorkerRow] = []
        self.directory_rows: list[DirectoryRow] = []
        self.host_rows: list[HostRow] = []
        self.tree_rows: list[TreeRow] = []
        self.error_rows: list[ErrorRow] = []
        self.report_infos: list[ReportInfo] = []
        self.report_rows: dict[str, list[ReportRow]] = {}
        self.trap_rows: list[TrapRow] = []
        self.outside = 0
        self.setting_rows: list[SettingRow] = []
        self.reloaded = Reconfigured(state=self.state, reason=self.reason)
        self.next: list[NextUrl] = []
        self.recent: list[OutcomeRow] = []
        self.robots: list[RobotsRow] = []
        self.hits: list[Hit] = []
        self.suggestions: list[str] = []
        self.text = ""  # of every page
        self.out: list[LinkRow] = []  # links of every page
        self.into: list[LinkRow] = []
        self.index = IndexState(state="idle", indexed=0, pages=0)
        self.ruling: dict[str, Any] = {}  # fields of every answer to "why"
        self.broken = False  # the configuration
        self.pages_this_run = 0
        self.kept_vitals = Vitals()
        self.calls: list[str] = []
        self.asked: list[ListQuery] = []
        self.retried: list[RetryRequest] = []
        self.set_live: dict[str, object] = {}

    # the picture

    def hello(self) -> Hello:
        return msgspec.structs.replace(self.greeting, api=self.api)

    async def vitals(self) -> Vitals:
        return self.kept_vitals

    def snapshot(self) -> Snapshot:
        return Snapshot(
            now=self.now,
            state=self.state,
            reason=self.reason,
            message=self.message,
            since=self.since,
            hello=self.hello(),
            counters=self.counters,
            rates=self.rates,
            workers=self.worker_rows,
            directories=[row for row in self.directory_rows if row.open],
            directories_total=len(self.directory_rows),
            last_event=self.log.last,
            order="breadth",
            threads=len(self.worker_rows),
            max_pages=0,
            index=self.index,
            pages_this_run=self.pages_this_run,
            overrides=[
                Change(key=row.key, value=row.value, filed=row.filed)
                for row in self.setting_rows
                if row.override
            ],
        )

    async def events(self, since: int, wait: float, level: str) -> Events:
        return await self.log.read(since, wait, level)

    # lists

    async def workers(self, query: ListQuery) -> Workers:
        return Workers(**self._page(self.worker_rows, query, "url"))

    async def directories(self, query: ListQuery) -> Directories:
        return Directories(**self._page(self.directory_rows, query, "path"))

    async def hosts(self, query: ListQuery) -> Hosts:
        return Hosts(**self._page(self.host_rows, query, "host"))

    async def errors(self, query: ListQuery) -> Errors:
        return Errors(**self._page(self.error_rows, query, "url"))

    async def traps(self, query: ListQuery) -> Traps:
        return Traps(**self._page(self.trap_rows, query, "shape"), outside=self.outside)

    async def reports(self, query: ListQuery) -> Reports:
        return Reports(
            **self._page(self.report_infos, query, "name"), made=self.now, urls=self.counters.known
        )

    async def report(self, kind: str, query: ListQuery) -> Report:
        if kind not in {info.name for info in self.report_infos}:
            raise UsageError(f'there is no report "{kind}"')
        rows = self.report_rows.get(kind, [])
        return Report(**self._page(rows, query, "url"), kind=kind, made=self.now)

    async def tree(self, host: str, prefix: str, query: ListQuery) -> Tree:
        if not host:
            rows = [row for row in self.tree_rows if row.kind == "host"]
        else:
            rows = [row for row in self.tree_rows if row.host == host and _is_in(row, prefix)]
            if not rows:
                raise UsageError(f"{host} is no host of this crawl.")
        return Tree(**self._page(rows, query, "name"), host=host, prefix=prefix)

    def _page(self, rows: list, query: ListQuery, text: str) -> dict[str, Any]:
        self.asked.append(query)
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

    async def host(self, name: str) -> HostReply:
        row = next((row for row in self.host_rows if row.host == name), None)
        if row is None:
            raise UsageError(f"{name} is no host of this crawl.")
        return HostReply(
            row=row,
            pages=row.complete,
            bytes=row.complete * 17_000,
            next=self.next,
            recent=self.recent,
            looked=4_000,
            robots=self.robots,
        )

    # URLs

    async def add(self, urls: list[str]) -> Added:
        answer = await self.check(urls)
        self.calls.append(f"add {' '.join(urls)}")
        self.urls.update(row.url for row in answer.results if row.result == "new")
        return answer

    async def check(self, urls: list[str]) -> Added:
        results = [self._judge(url) for url in urls]
        counts = {kind: sum(row.result == kind for row in results) for kind in ("new", "known", "refused")}
        return Added(results=results, **counts)

    async def visited(self, urls: list[str]) -> Added:
        answer = await self.add(urls)
        answer.results = [row for row in answer.results if row.result == "refused"]
        return answer

    def _judge(self, url: str) -> AddResult:
        if not url.startswith(("http://", "https://")):
            return AddResult(url=url, result="refused", reason="not http or https")
        return AddResult(url=url, result="known" if url in self.urls else "new")

    async def why(self, url: str) -> Why:
        return Why(url=url, **self.ruling)

    # control

    async def pause(self) -> StateReply:
        return self._become("pause", CrawlState.PAUSED)

    async def resume(self) -> StateReply:
        return self._become("resume", CrawlState.RUNNING)

    async def stop(self) -> StateReply:
        return self._become("stop", CrawlState.STOPPING)

    def _become(self, call: str, state: CrawlState) -> StateReply:
        self.calls.append(call)
        self.state, self.reason = state, Reason.USER
        return StateReply(state=state, reason=Reason.USER)

    async def retry(self, asked: RetryRequest) -> Retried:
        self.calls.append(" ".join(["retry", *asked.urls]))
        self.retried.append(asked)
        queue = [row.url for row in self.error_rows]
        missing = [url for url in asked.urls if url not in queue]
        count = len(asked.urls) - len(missing) if asked.urls else len(queue)
        return Retried(state=self.state, reason=self.reason, urls=count, missing=missing)

    async def revisit(self, what: str) -> RevisitReply:
        self.calls.append(f"revisit {what}")
        is_url = what.startswith("http")
        pages = int(what in self.urls) if is_url else len(self.urls)
        kind = "url" if is_url else "pattern"
        return RevisitReply(state=self.state, reason=self.reason, kind=kind, pages=pages)

    async def release(self, what: str) -> Released:
        self.calls.append(f"release {what}")
        shape = next((row for row in self.trap_rows if row.shape == what), None)
        if shape is not None:
            self.trap_rows.remove(shape)
            return self._released("shape", what, shape.waiting)
        host = next((row for row in self.host_rows if row.host == what), None)
        if host is None:
            raise UsageError(f"{what} is neither a parked shape nor a host of this crawl")
        held = f"{host.state}: {host.reason}" if host.state in HELD_BACK else ""
        return self._released("host", what, host.waiting, held)

    def _released(self, kind: Any, name: str, urls: int, held: str = "") -> Released:
        return Released(state=self.state, reason=self.reason, kind=kind, name=name, urls=urls, held=held)

    def settings(self) -> Settings:
        return Settings(source="/etc/spiderd/config.toml", rows=self.setting_rows)

    async def set(self, asked: SettingRequest) -> Reconfigured:
        self.calls.append(f"set {asked.key} {asked.value}")
        row = next((row for row in self.setting_rows if row.key == asked.key), None)
        if row is None:
            raise UsageError(f"{asked.key}: unknown key; did you mean {self.setting_rows[0].key}?")
        if not row.live:
            raise ConfigError(f"{asked.key} cannot be changed while the crawl runs")
        self.set_live[asked.key] = asked.value
        before, row.override = row.value, asked.value is not None
        row.value = row.filed if asked.value is None else msgspec.json.encode(asked.value).decode()
        change = Change(key=row.key, value=row.value, filed=before)
        return Reconfigured(state=self.state, reason=self.reason, changed=[change])

    async def reload(self) -> Reconfigured:
        self.calls.append("reload")
        if self.broken:
            raise ConfigError(
                "/etc/spiderd/config.toml:3: crawl.thread: unknown key; did you mean crawl.threads?"
            )
        return self.reloaded

    # search

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
            message="" if found else f"Nothing matches {query}.",
            suggestions=[] if found else self.suggestions,
            index=self.index,
        )

    async def links(self, number: int) -> Links:
        if all(hit.id != number for hit in self.hits):
            raise UsageError("There is no such page: it was never fetched.")
        return Links(out=self.out, out_total=41, into=self.into, looked=900, pages=900)

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
            referrer=f"http://{hit.site}/",
            location="",
            path="pages/00003/00112",
            language=hit.language,
            text=f"{hit.title}\n\n{self.text}",
            cut=False,
            links_out=41,
            links_in=6,
        )

    async def reindex(self) -> IndexState:
        self.calls.append("reindex")
        return self.index


def _is_in(row: TreeRow, prefix: str) -> bool:
    """Whether a row is a part of a directory: one level below, or what lies in it itself."""
    if row.kind == "here":
        return row.prefix == prefix
    return row.kind == "directory" and row.prefix[:-1].rpartition("/")[0] == prefix.rstrip("/")
