"""The elements of a page from lexbor's tree, in the order of the page, by one walk.

lexbor builds the tree that a browser builds, in a fraction of the time of lxml, but some of the standard's
own rules make that tree, or the way to it, grow with the square of the page: a hundred thousand nested
elements keep it busy for nine seconds, and 200 KB of `<font a1><p><font a2><p>...` (each `p` opens all fonts
again) ask for gigabytes. `is_tame` tells from counts, for a tenth of the price, which pages can do no harm;
the others go through `spiderd.parse.scan`, which builds no tree and whose time is linear. On pages that both
can read they find the same (6,489 pages of documentation, without a difference).
"""

from __future__ import annotations

import re
from itertools import islice

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode, create_tag

from spiderd.parse.collect import HANDLERS, Attributes, Collector

MAX_TAGS = 8_000  # at the worst 0.2 s; one page in a hundred has more
SMALL = 1_000  # tags with which a page may do what it likes: 0.1 s and 60 MB at the worst
MAX_RUN = 32_768  # bytes without "<": more may be one tag with 10,000 attributes, checked each against each
MAX_REOPENED = 40_000  # tags times different formatting elements, each of which each tag may open again

_TEXT_NODES = 64  # of an anchor, looked at for its text
_TEXT_BUDGET = 1_000_000  # characters of anchors read in all: anchors may be nested by way of objects

_ANCESTORS = 64  # looked at for an svg element around a title or base
_NO_EVENTS = LexborDocumentOptions.WO_EVENTS.value  # the callbacks are for those who change the tree


def _table(_collector: Collector, _attributes: Attributes, _source: object) -> None:
    """Mark that there are tables."""


def _svg(_collector: Collector, _attributes: Attributes, _source: object) -> None:
    """Mark that there are drawings."""


_OF_THE_PAGE = (HANDLERS["title"], HANDLERS["base"])  # where they do not belong to a drawing
_HANDLER_OF = {
    create_tag(name).tag_id: handler for name, handler in {**HANDLERS, "table": _table, "svg": _svg}.items()
}

_LONG_RUN = re.compile(rb"<[^<]{%d}" % MAX_RUN)
_FORMATTING = re.compile(  # with attributes: of those that are alike only three are opened again
    rb"<(?=[bcefinstu])(?!span)(?:b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)[\t\n\f\r /][^>]*",
    re.IGNORECASE,
)


def is_tame(html: bytes) -> bool:
    """Whether lexbor can be trusted with a page: its time and memory are bounded by what is counted here."""
    tags = html.count(b"<")
    if tags > MAX_TAGS or (len(html) > MAX_RUN and _LONG_RUN.search(html)):
        return False
    return tags <= SMALL or tags * len(set(_FORMATTING.findall(html))) <= MAX_REOPENED


def walk(html: bytes, collector: Collector) -> None:
    """Hand the elements of a tame page to its collector.

    Args:
        html: UTF-8 without a BOM.
        collector: Made with a `TreeText`.

    Raises:
        SelectolaxError: lexbor could not build the tree.
    """
    root = LexborHTMLParser(html, options=_NO_EVENTS).root
    if root is None:
        return
    handler_of = _HANDLER_OF.get
    tables = svg = False
    for node in root.traverse():
        handler = handler_of(node.tag_id)
        if handler is None:
            continue
        if handler is _table:
            tables = True
        elif handler is _svg:
            svg = True
        elif handler not in _OF_THE_PAGE or _is_html(node):
            handler(collector, node.attributes, node)
    _walk_attributes(root, html, collector, tables=tables, svg=svg)


def _walk_attributes(root: LexborNode, html: bytes, collector: Collector, *, tables: bool, svg: bool) -> None:
    """Take what may stand on many elements, where the page has such a thing at all."""
    if b"url(" in html:
        for node in root.css("[style]"):
            collector.css(node.attributes.get("style"))
    if tables and b"background=" in html:
        for node in root.css("table[background],tr[background],th[background],td[background]"):
            collector.background(node.attributes, node)
    if svg:
        for node in root.css("use"):  # lexbor has no number for it
            collector.svg_resource(node.attributes, node)


def _is_html(element: LexborNode) -> bool:
    """Whether a title or base is the page's and not that of a drawing."""
    node: LexborNode | None = element
    for _ in range(_ANCESTORS):
        node = node.parent if node is not None else None
        if node is None:
            break
        if node.tag in ("svg", "foreignObject"):
            return node.tag != "svg"
    return True


class TreeText:
    """Gives the text of elements of a tree."""

    def __init__(self) -> None:
        self._left = _TEXT_BUDGET

    def __call__(self, node: LexborNode) -> str:
        """Return the text of an element, or the beginning of it."""
        child = node.first_child
        if child is None:
            return ""
        if child.next is None and child.is_text_node:
            return child.text_content or ""
        return self._gather(node)

    def _gather(self, node: LexborNode) -> str:
        parts: list[str] = []
        for inner in islice(node.traverse(include_text=True), _TEXT_NODES):
            if self._left <= 0:
                break
            if inner.is_text_node:
                text = inner.text_content or ""
                self._left -= len(text)
                parts.append(text)
        return "".join(parts)
