"""Pages whose words are nearly those of an earlier page.

Fingerprints are those of `spiderd.schedule.similarity`: 64 bits of which nearly equal pages differ in at most
three. With three bits of difference one of the four quarters is equal, so pages are sorted by each quarter in
turn, and only within a run of equal quarters compared, all at once (Manku, Jain, Das Sarma 2007).

A fingerprint that the crawl has made is taken from the page's row. The others are made here from the bodies
in the archive: 0.5 ms a page of 15 KiB, which is why this report takes the longest. Sorting costs four rows
of 30 bytes a page in the file of findings. Of a run that is longer than `RUN` (many thousand pages that are
all alike) pages are compared with the first `RUN`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

import numpy as np

from spiderd.audit.collector import Collector
from spiderd.audit.findings import BATCH
from spiderd.audit.material import essence, is_html
from spiderd.fetcher.fingerprint import fingerprint
from spiderd.states import OutcomeKind
from spiderd.store.records import PageRecord

RUN = 4_096
_SIGN = 1 << 63


class Near(Collector):
    """Files each page that is nearly an earlier one, under the earliest of those."""

    kinds = ("near-duplicates",)

    def begin(self) -> None:
        """Make the tables to sort in."""
        self.findings.db.execute("CREATE TABLE prints (quarter INTEGER, page INTEGER, print INTEGER)")
        self.findings.db.execute("CREATE TABLE near (page INTEGER, earlier INTEGER, bits INTEGER)")
        self._rows: list[tuple[int, int, int]] = []

    def page(self, number: int, page: PageRecord) -> None:
        """Take the fingerprint of a page."""
        if page.kind is not OutcomeKind.STORED or not (is_html(page) or essence(page).startswith("text/")):
            return
        made = page.simhash
        if not made and (body := self.material.body(page)) is not None:
            made = fingerprint(body)
        if not made:
            return
        for place in range(4):
            quarter = made >> 16 * place & 0xFFFF | place << 16
            self._rows.append((quarter, number, made - _SIGN))  # SQLite's integers have a sign
        if len(self._rows) >= BATCH:
            self._flush()

    def _flush(self) -> None:
        self.findings.insert("prints", self._rows)
        self._rows.clear()

    def finish(self) -> None:
        """Compare, and file."""
        self._flush()
        found: list[tuple[int, int, int]] = []
        for pair in self._pairs():
            found.append(pair)
            if len(found) >= BATCH:
                self.findings.insert("near", found)
                found.clear()
        self.findings.insert("near", found)
        query = "SELECT page, min(earlier), bits FROM near GROUP BY page ORDER BY page"
        for number, earlier, bits in self.findings.db.execute(query):
            page = self.material.store.page(number)
            if page is not None:
                like = self.material.url(earlier)
                cells = (page.url, like, bits, page.title[:500], page.canonical)
                self.findings.file("near-duplicates", earlier, number, *cells)

    def _pairs(self) -> Iterator[tuple[int, int, int]]:
        rows = self.findings.db.execute("SELECT quarter, page, print FROM prints ORDER BY quarter, page")
        for _, run in groupby(rows, key=itemgetter(0)):
            yield from pairs(((page, made + _SIGN) for _, page, made in run), self.limits.near)


def pairs(run: Iterator[tuple[int, int]], most: int) -> Iterator[tuple[int, int, int]]:
    """Yield each page of a run that is near an earlier one of it, the earliest of those, and the bits.

    Args:
        run: page numbers, ascending, with their fingerprints.
        most: bits in which fingerprints that are near may differ.
    """
    pages = np.zeros(RUN, np.int64)
    prints = np.zeros(RUN, np.uint64)
    held = 0
    for page, made in run:
        bits = np.bitwise_count(prints[:held] ^ np.uint64(made))
        near = np.flatnonzero(bits <= most)
        if len(near):
            yield page, int(pages[near[0]]), int(bits[near[0]])
        if held < RUN:
            pages[held], prints[held] = page, made
            held += 1
