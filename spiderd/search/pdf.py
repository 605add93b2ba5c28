"""The text of a PDF, by pdfium.

Measured on three manuals of 17 to 114 pages: 0.9 ms a page, where pypdf takes 12. pdfium is C++ that reads
hostile files in browsers, which expect it to die now and then; so does the indexer (see
`spiderd.search.attempts`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing

import pypdfium2

from spiderd.search.text import MAX_TEXT, Readable

MAX_SECONDS = 5.0  # what comes later in a slow file is left out

_HYPHEN = "\x02"  # pdfium's mark of a word that is cut at the end of a line
_TITLE = 300  # characters


def read_pdf(data: bytes, clock: Callable[[], float] = time.monotonic) -> Readable:
    """Read a PDF; what cannot be read is an empty text."""
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError:
        return Readable("", "", "", "")
    with closing(document):
        lines = _lines(document, clock() + MAX_SECONDS, clock)
        title = " ".join(document.get_metadata_dict().get("Title", "").split())[:_TITLE]
    return Readable(title or (lines[0][:_TITLE] if lines else ""), "", "\n".join(lines), "")


def _lines(document: pypdfium2.PdfDocument, until: float, clock: Callable[[], float]) -> list[str]:
    lines: list[str] = []
    room = MAX_TEXT
    for index in range(len(document)):
        if room <= 0 or clock() > until:
            break
        try:
            with closing(document[index]) as page, closing(page.get_textpage()) as text:
                content = text.get_text_bounded()
        except pypdfium2.PdfiumError:
            continue  # one bad page
        content = content.replace(_HYPHEN + "\r\n", "").replace(_HYPHEN, "")[:room]
        room -= len(content)
        lines += [folded for line in content.splitlines() if (folded := " ".join(line.split()))]
    return lines
