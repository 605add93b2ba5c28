"""The small grammars: srcset, stylesheets, refresh, Link headers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.parse.css import parse_css
from spiderd.parse.refresh import parse_link_header, parse_refresh
from spiderd.parse.srcset import parse_srcset


@pytest.mark.parametrize(
    ("srcset", "urls"),
    [
        ("a.png", ["a.png"]),
        ("a.png 1x,b.png 2x", ["a.png", "b.png"]),
        ("a.png, b.png 2x", ["a.png", "b.png"]),
        (" ,, a.png 1x , ,b.png", ["a.png", "b.png"]),
        ("a,b.png 1x", ["a,b.png"]),
        ("a.png,b.png", ["a.png,b.png"]),
        ("a.png 480w 320h, b.png", ["a.png", "b.png"]),
        ("a.png (x,y) 1x, b.png", ["a.png", "b.png"]),
        ("data:image/png;base64,AAA= 1x, b.png 2x", ["data:image/png;base64,AAA=", "b.png"]),
        ("", []),
        (",,,", []),
        ("a.png,,,", ["a.png"]),
        ("a.png (1x, b.png", ["a.png"]),
    ],
)
def test_srcset(srcset: str, urls: list[str]) -> None:
    assert list(parse_srcset(srcset)) == urls


@pytest.mark.parametrize(
    ("css", "references"),
    [
        ("@import 'a.css'", [("a.css", True)]),
        ("@import'a.css';", [("a.css", True)]),
        ("@IMPORT URL(a.css);", [("a.css", True)]),
        ('@import /* c */ url( "a.css" ) print;', [("a.css", True)]),
        (
            "@import url(a.css) layer(x) supports(display: grid);p{background:url(b)}",
            [("a.css", True), ("b", False)],
        ),
        ("@imports 'a.css'", []),
        ("p{background:URL(a)}", [("a", False)]),
        ("p{background:url()}", []),
        ("p{background:url('')}", []),
        ("p{background:url(a b)}", []),
        ("p{background:url('a b')}", [("a b", False)]),
        (r"p{background:url(\61\000062 c)}", [("abc", False)]),
        (r"p{background:url('a\'b\29')}", [("a'b)", False)]),
        ("p{background:url('a\\\nb')}", [("ab", False)]),
        ("p{background:url(\\0)}", [("\ufffd", False)]),
        ("p{content:'url(a)'}", []),
        ("/* url(a) */ p{} /* url(b)", []),
        ("p{background:url(a)/**/,url(b)}", [("a", False), ("b", False)]),
        ("p{x:my-url(a);y:curl(b)}", []),
        ("@font-face{src:url(a.woff2)format('woff2'),url(b.ttf)}", [("a.woff2", False), ("b.ttf", False)]),
        ("p{background:url(a", [("a", False)]),
        ("p{background:url('a", [("a", False)]),
    ],
)
def test_stylesheets(css: str, references: list[tuple[str, bool]]) -> None:
    assert list(parse_css(css)) == references


@pytest.mark.parametrize(
    ("value", "links"),
    [
        ("</a>; rel=next", [("/a", "next")]),
        ("</a>;rel=\"next prev\" , <b> ; rel='x'", [("/a", "next prev"), ("b", "'x'")]),
        ('</a,b;c>; title="x, <y>; rel=no"; rel=next', [("/a,b;c", "next")]),
        ("</a>; REL=next; rel=prev", [("/a", "next")]),
        (r'</a>; title="q\"uote"; rel="n\ext"', [("/a", "next")]),
        ("</a>", []),
        ("</a>; rel", []),
        ("/a; rel=next", []),
        ("</a; rel=next", []),
        ("", []),
    ],
)
def test_link_headers(value: str, links: list[tuple[str, str]]) -> None:
    assert [(link.url, link.rel) for link in parse_link_header(value)] == links


@given(st.text() | st.text(alphabet="url(\"'\\)/*@import <>;,=x0 \n"))
def test_no_value_breaks_them(value: str) -> None:
    list(parse_srcset(value))
    list(parse_css(value))
    list(parse_link_header(value))
    parse_refresh(value)
