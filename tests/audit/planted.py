"""A site in which each fault that a report tells of is planted, and the crawl of it."""

from __future__ import annotations

import os
import ssl
from pathlib import Path
from typing import Any

import trio

from spiderd.config import Config
from tests.crawl.harness import configured, crawl
from tests.web.faults import late, redirect
from tests.web.server import Request, Route, serve
from tests.web.tls import tls_for

HOST = "127.0.0.7"
SLOW = 0.06  # seconds that /slow takes
DEAD = "http://127.0.0.99:9/nobody"  # where nobody listens
PROSE = " ".join(
    f"{word}{chr(97 + n % 24)}" for n in range(400) for word in ("river", "stone", "cloud", "meadow")
)
LONG = "A title that goes on for far longer than any page of results would ever show of it"


def page(title: str, *links: str, text: str = "", head: str = "") -> str:
    """A page; a link is a target, or a target and its text."""
    anchors = "".join(f'<a href="{to}">{said}</a>' for to, _, said in (link.partition("|") for link in links))
    return f"<html><head><title>{title}</title>{head}</head><body>{anchors} {title} {text}</body></html>"


def html(body: str | bytes, charset: str = "utf-8") -> Route:
    return (200, {"Content-Type": f"text/html; charset={charset}"}, body)


def calendar(request: Request) -> str:
    """Ever new URLs, and nothing new on them."""
    day = int(request.path.rpartition("/")[2])
    return f"<title>calendar</title><a href='/cal/{day + 1}'>on</a> no events today, nor on any other day"


def routes(origin: str) -> dict[str, Route]:
    """The site at an origin."""
    sitemap = "".join(f"<url><loc>{origin}{path}</loc></url>" for path in ("/", "/orphan", "/lost", "/a"))
    made: dict[str, Any] = {
        "/robots.txt": (
            200,
            {"Content-Type": "text/plain"},
            f"User-agent: *\nDisallow: /private\nSitemap: {origin}/sitemap.xml\n",
        ),
        "/sitemap.xml": (
            200,
            {"Content-Type": "application/xml"},
            f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{sitemap}</urlset>',
        ),
        "/": page(
            "Root",
            "/a|first",
            "/b|second",
            "/gone|a page that is gone",
            "/oops|a page that fails",
            "/one|moved once",
            "/chain1|moved thrice",
            "/loop1|round and round",
            "/dangling|to nothing",
            "/nowhere|to no place",
            "/copy|copied",
            "/near1|near",
            "/near2|nearer",
            "/untitled|no title",
            "/long|long title",
            "/same1|same title",
            "/same2|same title again",
            "/end|dead end",
            "/slow|slow",
            "/private/x|secret",
            "/hidden|not to be indexed",
            "/liar|says latin, is cyrillic",
            "/honest|says what it is",
            "/cal/1|calendar",
            "/notes.txt|plain text",
            f"{DEAD}|a host that is not there",
        ),
        "/a": page("Page a", "/", "/b", "/gone|the same gone page", "/deep|deep"),
        "/b": page("Page b", "/", "/one|moved once, too"),
        "/deep": page("Deep", "/deeper"),
        "/deeper": page("Deeper", "/", text="x" * 60_000),
        "/gone": (404, {"Content-Type": "text/html"}, b"gone"),
        "/oops": (500, {}, b"oops"),
        "/one": redirect("/a", 301),
        "/chain1": redirect("/chain2", 301),
        "/chain2": redirect("/chain3", 302),
        "/chain3": redirect("/b", 301),
        "/loop1": redirect("/loop2"),
        "/loop2": redirect("/loop1"),
        "/dangling": redirect("/gone"),
        "/nowhere": (302, {}, b""),
        "/copy": page("Page b", "/", "/one|moved once, too"),
        "/near1": page("Near one", "/", text=PROSE),
        "/near2": page("Near two", "/", text=PROSE.replace("stonex", "pebble", 1)),
        "/untitled": "<html><body><a href='/'>up</a> a page without a name</body></html>",
        "/long": page(LONG, "/"),
        "/same1": page("Same", "/", text="one of two"),
        "/same2": page(" Same ", "/", text="the other of them"),
        "/end": page("Dead end", text="nothing leads on from here"),
        "/slow": late(SLOW, page("Slow", "/")),
        "/private/x": page("Secret", "/"),
        "/hidden": page("Hidden", "/", head='<meta name="robots" content="noindex">'),
        "/liar": html(page("Привет", "/", text="многоуважаемый шкаф " * 20).encode("utf-8"), "iso-8859-1"),
        "/honest": html(page("Страница", "/", text="другие слова " * 20).encode("koi8-r"), "koi8-r"),
        "/notes.txt": (200, {"Content-Type": "text/plain"}, "notes"),
        "/orphan": page("Orphan", "/"),
        "/lost": (404, {}, b"lost"),
    }
    made |= {f"/cal/{day}": calendar for day in range(1, 40)}
    return made


def config(*seeds: str, **changes: dict[str, Any]) -> Config:
    sections: dict[str, dict[str, Any]] = {
        "crawl": {"retries": 0},
        "scope": {"follow": "any", "private_addresses": "always"},
        "traps": {"shape_window": 3},
    }
    for name, values in changes.items():
        sections.setdefault(name, {}).update(values)
    return configured(*seeds, **sections)


def make(data: Path, *, without: tuple[str, ...] = (), others: dict[str, Route] | None = None) -> str:
    """Crawl the site; its origin. It has a port of its own, the same for each crawl of a process.

    Args:
        data: the data directory.
        without: paths that are not there this time.
        others: routes that are, instead of the usual ones or beside them.
    """
    port = 20_000 + os.getpid() % 10_000

    async def run() -> str:
        async with serve({}, HOST, port) as site:
            site.routes = {**routes(site.origin), **(others or {})}
            for path in without:
                del site.routes[path]
            await crawl(config(site.url("/")), data)
            assert not site.errors
            return site.origin

    return trio.run(run)


def make_secure(data: Path) -> tuple[str, str]:
    """Crawl a site by https that refers to http; the origins of both."""
    tls = tls_for(HOST)

    async def run() -> tuple[str, str]:
        async with serve({}, HOST) as plain, serve({}, HOST, tls=tls.server) as site:
            plain.routes = {"/robots.txt": (404, {}, b""), "/page": page("Plain", "/page")}
            refers = f'<script src="{plain.url("/x.js")}"></script><img src="{plain.url("/x.png")}">'
            site.routes = {
                "/robots.txt": (404, {}, b""),
                "/": page("Secure", "/fine", f"{plain.url('/page')}|plain", head=refers),
                "/fine": page("Fine", "/", head='<img src="/y.png">'),
            }
            await crawl(config(site.url("/")), data)
            return site.origin, plain.origin

    return trio.run(run)


def trust(pem: Path) -> None:
    """Write the authority of the certificates where a client that is told so will look."""
    pem.write_bytes(tls_for(HOST).authority_pem)
    assert ssl.create_default_context(cafile=str(pem))
