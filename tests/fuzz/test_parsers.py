"""Real documents with damage: what parsers meet in the wild is mostly right, and wrong where it hurts.

The tests of each parser try soup of its own tokens; here bytes of whole documents are cut out, doubled,
swapped and overwritten, so that the parser is deep in a document when the damage comes. Nothing may raise but
what is declared, and what comes out obeys the laws of its kind.
"""

from __future__ import annotations

import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spiderd.demo
from spiderd.config.loading import load
from spiderd.errors import ConfigError
from spiderd.fetch.framing import BadFraming, framing_of, persists
from spiderd.fetch.head import BadHead, lenient, parse_head
from spiderd.robots import rules
from spiderd.search.query import parse as parse_query
from spiderd.sitemaps import parse as parse_sitemap
from tests.fuzzing import fuzz
from tests.parse.pages import parse, record_of

ROOT = Path(__file__).parents[2]
SITE = Path(spiderd.demo.__file__).parent / "site"
PAGES = [path.read_bytes() for path in sorted(SITE.rglob("*.html"))]
CONFIG = (ROOT / "config.toml").read_bytes()
ROBOTS = [
    (
        b"User-agent: *\nDisallow: /private/\nAllow: /private/open$\nCrawl-delay: 2\n\n"
        b"User-agent: spiderd\nUser-agent: other\nDisallow: /*.pdf$\nDisallow: /a%2fb\n"
        b"Sitemap: https://a.test/sitemap.xml\n"
    ),
    (SITE / "robots.txt").read_bytes(),
]
SITEMAPS = [
    b'<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    + b"".join(
        b"<url><loc>https://a.test/%d?a=1&amp;b=2</loc><lastmod>2026-01-0%d</lastmod></url>" % (n, n)
        for n in range(1, 9)
    )
    + b"</urlset>",
    b"<sitemapindex><sitemap><loc>https://a.test/1.xml</loc></sitemap></sitemapindex>",
    b"https://a.test/1\nhttps://a.test/2\n",
    b'<rss version="2.0"><channel><item><link>https://a.test/1</link></item></channel></rss>',
]
HEADS = [
    (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: 10\r\n"
        b"Set-Cookie: a=b; Path=/\r\nConnection: keep-alive\r\n\r\n"
    ),
    b"HTTP/1.1 302 Found\r\nLocation: /b\r\nTransfer-Encoding: chunked\r\nX-Robots-Tag: noindex\r\n\r\n",
    b"HTTP/1.0 404 Not Found\nServer: old\n Folded: yes\nContent-Encoding: gzip\n\n",
]
CHUNKS = b"5\r\nhello\r\n6;ext=1\r\n world\r\n0\r\nTrailer: x\r\n\r\n"
QUERIES = ['title:"orb web" -site:a.test lang:en OR silk after:2026-01', "蜘蛛 OR クモ url:x", "a" * 50]


@st.composite
def damaged(draw: st.DrawFn, seeds: list[bytes]) -> bytes:
    """A document with a few wounds."""
    data = bytearray(draw(st.sampled_from(seeds)))
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, len(data)))
        stop = draw(st.integers(start, min(len(data), start + 60)))
        piece = bytes(data[start:stop])
        match draw(st.sampled_from(["cut", "double", "overwrite", "move", "flip", "repeat"])):
            case "cut":
                del data[start:stop]
            case "double":
                data[start:start] = piece
            case "overwrite":
                data[start:stop] = draw(st.binary(max_size=8))
            case "move":
                del data[start:stop]
                data[(at := draw(st.integers(0, len(data)))) : at] = piece
            case "flip" if start < len(data):
                data[start] ^= draw(st.integers(1, 255))
            case "repeat":
                data[start:stop] = piece * draw(st.integers(2, 200))
    return bytes(data)


TYPES = st.sampled_from(["text/html", "text/html; charset=utf-8", "", "application/xhtml+xml", "text/plain"])


@fuzz(150)
@given(damaged(PAGES), TYPES)
def test_pages(body, content_type):
    page = parse(body, content_type=content_type)
    assert len(page.links.keys) == 8 * len(page.links.urls)
    assert len(set(page.links.urls)) == len(page.links.urls)
    assert all(url.startswith(("http://", "https://")) and url.isascii() for url in page.links.urls)
    assert record_of(page).keys == page.links.keys
    page.title.encode()


@fuzz(150)
@given(damaged(ROBOTS), st.sampled_from(["/", "/private/x", "/a/b.pdf", "/a%2Fb", "/\u00e9?q"]))
def test_robots(body, path):
    found = rules.parse(body, "spiderd")
    assert found.allowed(f"http://a.test{path}").allowed in {True, False}
    assert found.allowed("http://a.test/robots.txt").allowed, "RFC 9309 2.2.2: always"


@fuzz(150)
@given(damaged(SITEMAPS), st.sampled_from(["", "text/xml", "text/plain", "application/rss+xml"]))
def test_sitemaps(body, content_type):
    found = parse_sitemap(body, "https://a.test/sitemap.xml", content_type)
    assert len(found.entries) <= 50_000
    assert all(len(problem) < 500 for problem in found.problems)


@fuzz(150)
@given(damaged(HEADS))
def test_heads(data):
    for parser in (parse_head, lenient):
        try:
            head = parser(data)
        except BadHead:
            continue
        assert 100 <= head.status <= 999
        assert all(b"\n" not in value for _, value in head.headers.raw)
        persists(head)
        try:
            framing_of(head)
        except BadFraming:
            continue


@fuzz(150)
@given(damaged([CHUNKS, CHUNKS * 3]), st.lists(st.integers(0, 80), max_size=6))
def test_chunks_mean_the_same_however_they_are_cut(data, cuts):
    def read(pieces):
        framing = framing_of(parse_head(HEADS[1]))
        try:
            for piece in pieces:
                framing.feed(piece)
        except BadFraming:
            return None
        return framing.complete and b"".join(framing.parts)

    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    whole = read([data])
    pieces = read([data[one:next_] for one, next_ in pairwise(edges)])
    assert whole == pieces or not whole or not pieces


@fuzz(100)
@given(damaged([CONFIG]))
def test_configurations(tmp_path_factory, data):
    file = tmp_path_factory.getbasetemp() / "config.toml"
    file.write_bytes(data)
    said = ""
    try:
        assert load(file, environ={}).source == file
    except ConfigError as error:
        said = str(error)
    if said:
        assert all(str(file) in line for line in said.splitlines())
    else:
        tomllib.loads(data.decode("utf-8-sig"))  # what was taken is TOML


@fuzz(150)
@given(damaged([query.encode() for query in QUERIES]))
def test_queries(data):
    text = data.decode(errors="replace")
    for typing in (False, True):
        parse_query(text, typing=typing)


@pytest.mark.parametrize(
    "seeds", [PAGES, ROBOTS, SITEMAPS, HEADS], ids=["pages", "robots", "sitemaps", "heads"]
)
def test_the_documents_themselves_are_whole(seeds):
    """Else the damage would prove little."""
    assert all(len(seed) > 20 for seed in seeds)
    if seeds is HEADS:
        assert {parse_head(seed).status for seed in seeds[:2]} == {200, 302}
    elif seeds is SITEMAPS:
        assert all(parse_sitemap(seed, "https://a.test/s").entries for seed in (seeds[0], *seeds[2:]))
        assert parse_sitemap(seeds[1], "https://a.test/s").children
    elif seeds is ROBOTS:
        assert not rules.parse(seeds[0]).allowed("http://a.test/x.pdf").allowed
    else:
        assert sum(len(parse(seed).links.urls) for seed in seeds) > 100
