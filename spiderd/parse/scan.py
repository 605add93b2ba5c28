"""The elements of a page from its tags alone: no tree, time linear in the page whatever is in it.

For the pages that lexbor's tree is no good for (see `spiderd.parse.tree`), and for snippets. The tokenizer of
the HTML Standard with the few states that matter to links: comments, attributes in all quoting styles,
elements whose content is text, templates, drawings. What it cannot know is what the tree builder would have
thrown away.

Each expression takes all that it looks at, or fails at its first characters: a tag that never ends is taken
to the end of the page, as the standard has it, and not tried again.
"""

from __future__ import annotations

import re
from html import unescape
from html.entities import html5

from spiderd.parse.collect import HANDLERS, Collector

_BLANK = r"[ \t\n\f\r]"
_VALUE = r"""(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^ \t\n\f\r>"'][^ \t\n\f\r>]*+)"""
_ATTRIBUTES = rf"(?:[ \t\n\f\r/]++|[^ \t\n\f\r/>][^ \t\n\f\r/>=]*+(?:{_BLANK}*+={_BLANK}*+{_VALUE}?)?)*+"
_TOKEN = re.compile(
    r"<(?:!--(?:-?>|[^-]*+(?:-(?!-!?>)[^-]*+)*+(?:--!?>|\Z))"
    rf"|(/?[A-Za-z][^ \t\n\f\r/>]*+)({_ATTRIBUTES})(?:>|\Z)"
    r"|[!?/][^>]*+(?:>|\Z))"
)
_ATTRIBUTE = re.compile(
    rf"([^ \t\n\f\r/>][^ \t\n\f\r/>=]*+)(?:{_BLANK}*+={_BLANK}*+"
    r"""(?:"([^"]*+)|'([^']*+)|([^ \t\n\f\r>"'][^ \t\n\f\r>]*+))?)?["']?"""
)
_ENTITY = re.compile(r"&(?:#[0-9]+;?|#[xX][0-9A-Fa-f]+;?|[A-Za-z][A-Za-z0-9]*;?)")
_TAG = re.compile(r"<[^>]*>?")
_ANCHOR_END = re.compile(r"</?a[ \t\n\f\r/>]", re.IGNORECASE)

_ANCHOR_TEXT = 1_000  # characters looked at for an anchor's text
_RAW = {
    name: re.compile(rf"</{name}(?=[ \t\n\f\r/>])", re.IGNORECASE)
    for name in ("script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes")
}
_REFERENCES_IN_TEXT = frozenset({"title", "textarea"})  # where entities count


class ScanText:
    """Gives the text of elements of a page that was scanned."""

    def __init__(self, html: str) -> None:
        self._html = html

    def __call__(self, source: int | str) -> str:
        """Return the text: as it stands, or of the anchor whose tag ends at `source`."""
        if isinstance(source, str):
            return source
        text = self._html[source : source + _ANCHOR_TEXT]
        end = _ANCHOR_END.search(text)
        return unescape(_TAG.sub("", text[: end.start()] if end else text))


def scan(html: str, collector: Collector) -> None:
    """Hand the elements of a page to its collector.

    Args:
        html: The page, decoded.
        collector: Made with a `ScanText` of this page.
    """
    position = templates = drawings = 0
    while found := _TOKEN.search(html, position):
        position = found.end()
        if found[1] is None:
            continue
        name = found[1].lower()
        if name in ("template", "/template"):
            templates = max(0, templates + (1 if name == "template" else -1))
        elif name in ("svg", "/svg"):
            drawings = max(
                0, drawings + (1 if name == "svg" and not found[2].endswith("/") else -(name == "/svg"))
            )
        source: int | str = position
        if name in _RAW and not drawings:
            end = _RAW[name].search(html, position)
            stop = end.start() if end else len(html)
            source, position = html[position:stop], stop
            if name in _REFERENCES_IN_TEXT:
                source = unescape(source)
        elif name == "plaintext":
            return
        if templates == 0:
            _take(name, found[2], source, collector, drawing=drawings > 0)


def _take(name: str, raw: str, source: int | str, collector: Collector, *, drawing: bool) -> None:
    handler = HANDLERS.get(name)
    anywhere = "url(" in raw or "background" in raw
    if not (handler or anywhere or name == "use") or (drawing and name == "title"):
        return
    attributes = parse_attributes(raw)
    if handler:
        handler(collector, attributes, source)
    elif name == "use":
        collector.svg_resource(attributes, source)
    if anywhere:
        collector.css(attributes.get("style"))
        collector.background(attributes, source)


def parse_attributes(raw: str) -> dict[str, str | None]:
    """Read the attributes of a tag, entities decoded; of two of a name the first counts."""
    attributes: dict[str, str | None] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(raw):
        value = double or single or bare
        attributes.setdefault(name.lower(), _ENTITY.sub(_character, value) if "&" in value else value)
    return attributes


def _character(entity: re.Match[str]) -> str:
    """Decode a character reference in an attribute: without ";" it must not run into a name or a value."""
    text = entity[0]
    if text[1] == "#":
        return unescape(text)
    name = text[1:]
    if name.endswith(";"):
        return html5.get(name, text)
    follows = entity.string[entity.end() : entity.end() + 1]
    return text if follows == "=" else html5.get(name, text)
