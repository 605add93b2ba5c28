"""The elements of a page from the tree that a browser builds, for comparison; slow."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

from spiderd.parse.collect import HANDLERS, Collector


def walk(html: str, collector: Collector) -> None:
    """Hand the elements of a page to its collector, which is made with `text_of`."""
    root = LexborHTMLParser(html).root
    if root is None:
        return
    for node in root.traverse():
        _take(node, collector)


def _take(node: LexborNode, collector: Collector) -> None:
    name, attributes = (node.tag or "").lower(), node.attributes
    drawn = _is_drawn(node)
    if name == "a":
        href = attributes.get("href")
        if not href:
            href = attributes.get("xlink:href") or ("" if "href" in attributes else None)
        if href is not None:
            nofollow = "nofollow" in (attributes.get("rel") or "").lower().split()
            collector.anchor(href.partition("#")[0], node, nofollow=nofollow)
    elif drawn and name in ("image", "use", "feimage"):
        collector.svg_resource(attributes, node)
    elif name in HANDLERS and not (drawn and name in ("title", "base")):
        HANDLERS[name](collector, attributes, node)
    if "url(" in (attributes.get("style") or ""):
        collector.css(attributes.get("style"))
    if attributes.get("background"):
        collector.background(attributes, node)


def _is_drawn(element: LexborNode) -> bool:
    """Whether an element belongs to a drawing."""
    node = element.parent
    while node is not None:
        if node.tag in ("svg", "foreignObject", "desc"):
            return node.tag == "svg"
        node = node.parent
    return False


def text_of(node: LexborNode) -> str:
    """The text of an element."""
    return "".join(
        inner.text_content or "" for inner in node.traverse(include_text=True) if inner.is_text_node
    )
