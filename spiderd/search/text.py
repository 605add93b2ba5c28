"""The readable text of a page: title, headings, what it says, and what merely surrounds that.

Problem: words in navigation are on every page of a site and say little about any of them; but which parts are
navigation no page says for certain, and a list of links may be all that a page is for. So nothing is thrown
away: text that reads like its surroundings goes into `rest`, which is searched with less weight.

Structure: one pass over the tags, no tree. Time is linear in the page, whatever is in it; that is what the
libraries for this do not offer. Measured on 600 pages of documentation (23 KB each): this pass 1.0 ms a page,
resiliparse 2.0 (plain text with main content 1.6, headings 0.5), trafilatura 15; and on hostile pages of
1 MB (a hundred thousand nested elements, one tag with as many attributes) resiliparse takes minutes in C,
where nothing can interrupt it.

A block of text is taken for surroundings where it stands in an element that says so (`nav`, `footer`, class
or id of such a name), or where most of it is links. Where that would leave next to nothing the page is taken
whole.
"""

from __future__ import annotations

import re
from html import unescape
from typing import NamedTuple

MAX_TEXT = 1_000_000
"""Characters of a page that are read; more is no page but a dump."""

_LINK_SHARE = 0.6  # of a block's characters from which on it is a list of links
_SENTENCE = 120  # characters of a block that is no list of links: content, even in a sidebar
_LEAST_MAIN = 0.15  # share of the text that must not be surroundings for the distinction to be believed

_VALUE = r"""(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^\s>"'][^\s>]*+)"""
_TAG = re.compile(  # each alternative takes all that it looks at, so that no part is looked at twice
    rf"<(?:(/?[A-Za-z][^\s/>]*+)(?:>|([^>=]*+(?:=\s*+{_VALUE}?[^>=]*+)*+)(?:>|\Z))"
    r"|!--(?:-?>|[^-]*+(?:-(?!-!?>)[^-]*+)*+(?:--!?>|\Z))"
    r"|[!?/][^>]*+(?:>|\Z))"
)
_RAW_END = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE)
    for name in ("script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes")
}
_HIDDEN = re.compile(
    r"(?:^|\s)hidden(?:[\s=/]|$)|style\s*=[^>]*?(?:display\s*:\s*none|visibility\s*:\s*hidden)",
    re.IGNORECASE,
)
_SURROUNDING = re.compile(
    r"""(?:class|id|role)\s*=\s*(?:"[^"]*|'[^']*|)(?<![a-z])(?:nav|navbar|nav[_-]?(?:header|footer|bar)|navigation|"""
    r"""(?:top|sub|bottom|side)?[_-]?nav|menu|menubar|sidebar|sphinxsidebar|footer|breadcrumbs?|"""
    r"""crumbs|toolbar|pagination|pager|toc|contentinfo|cookie|banner|related|skip|langs?)(?![a-z])""",
    re.IGNORECASE,
)
_DESCRIPTION = re.compile(r"""name\s*=\s*["']?description["'\s]""", re.IGNORECASE)
_CONTENT = re.compile(r"""content\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)""", re.IGNORECASE)


def _names(names: str) -> frozenset[str]:
    return frozenset(names.split())


_BLOCKS = _names(
    "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main "
    "menu nav ol optgroup option p pre search section select summary table tbody tfoot thead tr ul"
)
_CELLS = frozenset({"td", "th", "/td", "/th"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "dt"})  # dt: what is defined here
_REGIONS = frozenset({"nav", "footer", "aside", "menu"})  # surroundings by their name
_NAMED = _names("div ul ol dl section header table tr td p span form")  # by class, id or role
_SILENT = _names("template noscript svg math object audio video canvas select button datalist head")
_INLINE = frozenset(  # tags that change nothing, unless they hide something
    tag
    for name in _names(
        "abbr acronym b bdi bdo big cite code del dfn em font i img input ins kbd label link mark q s samp "
        "small strike strong sub sup time tt u var wbr"
    )
    for tag in (name, "/" + name)
)
_VOID = _names("area base br col embed hr img input link meta param source track wbr frame keygen basefont")


class Readable(NamedTuple):
    """What a page says; text has a line for each block."""

    title: str
    headings: str
    body: str
    rest: str  # navigation and other surroundings
    language: str = ""  # as declared

    @property
    def text(self) -> str:
        """All of it, for a preview: the body, or what there is."""
        return self.body or self.rest


def read_html(html: str) -> Readable:
    """Read a page."""
    reader = _Reader(html)
    reader.run()
    return reader.result()


def read_plain(text: str) -> Readable:
    """Read a text without markup; its title is its first line."""
    lines = [folded for line in text[:MAX_TEXT].splitlines() if (folded := " ".join(line.split()))]
    return Readable(lines[0][:200] if lines else "", "", "\n".join(lines), "")


