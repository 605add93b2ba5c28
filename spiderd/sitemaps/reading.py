"""Reading a sitemap of any kind: index, urlset, RSS, Atom, text list; plain or packed.

Pure: bytes in, URLs out. Who asks for the children decides how deep to go (`MAX_DEPTH`) and asks for no URL
twice, which ends cycles. Nothing raises; what was wrong is in `problems`, one sentence each, few of them
whatever the input. Reading 50 MiB takes seconds: not for an event loop.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from typing import NamedTuple

import ada_url

from spiderd.config.secrets import masked
from spiderd.sitemaps.documents import read_xml
from spiderd.sitemaps.unpacking import unpacked

MAX_DEPTH = 10
"""Levels of indexes that are followed; a sitemap named by robots.txt is level 1."""
MAX_ENTRIES = 50_000
"""Entries of one sitemap (sitemaps.org); those beyond are left out with a problem noted."""

_SPACE = b" \t\r\n\f\v"
_SNIFFED = 8192
_IS_HTML = "an HTML page, not a sitemap"
_ABSOLUTE = re.compile(r"https?://", re.IGNORECASE)
_HTML = re.compile(rb"(?:<!--.{0,2000}?-->\s*)*<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL)
# Something else may come first: a warning of PHP, a blank line of a template.
_DOCUMENT = re.compile(rb"<\?xml\s|<!DOCTYPE\s|<(?:[A-Za-z0-9_]+:)?(?:urlset|sitemapindex|rss|RDF|feed)[\s>]")


class Entry(NamedTuple):
    """A URL that a sitemap names."""

    url: str  # absolute
    lastmod: str  # as written, "" where there is none; see `lastmod_time`
    changefreq: str = ""  # likewise, in lower case: "daily"


@dataclass(slots=True)
class Sitemap:
    """What a sitemap holds."""

    children: list[Entry] = field(default_factory=list)  # further sitemaps
    entries: list[Entry] = field(default_factory=list)  # pages
    problems: list[str] = field(default_factory=list)


def parse(body: bytes, url: str, content_type: str = "") -> Sitemap:
    """Read a sitemap.

    Args:
        body: the answer's body, HTTP content coding undone.
        url: where it came from; entries are resolved against it.
        content_type: as the server declared it; decides only where the body itself does not.
    """
    body, problems = unpacked(body)
    text = body.lstrip(_SPACE).removeprefix(codecs.BOM_UTF8).lstrip(_SPACE)
    found = _Collector(url, problems)
    if not text:
        problems.append("empty")
    elif text.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        decoded = text.decode("utf-16", "replace").lstrip()
        _read(text if decoded.startswith("<") else decoded.encode(), found)
    elif _HTML.match(text):
        problems.append(_IS_HTML)
    elif document := _DOCUMENT.search(text, 0, _SNIFFED):
        _read(text[document.start() :], found)
    elif content_type.partition(";")[0].strip().lower() == "text/html":
        problems.append(_IS_HTML)
    else:
        _read(text, found)
    return found.done()


def _read(text: bytes, found: _Collector) -> None:
    if text.startswith((b"<", codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        found.sitemap.problems += read_xml(text, found.page, found.child)
        return
    for raw in text.splitlines():  # a text list: one absolute URL a line, UTF-8
        line = raw.strip().decode("utf-8", "replace")
        if not line or line.startswith("#"):
            continue
        # "Not found" is no address relative to the sitemap.
        more = found.page(line, "") if _ABSOLUTE.match(line) else found.refuse(line)
        if not more:
            break
    if not found.sitemap.entries:
        found.sitemap.problems.append("neither XML nor a list of URLs")


class _Collector:
    """Resolves, counts and caps what a reader finds."""

    def __init__(self, url: str, problems: list[str]) -> None:
        self.base = url
        self.bad = 0
        self.first_bad = ""
        self.full = False
        self.sitemap = Sitemap(problems=problems)

    def page(self, loc: str, lastmod: str, changefreq: str = "") -> bool:
        """Take a page; False means that no more are wanted."""
        return self._take(self.sitemap.entries, loc, lastmod, changefreq)

    def child(self, loc: str, lastmod: str, changefreq: str = "") -> bool:
        """Take a further sitemap; False means that no more are wanted."""
        return self._take(self.sitemap.children, loc, lastmod, changefreq)

    def _take(self, into: list[Entry], loc: str, lastmod: str, changefreq: str) -> bool:
        if len(into) >= MAX_ENTRIES:
            self.full = True
            return False
        url = self._resolved(loc)
        if url:
            into.append(Entry(url, lastmod.strip()[:64], changefreq.strip()[:16].lower()))
            return True
        return self.refuse(loc)

    def refuse(self, loc: str) -> bool:
        """Count what is no URL; False means that nothing more is wanted."""
        self.bad += 1
        self.first_bad = self.first_bad or masked(loc.strip()[:80], malformed=True)
        return self.bad < MAX_ENTRIES

    def _resolved(self, loc: str) -> str:
        loc = loc.strip()
        if not (_ABSOLUTE.match(loc) or loc.startswith("/")):
            return ""  # the protocol wants absolute URLs; words are none
        try:
            url = ada_url.join_url(self.base, loc)
        except ValueError:
            return ""
        return url if url.startswith(("http://", "https://")) else ""

    def done(self) -> Sitemap:
        """Return what was found, problems completed."""
        sitemap = self.sitemap
        if self.full:
            sitemap.problems.append(f"more than {MAX_ENTRIES:,} entries: the rest is left out")
        if self.bad:
            sitemap.problems.append(f"{self.bad} entries are no http(s) URLs, such as {self.first_bad!r}")
        if any(child.url == self.base for child in sitemap.children):
            sitemap.problems.append("it names itself as its child")
            sitemap.children = [child for child in sitemap.children if child.url != self.base]
        return sitemap
