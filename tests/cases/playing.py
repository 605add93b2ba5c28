"""The cases' web: hosts by name, whole crawls over them, and what the crawl has written down.

Names such as `example.test` are reserved and resolve nowhere, so a crawl reaches them through a proxy: one
server that sees each request as it would go to the host, the absolute URL in the request line. What a case
says about the wire is held against that log.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from spiderd.parse.links import LinkFlag, LinkKind, LinkRecord, decode_record
from spiderd.states import OutcomeKind
from spiderd.store.environment import Environment
from spiderd.store.records import ErrorRecord, HostRecord, PageRecord, decode
from spiderd.urls import key_hash, seen_key
from tests.crawl.harness import Recorder, configured, crawl
from tests.web.server import Answer, Request, Route, Site, call, serve

Hosts = Mapping[str, Mapping[str, Route]]
HTML = {"Content-Type": "text/html"}


def html(body: str | bytes, **headers: str) -> Answer:
    """An HTML page with these headers (`X_Robots_Tag` becomes X-Robots-Tag)."""
    return 200, {**HTML, **{name.replace("_", "-"): value for name, value in headers.items()}}, body


def links(*references: str, text: str = "") -> str:
    """A page with these references, as they are; a different `text` makes it a different page."""
    return f"<title>{text}</title><p>{text}" + "".join(f'<a href="{ref}">x</a>' for ref in references)


@dataclass
class Web:
    """All hosts behind one proxy."""

    site: Site
    hosts: dict[str, dict[str, Route]]

    @property
    def asked(self) -> list[str]:
        """The URLs that were asked for, in order, as they stood on the wire; robots.txt is left out."""
        return [request.target for request in self.site.requests if not is_robots(request)]

    @property
    def robots(self) -> list[str]:
        """The robots.txt that were asked for."""
        return [request.target for request in self.site.requests if is_robots(request)]

    @property
    def host_headers(self) -> set[str]:
        """All values of the Host header."""
        return {request.header("host") for request in self.site.requests}

    def config(self, *seeds: str, **changes: Any) -> Any:
        """A configuration that reaches this web, `follow = "any"` unless a section says otherwise."""
        fetch = {"proxy": self.site.origin, "sitemaps": False, **changes.pop("fetch", {})}
        scope = {"follow": "any", **changes.pop("scope", {})}
        return configured(*seeds, fetch=fetch, scope=scope, **changes)

    async def crawl(self, data_dir: Path, *seeds: str, **changes: Any) -> Crawled:
        """Crawl it from these seeds to the end."""
        return Crawled(data_dir, await crawl(self.config(*seeds, **changes), data_dir))


def is_robots(request: Request) -> bool:
    """Whether somebody asks for the rules of a host."""
    return urlsplit(request.target).path == "/robots.txt"


@asynccontextmanager
async def web(hosts: Hosts) -> AsyncIterator[Web]:
    """Serve hosts by name for the length of the block; what is not there is a 404 without a body."""
    known = {name: dict(routes) for name, routes in hosts.items()}

    async def answer(stream: Any, request: Request) -> Answer | None:
        parts = urlsplit(request.target)
        routes = known.get(parts.netloc.lower(), {})
        target = request.target.split("/", 3)[3]
        for key in ("/" + target, "/" + target.partition("?")[0], "*"):
            if key in routes and not (key == "*" and is_robots(request)):
                return await call(routes[key], stream, request)
        return 404, {"Content-Type": "text/plain"}, b""

    async with serve(answer) as site:
        yield Web(site, known)


@dataclass
class Crawled:
    """A crawl that has ended, and what lies in its data directory."""

    data_dir: Path
    report: Recorder

    @property
    def counters(self) -> Any:
        """The last counters."""
        assert self.report.last is not None
        return self.report.last.counters

    @property
    def pages(self) -> dict[str, PageRecord]:
        """The page table by URL."""
        return {row.url: row for _, row in self._rows("pages", PageRecord)}

    def kinds(self) -> dict[str, OutcomeKind]:
        """How the lease of each URL ended."""
        return {url: row.kind for url, row in self.pages.items()}

    @property
    def hosts(self) -> list[str]:
        """The host queues that there ever were."""
        return sorted(row.key for _, row in self._rows("hosts", HostRecord))

    @property
    def details(self) -> dict[str, str]:
        """The error queue: URL to what exactly went wrong."""
        urls = {key: row.url for key, row in self._rows("pages", PageRecord)}
        return {urls[key]: row.detail for key, row in self._rows("errors", ErrorRecord)}

    def keys_known(self) -> set[bytes]:
        """Hashes of the seen keys of all URLs that have a page record."""
        with Environment(self.data_dir / "store") as env, env.begin(write=False) as txn:
            return {bytes(key) for key, _ in txn.cursor(db=env.tables["page_of"])}

    def others(self, url: str) -> dict[str, tuple[LinkKind, bool]]:
        """Links of a page that were recorded and not followed: URL to kind, and whether it is nofollow."""
        return {
            link.url: (LinkKind(link.kind), bool(link.flags & LinkFlag.NOFOLLOW))
            for link in self._links(url).others
        }

    def followed(self, url: str) -> dict[bytes, LinkKind]:
        """Links of a page that were handed on: key hash to kind."""
        return {key: kind for key, kind, _ in self._links(url).followed()}

    def _links(self, url: str) -> LinkRecord:
        number = next(key for key, row in self._rows("pages", PageRecord) if row.url == url)
        with Environment(self.data_dir / "store") as env, env.begin(write=False) as txn:
            return decode_record(bytes(txn.get(number, db=env.tables["links"])))

    def _rows(self, table: str, kind: type) -> list[tuple[bytes, Any]]:
        with Environment(self.data_dir / "store") as env, env.begin(write=False) as txn:
            return [(bytes(key), decode(kind, bytes(row))) for key, row in txn.cursor(db=env.tables[table])]

    def written(self) -> bytes:
        """Every byte of every file of the crawl, resources of the archive left out."""
        return b"".join(
            path.read_bytes()
            for path in sorted(self.data_dir.rglob("*"))
            if path.is_file() and not (path.parent.parent.name == "pages" and path.name != "index.txt")
        )


@dataclass
class Each:
    """Many small cases played in one crawl, each on hosts of its own."""

    crawled: Crawled
    hosts: Web
    pages: list[str]

    def asked(self, case: int) -> list[str]:
        """What was asked for in one case beyond its page, in order, by the names that the case uses."""
        urls = [_named(url, case) for url in self.hosts.asked if _case_of(url) == case]
        assert urls.count(self.pages[case]) == 1
        assert len(set(urls)) == len(urls), urls
        return [url for url in urls if url != self.pages[case]]

    def url(self, case: int) -> str:
        """The page of a case by the name that the crawl knows it by."""
        return _renamed(self.pages[case], case)

    def key(self, case: int, url: str) -> bytes:
        """The hash by which the crawl knows a URL of a case."""
        return key_of(_renamed(url, case))

    def others(self, case: int) -> dict[str, tuple[LinkKind, bool]]:
        """Links of the case's page that were recorded and not followed."""
        found = self.crawled.others(self.url(case))
        return {_named(url, case): told for url, told in found.items()}


