"""Kinds of fault that the list has no number for, next to those that it has."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import brotli
import pytest
import trio
import trio.testing
import zstandard

from spiderd.states import Failure, OutcomeKind
from tests.cases.playing import Crawled, html, links, play_each, web
from tests.crawl.harness import archived, configured, crawl
from tests.crawl.pages import page, site_of
from tests.web.faults import raw
from tests.web.server import serve

pytestmark = pytest.mark.trio

H = "http://example.test"


@pytest.fixture
def autojump_clock() -> trio.testing.MockClock:
    """Jumps only after a while in which nothing came in from sockets and threads."""
    return trio.testing.MockClock(autojump_threshold=0.05)


BLANKS = [
    ("/a", "/a"),
    (" \t\n/a\r\n ", "/a"),
    ("/a\nb\tc", "/abc"),
    ("/a b", "/a%20b"),
    ("/a%20b ", "/a%20b"),
    ("\u00a0/a", "/d/%C2%A0/a"),  # a no-break space is a character like others
    ("/a\u00a0", "/a%C2%A0"),
    ("/a\u200bb", "/a%E2%80%8Bb"),
    ("/\u0000a", "/%EF%BF%BDa"),
    ("/a\x0bb", "/a%0Bb"),
    ("\x0b/a", "/a"),  # in front it is trimmed, as all controls are
    ("/cafe\u0301", "/cafe%CC%81"),
    ("/caf\u00e9", "/caf%C3%A9"),
    ("/\U0001f600", "/%F0%9F%98%80"),
    ("/a\u202eb", "/a%E2%80%AEb"),
    ("/%C0%AE%C0%AE/x", "/%C0%AE%C0%AE/x"),  # no dots in disguise
    ("/a|b[c]{d}", "/a|b[c]%7Bd%7D"),
    ("/'x'\"y\"", "/'x'%22y%22"),
    ("?q='x' \"y\"<z>", "/d/p?q=%27x%27%20%22y%22%3Cz%3E"),
    ("/a?b?c#d#e", "/a?b?c"),
    ("/a;b=1;c=2", "/a;b=1;c=2"),
    ("/a:b@c", "/a:b@c"),
    ("/a//b///c", "/a//b///c"),
    ("/=&+$,!*()", "/=&+$,!*()"),
]


async def test_blanks_controls_and_odd_characters_in_references(tmp_path: Path) -> None:
    def attribute(reference: str) -> str:
        escaped = reference.replace("&", "&amp;").replace('"', "&quot;")
        return f'<meta charset=utf-8><a href="{escaped}">x</a>'

    pages = [(f"{H}/d/p", html(attribute(reference).encode())) for reference, _ in BLANKS]
    each = await play_each(tmp_path, pages)
    found = {reference: each.asked(case) for case, (reference, _) in enumerate(BLANKS)}
    assert found == {reference: [H + path] for reference, path in BLANKS}


def moved(location: str | bytes, status: int = 302):
    """A redirect whose Location is sent byte for byte."""
    value = location if isinstance(location, bytes) else location.encode()
    return raw(b"HTTP/1.1 %d Moved\r\nLocation: %b\r\nContent-Length: 0\r\n\r\n" % (status, value))


LOCATIONS = [
    ("/b", f"{H}/b"),
    ("b", f"{H}/d/b"),
    ("?x", f"{H}/d/p?x"),
    ("//other.test/b", "http://other.test/b"),
    ("/b#frag", f"{H}/b"),
    ("/é".encode(), f"{H}/%C3%A9"),
    (b"/\xe9", f"{H}/%C3%A9"),  # no UTF-8: Latin-1
    ("/a b", f"{H}/a%20b"),
    ("\\\\other.test\\b", "http://other.test/b"),
    ("HTTP://EXAMPLE.TEST:80/b", f"{H}/b"),
    (f"{H}./b", f"{H}./b"),
    ("  /b  ", f"{H}/b"),
    ("/%zz", f"{H}/%zz"),
    ("", None),
    ("mailto:x", None),
    ("http://", None),
    ("javascript:x", None),
    ("file:///etc/passwd", None),
]


async def test_redirects_as_servers_write_them(tmp_path: Path) -> None:
    routes = {f"/d/p{n}": moved(location) for n, (location, _) in enumerate(LOCATIONS)}
    wanted = {f"/d/p{n}": target for n, (_, target) in enumerate(LOCATIONS)}
    numbers = iter(range(1000))
    rest = {"*": lambda _: f"page {next(numbers)}"}
    seeds = [H + path for path in routes]
    async with web({"example.test": {**routes, **rest}, "example.test.": rest, "other.test": rest}) as hosts:
        crawled = await hosts.crawl(tmp_path, *seeds)
        reached = set(hosts.asked) - set(seeds)
    for path, target in wanted.items():
        row = crawled.pages[H + path]
        if target is None:
            assert (row.kind, row.failure) == (OutcomeKind.FAILED, Failure.BAD_REDIRECT), path
        else:
            shown = target.replace("p?x", f"{path.rpartition('/')[2]}?x")
            assert (row.kind, row.location) == (OutcomeKind.REDIRECT, shown), path
    once = {
        f"{H}/b",
        f"{H}/d/b",
        f"{H}/d/p2?x",
        "http://other.test/b",
        f"{H}/%C3%A9",
        f"{H}/a%20b",
        f"{H}/%zz",
    }
    assert {url.replace("test./", "test/") for url in reached} == once


async def test_a_redirect_is_judged_as_a_link_is_at_each_hop(tmp_path: Path) -> None:
    rules = (200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /no")
    routes = {
        "/": links("/out", "/forbidden", "/deep", "/packed"),
        "/robots.txt": rules,
        "/out": (301, {"Location": "http://other.test/x"}, b""),
        "/forbidden": (301, {"Location": "/no/x"}, b""),
        "/deep": (307, {"Location": "/deeper"}, b""),
        "/deeper": (308, {"Location": "/deepest"}, b""),
        "/deepest": "there",
        "/packed": (302, {"Location": "/x.zip"}, b""),
    }
    async with web({"example.test": routes, "other.test": {"/x": "x"}}) as hosts:
        wishes = {"follow": "host", "exclude": [r"\.zip$"]}
        crawled = await hosts.crawl(tmp_path, f"{H}/", scope=wishes, crawl={"max_depth": 1})
        assert not any("other.test" in url for url in hosts.asked + hosts.robots)
        assert f"{H}/no/x" not in hosts.asked
    assert crawled.pages[f"{H}/deepest"].kind is OutcomeKind.STORED  # hops are no depth
    assert crawled.pages[f"{H}/deepest"].depth == 1
    assert crawled.counters.refused == {"scope": 1, "exclude": 1}
    assert crawled.counters.failures == {Failure.ROBOTS_DENIED: 1}
    assert crawled.counters.redirects == 5


BODY = b"<title>packed</title>" + b"a page that is worth packing " * 40


def raw_deflate(body: bytes) -> bytes:
    """Deflate without zlib's head, as some servers send it."""
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


