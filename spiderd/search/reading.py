"""From a row of the store to what goes into the index: which pages, and their text from the archive."""

from __future__ import annotations

import re
from pathlib import Path

from spiderd.archive.reading import read_body
from spiderd.parse.charset import decode_page
from spiderd.parse.labels import decode
from spiderd.search.language import language_of
from spiderd.search.pdf import read_pdf
from spiderd.search.schema import Entry
from spiderd.search.text import Readable, read_html, read_plain
from spiderd.states import OutcomeKind
from spiderd.store.records import PageRecord

_HTML = frozenset({"text/html", "application/xhtml+xml"})
_PLAIN = frozenset({"text/plain", "text/markdown", "text/csv", "text/x-rst", "text/rtf"})
_PDF = "application/pdf"
_LOOKS_LIKE_HTML = re.compile(rb"\s*+(?:<!--|<!doctype html|<html|<head|<title|<body)", re.IGNORECASE)


def is_wanted(page: PageRecord) -> bool:
    """Whether a page is to be found: it was stored, and does not ask to be left out."""
    return page.kind is OutcomeKind.STORED and page.number > 0 and not page.noindex


def read_entry(number: int, page: PageRecord, archive: Path) -> Entry:
    """Read a page that is wanted.

    Raises:
        OSError: the archive has not got it.
    """
    return entry_of(number, page, readable(page, read_body(archive, page.directory, page.number)))


def entry_of(number: int, page: PageRecord, text: Readable) -> Entry:
    """Put together what goes into the index; the store's title serves where the text has none."""
    if not text.title:
        text = text._replace(title=page.title)
    language = language_of(text.body or text.rest, text.language or page.lang)
    return Entry(number, page.url, page.fetched_at, language, text)


def bare_entry(number: int, page: PageRecord) -> Entry:
    """Return an entry for a page that cannot be read: its URL and its title alone."""
    return entry_of(number, page, Readable(page.title, "", "", ""))


def readable(page: PageRecord, body: bytes) -> Readable:
    """Read a body by its type; what is no text is empty."""
    kind = page.content_type.partition(";")[0].strip().lower()
    if kind == _PDF or body.startswith(b"%PDF-"):
        return read_pdf(body)
    if kind in _HTML or _LOOKS_LIKE_HTML.match(body):
        return read_html(_text(page, body))
    if kind in _PLAIN:
        return read_plain(_text(page, body))
    return Readable("", "", "", "")


def _text(page: PageRecord, body: bytes) -> str:
    if page.charset:
        text, _ = decode(body, page.charset)
    else:
        decoded = decode_page(body, page.content_type)
        text = decoded.text if decoded.text is not None else decoded.html.decode()
    return text.removeprefix("\ufeff")
