"""The elements of a page from its tags alone: no tree, time linear in the page whatever is in it.

The tokenizer of the HTML Standard, with the states that matter to links: comments, attributes in all quoting
styles, elements whose content is text, templates, drawings. Of what the tree builder would do only this is
left out: what it throws away (a second form in a form, links behind a frameset) is taken here.

Why no tree: building one takes as long as all of this, walking it as long again, and some of the standard's
own rules make it grow with the square of the page (a hundred thousand nested elements; 200 KB of
`<font a1><p><font a2><p>...`, where each `p` opens all fonts again, ask for gigabytes). The tests compare
with lexbor's tree.

A page of 13 KiB with 500 tags and 30 anchors costs one and a half times what lexbor takes for its tree alone,
two thirds of tree and walk together; menus, which are the same on every page of a site, least of all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape

from spiderd.parse.collect import HANDLERS, Collector
from spiderd.parse.links import LinkKind
from spiderd.parse.markup import (
    ANCHOR_WITH_TEXT,
    BARE_TAG,
    ENDS,
    EVERY_TAG,
    EVERY_TOKEN,
    FULL_TAG,
    SCRIPT_TAG,
    TEXT_ELEMENTS,
    TOKEN,
    parse_attributes,
)

_BACKGROUND = re.compile(r"background[ \t\n\f\r]*+=", re.IGNORECASE)
_FRAMESET = re.compile(rf"<frameset{ENDS}", re.IGNORECASE)
_TAG = re.compile(r"<[^>]*>?")
_ANCHOR_END = re.compile(r"</?a[ \t\n\f\r/>]", re.IGNORECASE)

_ANCHOR_TEXT = 1_000  # characters looked at for an anchor's text
_DECODED = frozenset({"title", "textarea"})  # text elements in whose text entities count

# HTML Standard 13.2.6.5: start tags that end a drawing that was left open.
_BREAKS_OUT = frozenset({
    "b", "big", "blockquote", "body", "br", "center", "code", "dd", "div", "dl", "dt", "em", "embed", "h1",
    "h2", "h3", "h4", "h5", "h6", "head", "hr", "i", "img", "li", "listing", "menu", "meta", "nobr", "ol",
    "p", "pre", "ruby", "s", "small", "span", "strong", "strike", "sub", "sup", "table", "tt", "u", "ul",
    "var"
})  # fmt: skip
_HTML_IN_DRAWINGS = frozenset({"foreignobject", "desc"})  # between these tags HTML is HTML again


class ScanText:
    """Gives the text of elements of a page."""

    def __init__(self, html: str) -> None:
        self._html = html

    def __call__(self, source: int | str) -> str:
        """Return the text: as it stands, or of the anchor whose tag ends at `source`."""
        if isinstance(source, str):
            return source
        html = self._html
        end = html.find("<", source, source + _ANCHOR_TEXT)
        if html[end : end + 4].lower() != "</a>":
            text = html[source : source + _ANCHOR_TEXT]
            found = _ANCHOR_END.search(text)
            text = _TAG.sub("", text[: found.start()] if found else text)
        else:
            text = html[source:end]
        return unescape(text) if "&" in text else text


def scan(html: str, collector: Collector) -> None:
    """Hand the elements of a page to its collector.

    Args:
        html: The page, decoded.
        collector: Made with a `ScanText` of this page.
    """
    scanner = _Scan(html.replace("\0", "\ufffd"), collector)  # HTML Standard 13.2.5: in tags, that is
    position: int | None = 0
    while position is not None:
        position = scanner.run(position)


class _Scan:
    """One pass over a page."""

    def __init__(self, html: str, collector: Collector) -> None:
        self._html = html
        self._collector = collector
        self._framed: bool | None = None  # whether there is a frameset: outside of one, a frame is none
        self._attributes_matter = "url(" in html or ("background" in html and bool(_BACKGROUND.search(html)))

    def run(self, start: int) -> int | None:
        """Go from tag to tag, up to a drawing or template; the position behind that, None at the end."""
        collector, matter = self._collector, self._attributes_matter
        handlers = HANDLERS
        pages = collector.pages
        for found in (EVERY_TOKEN if matter else TOKEN).finditer(self._html, start):
            kind = found.lastindex
            if kind is None:
                continue
            if kind <= ANCHOR_WITH_TEXT:
                known = pages.get(found[2])
                if known is None or not known.text or known.nofollow:
                    self._plain_anchor(found)
                if matter and _refers(found[1] + found[3]):
                    self._anywhere(parse_attributes(f" {found[1]}{found[3]}"))
            elif kind == FULL_TAG:
                name, raw = found.group(9, 10)
                if name in ("a", "A"):
                    self._anchor(raw, found.end())
                elif name in handlers:
                    self._hand_over(name, raw, "")
                    continue
                elif (lower := name.lower()) in _OPENING:
                    return self._enclosed(lower, raw, found.end())
                elif lower in handlers:
                    self._hand_over(lower, raw, "")
                    continue
                if matter and _refers(raw):
                    self._anywhere(parse_attributes(raw))
            elif kind == BARE_TAG:
                return self._enclosed(found[11].lower(), "", found.end())
            elif kind == SCRIPT_TAG:
                self._hand_over("script", found[5], "")
            else:
                self._text_element(found[6].lower(), found[7], found[8] or "")
        return None

    def _plain_anchor(self, found: re.Match[str]) -> None:
        before, href, behind, text = found.group(1, 2, 3, 4)
        source = found.end() if text is None else text
        if "rel" in before or "rel" in behind:
            self._anchor(f' {before}href="{href}"{behind}', source)
        else:
            self._collector.page(href, LinkKind.A, source)

    def _anchor(self, raw: str, source: int | str) -> None:
        attributes = parse_attributes(raw)
        href = attributes.get("href")
        if not href:
            href = attributes.get("xlink:href") or href
        if href is not None:
            rel = attributes.get("rel") or ""
            nofollow = "nofollow" in rel.lower().split()
            self._collector.anchor(href.partition("#")[0], source, nofollow=nofollow)

    def _text_element(self, name: str, raw: str, text: str) -> None:
        if name in HANDLERS:
            self._hand_over(name, raw, unescape(text) if name in _DECODED and "&" in text else text)
        elif self._attributes_matter and _refers(raw):
            self._anywhere(parse_attributes(raw))

    def _hand_over(self, name: str, raw: str, source: str) -> None:
        if name == "frame" and not self._is_framed():
            return
        attributes = parse_attributes(raw)
        HANDLERS[name](self._collector, attributes, source)
        if self._attributes_matter and _refers(raw):
            self._anywhere(attributes)

    def _is_framed(self) -> bool:
        if self._framed is None:
            self._framed = _FRAMESET.search(self._html) is not None
        return self._framed

    def _anywhere(self, attributes: Mapping[str, str | None]) -> None:
        """Take what may stand on any element."""
        self._collector.css(attributes.get("style"))
        self._collector.background(attributes, "")

    # what encloses other elements

    def _enclosed(self, name: str, raw: str, position: int) -> int | None:
        if name == "plaintext":
            return None
        if name == "template":
            return self._template(position)
        if raw.endswith("/"):
            return position
        return self._drawing(position)

    def _template(self, position: int) -> int | None:
        """Pass over a template, and those within it."""
        depth = 1
        for tag, _, end in self._tags(position):
            if tag == "template":
                depth += 1
            elif tag == "/template":
                depth -= 1
                if not depth:
                    return end
        return None

    def _tags(self, position: int) -> Iterator[tuple[str, str, int]]:
        """Yield name, attributes and end of each tag that is one in HTML, end tags included."""
        while True:
            for found in EVERY_TAG.finditer(self._html, position):
                tag = (found[1] or "").lower()
                yield tag, found[2] or "", found.end()
                if tag in _RAW_END:
                    end = _RAW_END[tag].search(self._html, found.end())
                    if end is None:
                        return
                    position = end.start()
                    break
            else:
                return

    def _drawing(self, position: int) -> int | None:
        """Take the elements of a drawing: its texts are markup, its title and base are its own."""
        depth, html = 1, 0
        while found := EVERY_TAG.search(self._html, position):
            position = found.end()
            if found[1] is None:
                if found[0] == "<![CDATA[":
                    behind = self._html.find("]]>", position) + 3
                    position = behind if behind > 2 else len(self._html)
                continue
            name, raw = found[1].lower(), found[2]
            if name == "svg":
                depth += not raw.endswith("/")
            elif name == "/svg":
                depth -= 1
                if not depth:
                    return position
            elif name in _HTML_IN_DRAWINGS:
                html += not raw.endswith("/")
            elif name[1:] in _HTML_IN_DRAWINGS:
                html = max(0, html - 1)
            elif html and name in _RAW_END:
                end = _RAW_END[name].search(self._html, position)
                behind = end.start() if end else len(self._html)
                self._text_element(name, raw, self._html[position:behind])
                position = behind
            elif name in _BREAKS_OUT and not html:
                return found.start()
            else:
                self._drawn(name, raw, position)
        return None

    def _drawn(self, name: str, raw: str, end: int) -> None:
        if name == "a":
            self._anchor(raw, end)
        elif name in _DRAWN:
            self._collector.svg_resource(parse_attributes(raw), "")
        elif name == "style":
            self._collector.style({}, self._html[end : self._html.find("<", end)])
        elif name in HANDLERS and name not in ("title", "base"):
            self._hand_over(name, raw, "")
            return
        if self._attributes_matter and _refers(raw):
            self._anywhere(parse_attributes(raw))


_OPENING = frozenset({"svg", "template", "plaintext"})
_DRAWN = frozenset({"image", "use", "feimage"})
_RAW_END = {
    name: re.compile(rf"</{name}{ENDS}", re.IGNORECASE) for name in ("script", *TEXT_ELEMENTS.split("|"))
}


def _refers(attributes: str) -> bool:
    """Whether there are attributes that refer to something on any element."""
    return "url(" in attributes or "background" in attributes
