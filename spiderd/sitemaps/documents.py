"""The XML kinds of sitemaps: sitemapindex, urlset, RSS (0.9x, 1.0, 2.0), Atom.

Expat, event by event: memory does not grow with the document. A sitemap has no business declaring entities,
so a document type with declarations of its own (an internal subset) ends the reading at once: nothing is
ever expanded, whatever the library would do. Namespaces are often missing or wrong and are not looked at;
an element counts by its local name and its place (`image:loc` inside `image:image` is no page).

XML that breaks gives what came before. Then what breaks most often is mended (a bare `&`, entities of HTML,
control characters, bytes that are none of the encoding, an encoding that expat does not know), and the rest
is read in a second pass.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from xml.parsers import expat

Take = Callable[[str, str, str], bool]
"""Takes loc, lastmod and changefreq of a record; False where no more is wanted."""

MAX_TEXT = 8192  # characters of a <loc>; longer ones are no URLs
MAX_NESTING = 64
MAX_ELEMENTS = 1_000_000  # 20 for each of the entries that are taken
MAX_TOKEN = 1024 * 1024
MAX_MENDS = 200_000  # a document with more bare ampersands is none
_CHUNK = 65536
_BROKEN_OFF = frozenset(  # ended too early: there is nothing to mend
    expat.errors.codes[message]
    for message in (expat.errors.XML_ERROR_NO_ELEMENTS, expat.errors.XML_ERROR_UNCLOSED_TOKEN)
)
_ENCODING = re.compile(rb"<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([A-Za-z0-9._:-]{1,40})")
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_BARE = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});)")
_NO_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_PLACES = {  # (element, inside): role
    ("loc", "url"): "loc",
    ("loc", "sitemap"): "loc",
    ("lastmod", "url"): "time",
    ("changefreq", "url"): "often",
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
    """Enough has been read; the argument is the problem, if there is one."""


def read_xml(text: bytes, page: Take, child: Take) -> list[str]:
    """Read a document, calling `page` and `child` with loc, lastmod and changefreq of each record.

    Returns:
        What was wrong with it. `page` and `child` return False where no more is wanted.
    """
    reader = _Reader(page, child)
    problem = reader.read(text)
    if not problem:
        return []
    problems = [problem]
    if reader.broken:
        again = _Reader(page, child, skip=reader.records).read(_mended(text), encoding="utf-8")
        problems = [f"{problem}; mended" if not again else f"{problem}; mended, then: {again}"]
    return problems


def _mended(text: bytes) -> bytes:
    """Return the document in UTF-8, without what no parser takes."""
    if text.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    else:
        declared = _ENCODING.match(text)
        encoding = declared[1].decode() if declared else "utf-8"
    try:
        decoded = text.decode(encoding, "replace")
    except (LookupError, ValueError):
        decoded = text.decode("utf-8", "replace")
    decoded = _DECLARATION.sub("", decoded, count=1)
    return _BARE.sub("&amp;", _NO_CHARACTERS.sub("", decoded), MAX_MENDS).encode()


class _Reader:
    """One pass over a document."""

    def __init__(self, page: Take, child: Take, *, skip: int = 0) -> None:
        self.page, self.child = page, child
        self.skip = skip  # records that an earlier pass has taken
        self.records = self.elements = 0
        self.broken = False
        self.path: list[str] = []
        self.role = ""
        self.text: list[str] = []
        self.size = 0
        self.loc = self.time = self.often = ""

    def read(self, text: bytes, encoding: str | None = None) -> str:
        """Read the document; returns what was wrong with it, "" if nothing was."""
        parser = expat.ParserCreate(encoding)
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._doctype
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        try:
            for at in range(0, len(text), _CHUNK):
                parser.Parse(text[at : at + _CHUNK], False)
                if at - parser.CurrentByteIndex > MAX_TOKEN:
                    return "a tag or comment of more than 1 MiB: not read further"
            parser.Parse(b"", True)
        except _Stop as stop:
            return str(stop)
        except expat.ExpatError as error:
            self.broken = error.code not in _BROKEN_OFF
            return f"broken XML ({error})"
        except (ValueError, LookupError) as error:  # an encoding that Python or expat cannot serve
            self.broken = True
            return f"broken XML ({error})"
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
        if len(self.path) >= MAX_NESTING:
            raise _Stop("nested too deep")
        self.elements += 1
        if self.elements > MAX_ELEMENTS:
            raise _Stop("more than a million elements: not read further")
        inside = self.path[-1] if self.path else ""
        self.path.append(local)
        if local in _RECORDS:
            self.loc = self.time = self.often = ""
        self.role = _PLACES.get((local, inside), "")
        self.text, self.size = [], 0
        if self.role == "href" and attributes.get("rel", "alternate") == "alternate":
            self.loc = self.loc or attributes.get("href", "").strip()

    def _characters(self, data: str) -> None:
        if self.role:
            self.size += len(data)
            if self.size <= MAX_TEXT:
                self.text.append(data)

    def _end(self, _name: str) -> None:
        local = self.path.pop()
        if self.role == "loc":
            # Too long a text is no URL, and is not to become another one by being cut.
            self.loc = self.loc or ("".join(self.text).strip() if self.size <= MAX_TEXT else "(too long)")
        elif self.role == "time":
            self.time = "".join(self.text).strip()
        elif self.role == "often":
            self.often = "".join(self.text).strip()
        self.role = ""
        if local in _RECORDS and self.loc:
            self._record(self.child if local == "sitemap" else self.page)

    def _record(self, take: Take) -> None:
        self.records += 1
        loc, self.loc = self.loc, ""
        if self.records > self.skip and not take(loc, self.time, self.often):
            raise _Stop
