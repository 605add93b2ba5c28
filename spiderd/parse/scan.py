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
_ATTRIBUTES = rf"[^>=]*+(?:={_BLANK}*+{_VALUE}?[^>=]*+)*+"  # a quote is one only where a value begins
_TOKEN = re.compile(
    r"<(?:"
    rf"(/?[A-Za-z][^ \t\n\f\r/>]*+)(?:>|({_ATTRIBUTES})(?:>|\Z))"
    r"|!--(?:-?>|[^-]*+(?:-(?!-!?>)[^-]*+)*+(?:--!?>|\Z))"
    r"|[!?/][^>]*+(?:>|\Z)"
    r")"
)
_ATTRIBUTE = re.compile(
    rf"([^ \t\n\f\r/>][^ \t\n\f\r/>=]*+)(?:{_BLANK}*+={_BLANK}*+"
    r"""(?:"([^"]*+)|'([^']*+)|([^ \t\n\f\r>"'][^ \t\n\f\r>]*+))?)?["']?"""
)
_ENTITY = re.compile(r"&(?:#[0-9]+;?|#[xX][0-9A-Fa-f]+;?|[A-Za-z][A-Za-z0-9]*;?)")
_TAG = re.compile(r"<[^>]*>?")
_ANCHOR_END = re.compile(r"</?a[ \t\n\f\r/>]", re.IGNORECASE)

_ANCHOR_TEXT = 1_000  # characters looked at for an anchor's text
_RAW_END = {
    name: re.compile(rf"</{name}(?=[ \t\n\f\r/>])", re.IGNORECASE)
    for name in ("script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes")
}
_DECODED = frozenset({"title", "textarea"})  # raw elements in whose text entities count
_SPECIAL = frozenset({*_RAW_END, "template", "/template", "svg", "/svg", "plaintext", "use"})


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
    _Scan(html, collector).run()


class _Scan:
    """One pass over a page; `templates` and `drawings` count those that are open."""

    def __init__(self, html: str, collector: Collector) -> None:
        self._html = html
        self._collector = collector
        self._templates = 0
        self._drawings = 0

    def run(self) -> None:
        """Go from tag to tag; only the few that matter cost more than the expression."""
        attributes_matter = "url(" in self._html or "background" in self._html
        dull: set[str | None] = {None}  # names that nothing is done about; None is that of a comment
        position: int | None = 0
        while position is not None:
            start, position = position, None
            for found in _TOKEN.finditer(self._html, start):
                name = found[1]
                if name in dull and not (attributes_matter and _matter(found[2])):
                    continue
                lower = name.lower()
                if lower not in HANDLERS and lower not in _SPECIAL:
                    dull.add(name)
                position = self._take(lower, found[2] or "", found.end())
                if position is not None:
                    break  # what follows is text

    def _take(self, name: str, raw: str, position: int) -> int | None:
        """Take a tag; where its element holds text, return the position behind that."""
        behind = None
        source: int | str = position
        if name in _SPECIAL:
            self._count(name, raw)
            if name == "plaintext":
                return len(self._html)
            if name in _RAW_END and not self._drawings:
                end = _RAW_END[name].search(self._html, position)
                behind = end.start() if end else len(self._html)
                source = self._html[position:behind]
                if name in _DECODED:
                    source = unescape(source)
        if not self._templates:
            self._hand_over(name, raw, source)
        return behind

    def _count(self, name: str, raw: str) -> None:
        if name.endswith("template"):
            self._templates = max(0, self._templates + (-1 if name[0] == "/" else 1))
        elif name.endswith("svg") and not raw.endswith("/"):
            self._drawings = max(0, self._drawings + (-1 if name[0] == "/" else 1))

    def _hand_over(self, name: str, raw: str, source: int | str) -> None:
        handler = HANDLERS.get(name)
        anywhere = _matter(raw)
        if not (handler or anywhere or name == "use") or (name in ("title", "base") and self._drawings):
            return
        attributes = parse_attributes(raw)
        if handler:
            handler(self._collector, attributes, source)
        elif name == "use":
            self._collector.svg_resource(attributes, source)
        if anywhere:
            self._collector.css(attributes.get("style"))
            self._collector.background(attributes, source)


def _matter(attributes: str | None) -> bool:
    """Whether there are attributes that refer to something on any element."""
    return attributes is not None and ("url(" in attributes or "background" in attributes)


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
