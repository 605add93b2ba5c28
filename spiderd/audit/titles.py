"""Titles that are missing, long, or on several pages.

Titles are grouped by a hash of 8 bytes, so a page costs some 20 bytes of the file of findings; with a million
titles the odds that two that differ are taken for one are 1 in 37 million.
"""

from __future__ import annotations

import hashlib

from spiderd.audit.collector import Collector
from spiderd.audit.findings import BATCH
from spiderd.audit.material import is_html
from spiderd.states import OutcomeKind
from spiderd.store.records import PageRecord

MISSING, DUPLICATE, LONG = "missing", "duplicate", "long"
_ORDER = (MISSING, DUPLICATE, LONG)


class Titles(Collector):
    """Files pages by what is wrong with their titles; of copies only the first page counts."""

    kinds = ("titles",)

    def begin(self) -> None:
        """Make the table to group in."""
        self.findings.db.execute("CREATE TABLE titles (hash BLOB, page INTEGER)")
        self._rows: list[tuple[bytes, int]] = []

    def page(self, number: int, page: PageRecord) -> None:
        """Look at the title of an HTML page."""
        if page.kind is not OutcomeKind.STORED or not is_html(page):
            return
        title = " ".join(page.title.split())
        if not title:
            self._file(MISSING, 0, number, "", page.url)
            return
        if len(title) > self.limits.title:
            self._file(LONG, -len(title), number, title, page.url)
        self._rows.append((hashlib.blake2b(title.encode(), digest_size=8).digest(), number))
        if len(self._rows) >= BATCH:
            self._flush()

    def finish(self) -> None:
        """File titles that several pages have, the most frequent first."""
        self._flush()
        db = self.findings.db
        db.execute("CREATE INDEX by_title ON titles (hash, page)")
        groups = db.execute("SELECT hash, count(*) AS n FROM titles GROUP BY hash HAVING n > 1")
        for place, (of, count) in enumerate(groups):
            for (number,) in db.execute("SELECT page FROM titles WHERE hash = ? ORDER BY page", (of,)):
                page = self.material.store.page(number)
                if page is not None:
                    title = " ".join(page.title.split())
                    self._file(DUPLICATE, -count, number, title, page.url, group=place)

    def _flush(self) -> None:
        self.findings.insert("titles", self._rows)
        self._rows.clear()

    def _file(self, problem: str, weight: int, number: int, title: str, url: str, group: int = 0) -> None:
        rank = f"{_ORDER.index(problem)}{10**12 + weight:013}{group:012}"
        self.findings.file("titles", rank, number, problem, title[:500], len(title), url)
