"""Pages that mean harm: nothing in them may raise, and time and memory stay in proportion to their size."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.parse.pages import parse, record_of

PIECES = st.sampled_from(
    [
        *(bytes([byte]) for byte in b"<>/'\"=;%#?\\\0\xff"),
        *b"--> </script> </svg> </title> </template> ]]> utf-16 gbk http:// [::1 :99999 &#x &amp".split(),
        *b"<!-- <script> <svg> <title> <template> <![CDATA[ <style> <plaintext> <math> <select>".split(),
        *(b"<a href=", b"<base href=", b"<meta http-equiv=refresh content=", b"<meta charset=", b"<p style="),
        *(
            b"<img srcset=",
            b"url(",
            b"<table background=",
            b"<frameset>",
            b"\xed\xa0\x80",
            b"\x1b$B",
            b"@import",
        ),
    ]
)
SOUP = st.lists(PIECES | st.binary(max_size=8), max_size=40).map(b"".join)
TYPES = st.sampled_from(
    ["text/html", "application/xhtml+xml", "text/css", "text/html; charset=utf-16", "", "image/svg+xml",
     "text/html; charset=iso-2022-jp", "text/html; charset=replacement", "text/plain; charset=big5"]
)  # fmt: skip


@given(SOUP | st.binary(), TYPES)
def test_no_bytes_break_it(body: bytes, content_type: str) -> None:
    page = parse(body, content_type=content_type)
    assert len(page.links.keys) == 8 * len(page.links.urls)
    assert all(url.startswith(("http://", "https://")) and url.isascii() for url in page.links.urls)
    assert record_of(page).keys == page.links.keys


@given(st.text())
def test_no_link_breaks_it(href: str) -> None:
    escaped = href.replace("&", "&amp;").replace('"', "&quot;")
    parse(
        f'<a href="{escaped}"><img src="{escaped}" srcset="{escaped}"><base href="{escaped}">'.encode(
            "utf-8", "ignore"
        )
    )


def font_p(number: int) -> bytes:
    return b"<font a%d><p>" % number


GROWERS: dict[str, Callable[[int], bytes]] = {
    "nested divs": lambda n: b"<div>" * n,
    "nested lists": lambda n: b"<ul><li>" * n,
    "end tags that match nothing": lambda n: b"<x>" * n + b"</y>" * n,
    "fonts opened again by paragraphs": lambda n: b"".join(map(font_p, range(n))),
    "fonts left open, then paragraphs": lambda n: b"<font a=%d>" * n % tuple(range(n)) + b"<p>x" * n,
    "anchors around blocks": lambda n: (b"<a>" + b"<div>" * 10 + b"</a>") * (n // 10),
    "formatting around blocks": lambda n: (
        b"".join(b"<b a%d>" % i for i in range(n)) + b"<div>" * n + b"</b>" * n
    ),
    "attributes of one tag": lambda n: b"<p " + b" ".join(b"a%d=1" % i for i in range(n)) + b">",
    "attributes of the body": lambda n: b"".join(b"<body a%d=1>" % i for i in range(n)),
    "nested anchors in objects": lambda n: (
        b"".join(b"<a href=%d><object>" % i for i in range(n)) + b"text" * n
    ),
    "tags that never end": lambda n: b"<a href='x" * n,
    "quotes that never end": lambda n: b'<a title="' * n,
    "comments that never end": lambda n: b"<!--" * n,
    "scripts that never end": lambda n: b"<script>" * n,
    "titles that never end": lambda n: b"<title>" * n,
    "cdata that never ends": lambda n: b"<![CDATA[" * n,
    "brackets": lambda n: b"<" * n,
    "ampersands": lambda n: b"<a href='" + b"&" * n + b"'>",
    "srcset": lambda n: b"<img srcset='" + b"a (" * n + b"'>",
    "commas of a srcset": lambda n: b"<img srcset='" + b"," * n + b"'>",
    "stylesheet": lambda n: b"<style>" + b"url(" * n + b"</style>",
    "strings of a stylesheet": lambda n: b"<style>" + b"@import '\\" * n + b"</style>",
    "comments of a stylesheet": lambda n: b"<style>(" + b"/*" * n + b"</style>",
    "anchors that never end": lambda n: b"<a " * n,
    "anchors that end at last": lambda n: b"<a " * n + b">",
    "anchors without a reference": lambda n: b"<a x='>' " * n,
    "anchors with half a reference": lambda n: b'<a href="x" ' * n,
    "anchors in quotes": lambda n: b'<a href="x" t="<a href=' * n,
    "spans that never end": lambda n: b'<span title="' * n + b'"',
    "spans in spans": lambda n: b"<span x='<" * n + b">",
    "end tags with attributes": lambda n: b'</a x="' * n,
    "end tags that never end": lambda n: b"</a x" * n,
    "scripts in comments of scripts": lambda n: b"<script><!--<script>" * n,
    "comments in scripts": lambda n: b"<script>" + b"<!--" * n,
    "drawings in text": lambda n: b"<svg><desc><title>" * n,
    "sections of drawings": lambda n: b"<svg><![CDATA[" * n,
    "drawings that break out": lambda n: b"<svg><p>" * n,
    "scripts in templates": lambda n: b"<template><script>" * n,
    "drawings": lambda n: b"<svg><title>" * n,
    "templates": lambda n: b"<template>" * n,
    "refreshes": lambda n: b"<meta http-equiv=refresh content='0;url=%d'>" * n % tuple(range(n)),
    "spaces of a refresh": lambda n: b"<meta http-equiv=refresh content='0" + b" " * n + b"x'>",
    "bases": lambda n: b"<base href=x>" * n,
    "broken utf-8": lambda n: b"\xe9a" * n,
    "one long reference": lambda n: b"<a href='" + b"/a" * n + b"'>",
    "one long query": lambda n: b"<a href='?" + b"a&" * n + b"'>",
}


def seconds(body: bytes, content_type: str) -> float:
    best = 9.0
    for _ in range(2):
        started = time.process_time()
        parse(body, content_type=content_type)
        best = min(best, time.process_time() - started)
    return best


@pytest.mark.parametrize("content_type", ["text/html", "application/xhtml+xml"])
@pytest.mark.parametrize("grower", GROWERS)
def test_time_grows_no_faster_than_the_page(grower: str, content_type: str) -> None:
    """Four times the page may cost six times the time; squared it would cost sixteen times."""
    small, large = GROWERS[grower](5_000), GROWERS[grower](20_000)
    assert seconds(large, content_type) < max(0.1, 6 * seconds(small, content_type))


def test_a_hundred_thousand_nested_divs_are_a_page() -> None:
    body = b"<title>deep</title>" + b"<div>" * 100_000 + b"<a href=/x>" + b"</div>" * 100_000
    started = time.process_time()
    page = parse(body)
    assert (page.title, page.links.urls) == ("deep", ["http://example.test/x"])
    assert time.process_time() - started < 1.0  # 0.1 s; a tree takes 9


def test_a_megabyte_of_attributes_is_a_tag() -> None:
    body = b"<a " + b" ".join(b"a%d=1" % number for number in range(130_000)) + b" href=/x>"
    started = time.process_time()
    assert parse(body).links.urls == ["http://example.test/x"]
    assert time.process_time() - started < 1.0  # 0.1 s; a tree takes 25


def test_memory_grows_no_faster_than_the_page() -> None:
    body = b"".join(map(font_p, range(20_000)))  # 300 KB; as a tree 20 GB
    tracemalloc.start()
    parse(body)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * len(body)


def test_links_without_number_are_counted_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spiderd.parse.page.MAX_FOLLOWED", 500)
    monkeypatch.setattr("spiderd.parse.page.MAX_RECORDED", 600)
    page = parse(b"".join(b"<a href=/%d><img src=/i%d>" % (number, number) for number in range(1000)))
    record = record_of(page)
    assert len(page.links.urls) == 500
    assert page.links.refused == {"too many": 500}
    assert len(record.texts) == 500
    assert len(record.others) == 100
    assert record.dropped == 900


def test_references_without_number_are_counted_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spiderd.parse.collect.MAX_REFERENCES", 10)
    page = parse(b"".join(b"<a href=/%d><img src=/i%d>" % (number, number) for number in range(100)))
    assert len(page.links.urls) == 10
    assert record_of(page).dropped == 180


def test_long_links_are_refused_and_not_kept() -> None:
    page = parse(b"<a href='/" + b"a" * 3000 + b"'>x</a><img src='/" + b"b" * 100_000 + b"'>")
    assert page.links.refused == {"length": 1}
    assert len(page.links.record) < 100