async def play_each(tmp_path: Path, rows: Sequence[tuple[str, Any]], **changes: Any) -> Each:
    """Crawl the page of each row, a URL and its answer; every other URL of its hosts is a page without links.

    A case speaks of `example.test`, `other.test` and `cdn.test`; in the crawl each has its own hosts of these
    names, with a number. One worker keeps the order of the links.
    """
    numbers = iter(range(1_000_000))
    routes: dict[str, dict[str, Route]] = {}
    for case, (url, answer) in enumerate(rows):
        scheme, _, name, path = url.split("/", 3)
        assert scheme == "http:"
        for host in HOSTS:
            routes[_renamed(host, case)] = {"*": lambda _: f"page {next(numbers)}"}
        routes[_renamed(name, case)]["/" + path] = _renamed(answer, case)
    changes["crawl"] = {"threads": 1, **changes.get("crawl", {})}
    async with web(routes) as hosts:
        seeds = [_renamed(url, case) for case, (url, _) in enumerate(rows)]
        crawled = await hosts.crawl(tmp_path, *seeds, **changes)
        assert hosts.site.errors == []
        return Each(crawled, hosts, [url for url, _ in rows])


HOSTS = ("example.test", "other.test", "cdn.test")
_NAMES = re.compile(r"(example|other|cdn)(?=\.test)", re.IGNORECASE)
_NUMBERED = re.compile(r"(example|other|cdn)([0-9]+)(?=\.test)")


def _renamed(value: Any, case: int) -> Any:
    if isinstance(value, str):
        return _NAMES.sub(rf"\g<1>{case}", value)
    if isinstance(value, bytes):
        return _renamed(value.decode("latin-1"), case).encode("latin-1")
    if isinstance(value, tuple | list):
        return type(value)(_renamed(part, case) for part in value)
    if isinstance(value, dict):
        return {name: _renamed(part, case) for name, part in value.items()}
    return value


def _named(url: str, case: int) -> str:
    return url.replace(f"{case}.test", ".test")


def _case_of(url: str) -> int:
    found = _NUMBERED.search(url)
    return int(found[2]) if found else -1


def key_of(url: str) -> bytes:
    """The hash by which a URL is known."""
    return key_hash(seen_key(url))
