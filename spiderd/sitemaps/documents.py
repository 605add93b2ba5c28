"""The XML kinds of sitemaps: sitemapindex, urlset, RSS (0.9x, 1.0, 2.0), Atom.

Expat, event by event: memory does not grow with the document. A sitemap has no business declaring entities,
so a document type with declarations of its own (an internal subset) ends the reading at once: nothing is
ever expanded, whatever the library would do. Namespaces are often missing or wrong and are not looked at;
an element counts by its local name and its place (`image:loc` inside `image:image` is no page).

XML that breaks gives what came before. The commonest break, a bare `&` or an entity of HTML, is mended and
the document read again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.parsers import expat

Take = Callable[[str, str], bool]

MAX_TEXT = 8192  # characters kept of a <loc>; URLs that long are refused anyway
_BARE = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});)")
_PLACES = {  # (element, inside): role
    ("loc", "url"): "loc",
    ("loc", "sitemap"): "loc",
    ("lastmod", "url"): "time",
    ("lastmod", "sitemap"): "time",
    ("link", "item"): "loc",
    ("pubDate", "item"): "time",
    ("date", "item"): "time",
    ("link", "entry"): "href",
    ("updated", "entry"): "time",
}
_RECORDS = frozenset({"url", "sitemap", "item", "entry"})
_ROOTS = frozenset({"urlset", "sitemapindex", "rss", "RDF", "feed"})


class _Stop(Exception):
    """Ends the reading; the argument is the problem, if there is one."""


def read_xml(text: bytes, page: Take, child: Take) -> list[str]:
    """Read a document, calling `page` and `child` with (loc, lastmod) of each record.

    Returns:
        What was wrong with it. `page` and `child` return False where no more is wanted.
    """
    reader = _Reader(page, child)
    problem = reader.read(text)
    if problem and reader.broken:
        mended = _BARE.sub(b"&amp;", text)
        if mended != text:
            again = _Reader(page, child, skip=reader.records)
            problem = again.read(mended)
    return [problem] if problem else []


class _Reader:
    """One pass over a document."""

    def __init__(self, page: Take, child: Take, *, skip: int = 0) -> None:
        self.page, self.child = page, child
        self.skip = skip  # records that an earlier pass has taken
        self.records = 0
        self.broken = False
        self.path: list[str] = []
        self.role = ""
        self.text: list[str] = []
        self.size = 0
        self.loc = self.time = ""

    def read(self, text: bytes) -> str:
        """Read the document; returns what was wrong with it, "" if nothing was."""
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._doctype
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        try:
            parser.Parse(text, True)
        except _Stop as stop:
            return str(stop)
        except (expat.ExpatError, ValueError, LookupError) as error:
            self.broken = True
            return f"broken XML: {error}"
        return ""

    def _doctype(self, _name: str, _system: str | None, _public: str | None, internal: int) -> None:
        if internal:
            raise _Stop("declares a document type of its own (entities?): not read further")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(":")[2]
        if not self.path and local not in _ROOTS:
            raise _Stop(
                "an HTML page, not a sitemap" if local.lower() == "html" else f"<{local[:40]}> is no sitemap"
            )
        inside = self.path[-1] if self.path else ""
        self.path.append(local)
        if local in _RECORDS:
            self.loc = self.time = ""
        self.role = _PLACES.get((local, inside), "")
        self.text, self.size = [], 0
        if self.role == "href" and attributes.get("rel", "alternate") == "alternate" and not self.loc:
            self.loc = attributes.get("href", "")

    def _characters(self, data: str) -> None:
        if self.role and self.size < MAX_TEXT:
            self.text.append(data[: MAX_TEXT - self.size])
            self.size += len(data)

    def _end(self, _name: str) -> None:
        local = self.path.pop()
        if self.role == "loc":
            self.loc = self.loc or "".join(self.text).strip()
        elif self.role == "time":
            self.time = "".join(self.text).strip()
        self.role = ""
        if local in _RECORDS and self.loc:
            self._record(self.child if local == "sitemap" else self.page)

    def _record(self, take: Take) -> None:
        self.records += 1
        loc, self.loc = self.loc, ""
        if self.records > self.skip and not take(loc, self.time):
            raise _Stop
