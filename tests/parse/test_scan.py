"""The scanner reads what the tree reads, wherever both can be asked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from spiderd.parse.collect import Collector
from spiderd.parse.scan import ScanText, parse_attributes, scan
from spiderd.parse.tree import TreeText, is_tame, walk

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
    found = {name: value for name, value in vars(collector).items() if name != "_text_of"}
    found["pages"] = {
        href: reference._replace(text=" ".join(reference.text.split()))
        for href, reference in collector.pages.items()
    }
    return found


@given(PAGES)
def test_scanner_and_tree_find_the_same(html: str) -> None:
    by_tree = Collector(TreeText())
    walk(html.encode(), by_tree)
    by_scan = Collector(ScanText(html))
    scan(html, by_scan)
    assert collected(by_scan) == collected(by_tree)


def test_attributes_in_all_quoting_styles() -> None:
    raw = " a=1 B='2 \"' c = \"3 '\" d e= f=g=h a=no i='&amp;&#65;' / j"
    assert parse_attributes(raw) == {
        "a": "1", "b": '2 "', "c": "3 '", "d": "", "e": "f=g=h", "i": "&A", "j": "",
    }  # fmt: skip


def test_tame_pages_are_told_from_wild_ones() -> None:
    assert is_tame(b"<p>" * 8000)
    assert not is_tame(b"<p>" * 8001)
    assert is_tame(b"<font a=1><p>" * 2000)  # alike: only three are opened again
    assert not is_tame(b"".join(b"<font a=%d><p>" % number for number in range(1000)))
    assert not is_tame(b"<p " + b"a" * 40_000)
    assert is_tame(b"a" * 40_000)