CODED = {
    "/gzip": ("gzip", gzip.compress(BODY)),
    "/x-gzip": ("x-gzip", gzip.compress(BODY)),
    "/GZIP": ("GZIP", gzip.compress(BODY)),
    "/deflate": ("deflate", zlib.compress(BODY)),
    "/raw-deflate": ("deflate", raw_deflate(BODY)),
    "/br": ("br", brotli.compress(BODY)),
    "/zstd": ("zstd", zstandard.compress(BODY)),
    "/twice": ("gzip, gzip", gzip.compress(gzip.compress(BODY))),
    "/two-kinds": ("br, gzip", gzip.compress(brotli.compress(BODY))),
    "/identity": ("identity", BODY),
    "/utf-8": ("utf-8", BODY),  # a mistake that browsers forgive
    "/none": ("none", BODY),
    "/empty": ("", BODY),
    "/members": ("gzip", gzip.compress(BODY[:99]) + gzip.compress(BODY[99:])),
    "/garbage": ("gzip", gzip.compress(BODY) + b"\0\0garbage"),
}


async def test_content_codings_as_servers_use_and_misuse_them(tmp_path: Path) -> None:
    routes = {
        path: (
            200,
            {"Content-Type": "text/html", "Content-Encoding": name},
            body + path.encode() * (name == "?"),
        )
        for path, (name, body) in CODED.items()
    }
    async with serve(site_of({"/": page(*CODED), **routes})) as site:
        report = await crawl(configured(site.url("/"), crawl={"retries": 0}), tmp_path)
    crawled = Crawled(tmp_path, report)
    kinds = {path: crawled.pages[site.url(path)].kind for path in CODED}
    whole = {OutcomeKind.STORED, OutcomeKind.DUPLICATE}
    assert {path: kind for path, kind in kinds.items() if kind not in whole} == {}
    assert {crawled.pages[site.url(path)].size for path in CODED} == {len(BODY)}
    assert [body for body in archived(tmp_path).values() if body == BODY] == [
        BODY
    ]  # one content, stored once
    assert report.last is not None
    assert report.last.counters.duplicates == len(CODED) - 1


