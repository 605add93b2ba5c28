"""Reports that each page decides for itself: slow pages, robots, encodings, copies."""

from __future__ import annotations

from spiderd.audit.collector import Collector
from spiderd.parse.prescan import declared_in_header, declared_in_page
from spiderd.states import Failure, OutcomeKind
from spiderd.store.records import PageRecord

PAGES = frozenset({OutcomeKind.STORED, OutcomeKind.DUPLICATE})


class Slow(Collector):
    """Pages that took long, from the request to the last byte."""

    kinds = ("slow",)

    def page(self, number: int, page: PageRecord) -> None:
        """File a page that took long."""
        if page.elapsed >= self.limits.slow and page.status:
            seconds = round(page.elapsed, 3)
            self.findings.file("slow", -page.elapsed, number, seconds, page.url, page.size, page.status)


class Robots(Collector):
    """What robots.txt keeps back, with the line that does, and pages that ask not to be indexed."""

    kinds = ("robots",)

    def page(self, number: int, page: PageRecord) -> None:
        """File a page that is kept back."""
        if page.failure is Failure.ROBOTS_DENIED:
            rule = self.material.rule(page.url)
            self._file(0, "blocked", number, page, rule)
        elif page.noindex and page.kind in PAGES:
            self._file(1, "noindex", number, page, "")

    def _file(self, rank: int, problem: str, number: int, page: PageRecord, rule: str) -> None:
        source = self.material.url(page.referrer)
        self.findings.file("robots", rank, number, problem, page.url, rule, source)


class Encodings(Collector):
    """Pages that do not decode as they say they are written.

    What a page declares is not in its row; of the few that lie it is read again from where it stood.
    """

    kinds = ("encodings",)

    def page(self, number: int, page: PageRecord) -> None:
        """File a page that lies."""
        if not page.charset_lie:
            return
        declared, by = declared_in_header(page.content_type), "header"
        if not declared:
            body = self.material.body(page)
            declared, by = declared_in_page(body) if body is not None else "", "page"
        certainty = round(page.charset_confidence, 3)
        self.findings.file("encodings", number, number, page.url, declared, by, page.charset, certainty)


class Copies(Collector):
    """Pages with the content of another one, under the first page that had it."""

    kinds = ("duplicates",)

    def page(self, number: int, page: PageRecord) -> None:
        """File a copy."""
        if page.kind is not OutcomeKind.DUPLICATE:
            return
        first = self.material.store.first_with(page.digest) or 0
        of = self.material.url(first)
        self.findings.file("duplicates", first, number, page.url, of, page.size, page.canonical)