class _Reader:
    """One pass over the tags of a page."""

    def __init__(self, html: str) -> None:
        self._html = html
        self._parts: list[str] = []  # of the block at hand
        self._link_parts: list[str] = []  # those of them that stand in links
        self._blocks: list[tuple[str, str]] = []  # text and where it belongs: "b", "r", "h"
        self._room = MAX_TEXT
        self._title = self._description = self._language = ""
        self._anchor = False
        self._heading = ""
        self._silent = _Region()
        self._around = _Region()

    def run(self) -> None:
        html, position = self._html, 0
        while position < len(html) and self._room > 0:
            position = self._stretch(position)
        self._flush()

    def _stretch(self, start: int) -> int:
        """Go from tag to tag up to one whose content is no markup; where to go on."""
        html, silent, parts = self._html, self._silent, self._parts
        last = start
        for found in _TAG.finditer(html, start):
            at = found.start()
            if at > last and not silent.name:
                text = html[last:at]
                parts.append(text)
                if self._anchor:
                    self._link_parts.append(text)
            last = found.end()
            name = found[1]
            if name is None or (name in _INLINE and not silent.name and not _may_hide(found[2])):
                continue
            name = name.lower()
            if name in _RAW_END:
                return self._raw(name, last)
            self._tag(name, found[2] or "")
            if self._room <= 0:
                break
        else:
            if not silent.name:
                parts.append(html[last:])
            return len(html)
        return last

    def _raw(self, name: str, start: int) -> int:
        end = _RAW_END[name].search(self._html, start)
        behind = end.start() if end else len(self._html)
        if name == "title" and not self._title and self._silent.name in ("", "head"):
            self._title = _folded(self._html[start : min(behind, start + 2000)])
        return behind

    def _tag(self, name: str, attributes: str) -> None:
        if name[0] == "/":
            self._close(name[1:])
        else:
            self._open(name, attributes)

    def _open(self, name: str, attributes: str) -> None:
        if name == "meta":
            self._meta(attributes)
            return
        if self._silent.name:
            if name != "body" or self._silent.name != "head":
                self._silent.deeper(name)
                return
            self._silent.leave()
        if name == "a":
            self._anchor = True
            return
        if name in _BLOCKS:
            if self._parts:
                self._flush()
            if name in _HEADINGS:
                self._heading = name
            elif name == "html":
                self._language = _attribute(attributes, "lang")
        elif name in _CELLS:
            self._parts.append(" ")
        self._around.deeper(name)
        if name in _SILENT or (attributes and _is_hidden(attributes)):
            if name not in _VOID:
                self._silent.enter(name)
        elif not self._around.name and (
            name in _REGIONS or (attributes and name in _NAMED and _SURROUNDING.search(attributes))
        ):
            self._flush()
            self._around.enter(name)

    def _close(self, name: str) -> None:
        if self._silent.name:
            self._silent.shallower(name)
            return
        if name == "a":
            self._anchor = False
            return
        if name in _BLOCKS:
            if self._parts:
                self._flush()
            if name in _HEADINGS:
                self._heading = ""
        self._around.shallower(name)

    def _meta(self, attributes: str) -> None:
        if not self._description and _DESCRIPTION.search(attributes):
            content = _CONTENT.search(attributes)
            self._description = _folded(content[1].strip("\"'")) if content else ""

    def _flush(self) -> None:
        """End a block."""
        text = _folded("".join(self._parts))
        linked = len("".join(self._link_parts))
        self._parts.clear()
        self._link_parts.clear()
        if not text:
            return
        self._room -= len(text)
        if linked > _LINK_SHARE * len(text) or (self._around.name and len(text) < _SENTENCE):
            place = "h" if self._heading and not self._around.name else "r"
        else:
            place = "h" if self._heading else "b"
        self._blocks.append((text, place))

    def result(self) -> Readable:
        """Put together what was read."""
        blocks = self._blocks
        main = sum(len(text) for text, place in blocks if place != "r")
        total = sum(len(text) for text, _ in blocks)
        if main < _LEAST_MAIN * total:
            blocks = [(text, "b" if place == "r" else place) for text, place in blocks]
        body = [text for text, place in blocks if place != "r"]
        if self._description and sum(map(len, body)) < len(self._description):
            body.insert(0, self._description)
        return Readable(
            self._title or next((text for text, place in blocks if place == "h"), ""),
            "\n".join(text for text, place in blocks if place == "h"),
            "\n".join(body),
            "\n".join(text for text, place in blocks if place == "r"),
            self._language,
        )


class _Region:
    """An element that is open, and how many of its name are open within."""

    __slots__ = ("depth", "name")

    def __init__(self) -> None:
        self.name = ""
        self.depth = 0

    def enter(self, name: str) -> None:
        self.name, self.depth = name, 1

    def leave(self) -> None:
        self.name = ""

    def deeper(self, name: str) -> None:
        if name == self.name:
            self.depth += 1

    def shallower(self, name: str) -> None:
        if name == self.name:
            self.depth -= 1
            if not self.depth:
                self.name = ""


def _may_hide(attributes: str | None) -> bool:
    return attributes is not None and ("hidden" in attributes or "none" in attributes)


def _is_hidden(attributes: str) -> bool:
    return _may_hide(attributes) and _HIDDEN.search(attributes) is not None


def _attribute(attributes: str, name: str) -> str:
    found = re.search(rf"(?:^|\s){name}\s*=\s*[\"']?([^\"'\s>]+)", attributes, re.IGNORECASE)
    return found[1] if found else ""


def _folded(text: str) -> str:
    """Entities decoded, white space folded."""
    return " ".join((unescape(text) if "&" in text else text).split())