async def test_what_is_not_packed_as_it_says_is_no_page(tmp_path: Path) -> None:
    """Browsers show an error, too: nobody knows what these bytes are."""
    answers = {f"/{name}": html(BODY, Content_Encoding=name) for name in ("gzip", "br", "zstd", "deflate")}
    async with serve(site_of({"/": page(*answers), **answers})) as site:
        report = await crawl(configured(site.url("/"), crawl={"retries": 0}), tmp_path)
    assert report.last is not None
    assert report.last.counters.failures == {Failure.BAD_ENCODING: 4}


TYPES = [
    # Content-Type, body, whether its link is followed
    ("text/html", '<a href="/x">', True),
    ("TEXT/HTML ; charset=utf-8", '<a href="/x">', True),
    ("application/xhtml+xml", '<html xmlns="http://www.w3.org/1999/xhtml"><a href="/x"/></html>', True),
    ("text/plain", '<a href="/x">', False),
    ("", '<!doctype html><a href="/x">', True),
    ("", '  <HTML><a href="/x">', True),
    ("", '{"a": "<a href=/x>"}', False),
    ("text/html, text/html", '<a href="/x">', True),
    ("text/html;", '<a href="/x">', True),
    ("application/pdf", '<a href="/x">', False),
]


async def test_what_is_read_for_links_by_its_type(tmp_path: Path) -> None:
    pages = [
        (f"{H}/p", (200, {"Content-Type": kind} if kind else {"X-No": "type"}, body))
        for kind, body, _ in TYPES
    ]
    each = await play_each(tmp_path, pages)
    found = [(kind, body, bool(each.asked(case))) for case, (kind, body, _) in enumerate(TYPES)]
    assert found == TYPES


async def test_a_dead_host_ends_and_costs_the_others_nothing(tmp_path: Path, autojump_clock) -> None:
    dead = [f"http://127.0.0.{n}:9/x{n}" for n in range(100, 110)]
    pages = {f"/{n}": str(n) for n in range(30)}
    async with serve(site_of({"/": page(*dead, *pages), **pages})) as site:
        config = configured(site.url("/"), scope={"follow": "any"})
        report = await crawl(config, tmp_path, clock=trio.current_time)
        assert max(request.time for request in site.requests) < 5.0
        assert trio.current_time() < 300.0
    crawled = Crawled(tmp_path, report)
    assert crawled.counters.pages == 31
    assert {crawled.pages[url].failure for url in dead} == {Failure.HOST_UNREACHABLE}
    assert all("connect_refused" in crawled.details[url] for url in dead)


async def test_a_page_names_what_a_terminal_must_not_see(tmp_path: Path, capfd) -> None:
    title = "\x1b]0;owned\x07\x1b[2J\u202eevil\u0000" + "x" * 10_000
    routes = {"/": f"<title>{title}</title>" + links("/\x1b[31mred", "/gone\u202e")}
    async with web({"example.test": {path: html(body.encode()) for path, body in routes.items()}}) as hosts:
        crawled = await hosts.crawl(tmp_path, f"{H}/", log={"level": "debug"})
    assert "\x1b" not in capfd.readouterr().err
    assert len(crawled.pages[f"{H}/"].title) <= 500
    assert all(url.isascii() and url.isprintable() for url in crawled.pages)
