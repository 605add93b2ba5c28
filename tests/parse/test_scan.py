"""The scanner reads what a browser's tree holds, wherever both can be asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.parse.collect import Collector
from spiderd.parse.markup import parse_attributes
from spiderd.parse.scan import ScanText, scan
from tests.parse.oracle import text_of, walk

TEXT = st.sampled_from(["x", " ", "a b", "&amp;", "&copy", "&lt;b&gt;", "é", "\n"])
VALUE = st.sampled_from(
    ["/x", "y?a=1&copy=2", "&#x2f;z", "a>b", "<a href=no>", "", " /w ", "data:x", "http://h/", "#f"]
)
NAME = st.sampled_from(
    ["href", "src", "HREF", "rel", "title", "xlink:href", "srcset", "content", "data", "alt", "lang"]
)
ELEMENT = st.sampled_from(
    [
        *("a", "A", "div", "p", "b", "img", "link", "meta", "base", "area", "iframe", "script", "textarea"),
        *("video", "noscript", "svg", "template", "object", "xmp", "!--"),
    ]
)
QUOTE = st.sampled_from(['"', "'"])


@st.composite
def attributes(draw: st.DrawFn) -> str:
    out = ""
    for name in draw(st.lists(NAME, max_size=3)):
        quote = draw(QUOTE)
        equals = draw(st.sampled_from(["=", " = ", "\n="]))
        out += f" {name}{equals}{quote}{draw(VALUE)}{quote}"
    return out + draw(st.sampled_from(["", " ", "/"]))


@st.composite
def elements(draw: st.DrawFn) -> str:
    """Markup that a tree builder leaves in its order: no misnesting, no table without its cells."""
    name = draw(ELEMENT)
    if name == "!--":
        return f"<!-- {draw(VALUE)} -->"
    inner = draw(TEXT) + (draw(elements()) if draw(st.booleans()) else "")
    start = f"<{name}{draw(attributes())}>"
    if name in ("img", "link", "meta", "base", "area"):
        return start
    if name in ("svg", "iframe", "textarea", "script", "a", "A", "p"):
        inner = draw(TEXT)
    if start.endswith("/>") and name == "svg":
        return start
    return f"{start}{inner}</{name}>"


PAGES = st.lists(elements() | TEXT, max_size=12).map(lambda parts: "<!doctype html><body>" + "".join(parts))


def collected(collector: Collector) -> dict[str, object]:
    found = {name: getattr(collector, name) for name in dir(collector) if not name.startswith("_")}
    found = {name: value for name, value in found.items() if not callable(value)}
    found["pages"] = {
        href: reference._replace(text=" ".join(reference.text.split()))
        for href, reference in collector.pages.items()
    }
    return found


@given(PAGES)
def test_scanner_and_tree_find_the_same(html: str) -> None:
    by_tree = Collector(text_of)
    walk(html, by_tree)
    by_scan = Collector(ScanText(html))
    scan(html, by_scan)
    assert collected(by_scan) == collected(by_tree)


@pytest.mark.parametrize(
    "html",
    [
        "</p title='<a href=/no>'><a href=/yes>x</a>",
        '<span title="a>b<a href=/no>">x</span><a href=/yes>x</a>',
        "<span title='<a href=/no>'>x</span><a href=/yes>x</a>",
        "<div data-x=\"<a href='/no'>\"><p class=x><a href=/yes>y</a>",
        "<script><!-- <script> <a href=/no> </script> <a href=/no2> --></script><a href=/yes>x</a>",
        "<script><!--> </script><a href=/yes>x</a>",
        "<script><!-- </script><a href=/yes>x</a>",
        "<script><!-- <scripty> </script><a href=/yes>x</a>",
        "<SCRIPT>'<a href=/no>'</SCRIPT ><a href=/yes>x</a>",
        "<style>a{}</styled><a href=/no></style><a href=/yes>x</a>",
        "<textarea><a href=/no></textarea><image src=/i.png>",
        "<svg><title>no</title><p><title>yes</title></svg>",
        "<svg><g><a xlink:href=/in>t</a><style>a{}</style></g></svg><a href=/yes>x</a>",
        "<svg><desc><title>yes &amp; more</title></desc></svg>",
        "<svg><![CDATA[<a href=/no>]]></svg><a href=/yes>x</a>",
        "<svg/><title>yes</title>",
        "<template><template></template><a href=/no></template><a href=/yes>x</a>",
        "<template><script></template></script><a href=/no></template><a href=/yes>x</a>",
        "<noscript><a href=/yes>x</a></noscript>",
        "<plaintext><a href=/no>",
        "<a href=/yes>x</a><a href=/cut",
        "<a href='/yes' href=/no>x<b>y</b> z</a>",
        "<?php <a href=/no> ?><a href=/yes>x</a>",
        "<!-- x --!><a href=/yes>x</a><!--><a href=/too>x</a>",
        "<frame src=/no><iframe src=/yes></iframe>",
        "<a href=/b\0>x</a><a href=/c title=\0>x</a>",
        "<a/href=/yes>x</a><a\nHREF = /too >x</a>",
    ],
)
def test_the_standards_corners(html: str) -> None:
    html = "<!doctype html><body>" + html
    by_tree, by_scan = Collector(text_of), Collector(ScanText(html))
    walk(html, by_tree)
    scan(html, by_scan)
    assert collected(by_scan) == collected(by_tree)


def test_attributes_in_all_quoting_styles() -> None:
    raw = " a=1 B='2 \"' c = \"3 '\" d e= f=g=h a=no i='&amp;&#65;' / j"
    assert parse_attributes(raw) == {
        "a": "1", "b": '2 "', "c": "3 '", "d": "", "e": "f=g=h", "i": "&A", "j": "",
    }  # fmt: skip
