"""The crawl that pictures, loads and hostile texts are shown with: of any size, and the same every time."""

from __future__ import annotations

import random

from spiderd.api.events import EventLog
from spiderd.protocol import (
    API_VERSION,
    Counters,
    DirectoryRow,
    ErrorRow,
    Hello,
    Hit,
    HostRow,
    IndexState,
    LinkRow,
    NextUrl,
    OutcomeRow,
    Rates,
    Reconfigured,
    RobotsRow,
    SettingRow,
    Snapshot,
    TrapRow,
    TreeRow,
    WorkerRow,
)
from spiderd.states import Step
from tests.api.played import PlayedCrawl

NOW = 1_750_000_000.0  # the stage's clock stands still
NAMES = ("news", "docs", "blog", "shop", "wiki", "lists", "files", "static", "forum", "maps")
SECTIONS = (
    "articles",
    "archive",
    "authors",
    "tags",
    "media",
    "en",
    "de",
    "2025",
    "2026",
    "%E4%B8%AD%E6%96%87",
)


GREETING = Hello(
    api=API_VERSION,
    version="0.4.1",
    pid=4121,
    crawl="amber-fox",
    started=NOW - 8077,
    data_dir="/var/lib/spiderd",
    rights="write",
)
RULING = {
    "key": "00ff00ff00ff00ff",
    "allowed": True,
    "scope": "scope.follow = site: example.com",
    "robots": "",
    "queue": "waiting",
    "tries": 0,
    "failure": "",
    "host": "news.example.com",
    "host_state": "ready",
    "next_allowed": 0.0,
}
ROBOTS = RobotsRow(
    origin="https://news0.example.com",
    kind="rules",
    why="",
    fetched=NOW - 7200,
    expires=NOW + 79_200,
    delay=1.0,
    sitemaps=2,
    text="User-agent: *\nDisallow: /private/\nCrawl-delay: 1\n",
    cut=False,
)


class Stage(PlayedCrawl):
    """A crawl of a made-up size."""

    def __init__(self, *, threads: int = 8, hosts: int = 40, directories: int = 20, errors: int = 30) -> None:
        super().__init__(GREETING, NOW, EventLog(clock=self._time, burst=1_000_000))
        self.chance = random.Random(7)
        self.since = NOW - 600
        self.urls = {"https://news.example.com/"}
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
        self.reloaded = Reconfigured(state=self.state, reason=self.reason, notes=["nothing has changed"])
        self.tree_rows = _tree(self.host_rows[:200])
        self.next = [_next(number) for number in range(10)]
        self.recent = [_outcome(number) for number in range(20)]
        self.robots = [ROBOTS]
        self.ruling = dict(RULING)
        self.suggestions = ["crawl"]
        self.text = "The crawl must keep at most one open connection to a host.\n" * 20
        self.out = [_link(number) for number in range(12)]
        self.into = [_link(number) for number in range(12, 18)]
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

    def snapshot(self) -> Snapshot:
        history = self.history
        self.rates = Rates(
            pages=sum(history[-10:]) / max(1, min(10, len(history))),
            bytes=2_311 * 1024.0,
            history=list(history),
        )
        return super().snapshot()


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


def _next(number: int) -> NextUrl:
    url = f"https://news0.example.com/articles/2026/{number}.html"
    return NextUrl(url=url, depth=3, tries=number % 5 // 4, leased=not number)


def _outcome(number: int) -> OutcomeRow:
    failed = number % 6 == 4
    return OutcomeRow(
        url=f"https://news0.example.com/articles/2025/{number}.html",
        at=NOW - 3 * number,
        kind="failed" if failed else "stored",
        status=503 if failed else 200,
        failure="server_error" if failed else "",
        detail="asked to come back in 22 s" if failed else "",
        size=0 if failed else 18_432 + number,
    )


def _link(number: int) -> LinkRow:
    fetched = number % 4 != 3
    return LinkRow(
        url=f"https://{NAMES[number % 10]}.example.com/notes/{number + 100}.html" if fetched else "",
        text=("Politeness", "Robots rules", "礼貌策略")[number % 3],
        kind="a",
        page=number + 100 if fetched else 0,
        status=(200, 404)[number % 8 == 2] if fetched else 0,
    )


def _tree(hosts: list[HostRow]) -> list[TreeRow]:
    rows = []
    for number, host in enumerate(hosts):
        found = host.waiting + host.complete + host.error
        rows.append(_part("host", host.host, "", host.host, found, host.complete, host.error, inside=True))
        if number:
            continue
        for depth, section in enumerate(SECTIONS):
            size, done = found // (depth + 2), host.complete // (depth + 2)
            name = "中文" if "%" in section else section
            prefix = f"{section}/"
            rows.append(_part("directory", host.host, prefix, name, size, done, depth % 3, inside=depth < 3))
            rows += [
                _part(
                    "directory", host.host, f"{prefix}{month:02}/", f"{month:02}", size // 15, done // 13, 0
                )
                for month in range(1, 13 if depth < 3 else 1)
            ]
        rows.append(_part("here", host.host, "", "", 12, 12, 0))
    return rows


def _part(
    kind: str, host: str, prefix: str, name: str, found: int, done: int, error: int, *, inside: bool = False
) -> TreeRow:
    done = min(done, found - error)
    return TreeRow(
        kind=kind,
        host=host,
        prefix=prefix,
        name=name,
        found=found,
        waiting=found - done - error,
        complete=done,
        error=error,
        inside=inside,
    )
