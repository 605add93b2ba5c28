"""Reports about links: broken ones, redirects, orphans, dead ends, http within https.

The walk over the pages only notes which of them are asked about; the links to those are found afterwards (see
`spiderd.audit.targets`). Links that were not followed (nofollow, out of scope) lead to no page of the crawl
and do not count.
"""

from __future__ import annotations

from enum import IntFlag
from functools import lru_cache

import numpy as np

from spiderd.audit.chains import resolve_chain
from spiderd.audit.collector import Collector
from spiderd.audit.findings import BATCH
from spiderd.audit.material import essence, is_html
from spiderd.audit.pages import PAGES
from spiderd.audit.targets import MOST, Link, Numbers, Targets, link_rows, links_to
from spiderd.parse.links import FIRST_ASSET, LinkKind, LinkRecord
from spiderd.states import Failure, OutcomeKind
from spiderd.store.records import PageRecord
from spiderd.urls import host_key

MOST_SOURCES = 1_000
"""Links to one broken page that are filed: a footer of a million pages says no more than of a thousand."""

OURS = frozenset({Failure.FETCHER_DIED, Failure.STORE_FAILED, Failure.INTERNAL_ERROR})
"""Failures that say nothing of the page."""
NO_END = frozenset({Failure.BAD_REDIRECT, Failure.TOO_MANY_REDIRECTS})

_ACTIVE = frozenset(
    {
        LinkKind.FRAME,
        LinkKind.IFRAME,
        LinkKind.SCRIPT,
        LinkKind.STYLESHEET,
        LinkKind.CSS_URL,
        LinkKind.OBJECT,
        LinkKind.EMBED,
    }
)


class Asked(IntFlag):
    """Why a page is asked about."""

    BROKEN = 1
    REDIRECT = 2
    ORPHAN = 4
    INSECURE = 8


class Edges(Collector):
    """Files all that has to do with links, in one walk over them."""

    kinds = ("broken", "redirects", "orphans", "dead-ends", "mixed")

    def begin(self) -> None:
        """Make the table of what is asked about."""
        self.findings.db.execute("CREATE TABLE asked (page INTEGER PRIMARY KEY, why INTEGER)")
        self._rows: list[tuple[int, int]] = []
        self._sitemaps: set[int] = set()
        self._secure = 0  # pages that were fetched by https
        self._source = lru_cache(2)(self.material.store.page)  # links come source by source

    def page(self, number: int, page: PageRecord) -> None:
        """Note why a page is asked about."""
        why = Asked(0)
        if page.kind is OutcomeKind.SITEMAP:
            self._sitemaps.add(number)
            return
        if page.kind is OutcomeKind.FAILED and page.failure not in OURS | NO_END:
            why |= Asked.BROKEN
        if page.kind is OutcomeKind.REDIRECT or page.failure in NO_END:
            why |= Asked.REDIRECT
        if page.referrer in self._sitemaps:
            why |= Asked.ORPHAN
        if page.url.startswith("https:"):
            self._secure += 1
        elif "mixed" in self.wanted:
            why |= Asked.INSECURE
        if why:
            self._rows.append((number, int(why)))
            if len(self._rows) >= BATCH:
                self._flush()

    def _flush(self) -> None:
        self.findings.insert("asked", self._rows)
        self._rows.clear()

    def finish(self) -> None:
        """Walk the links, once for each so many pages that are asked about."""
        self._flush()
        last, first = 0, True
        while True:
            rows = self.findings.db.execute(
                "SELECT page, why FROM asked WHERE page > ? AND why & ? ORDER BY page LIMIT ?",
                (last, 15 if self._secure else 7, MOST),
            ).fetchall()
            if not rows and not first:
                return
            table = np.array(rows, np.int64).reshape(-1, 2)
            self._walk(table[:, 0], table[:, 1], first=first)
            if len(rows) < MOST:
                return
            last, first = int(rows[-1][0]), False

    def _walk(self, numbers: Numbers, reasons: Numbers, *, first: bool) -> None:
        """Walk the links for some pages; what needs no target is done the first time."""
        targets = Targets(self.material, numbers)
        why = reasons[np.searchsorted(numbers, targets.numbers)] if len(targets) else reasons[:0]
        counts = np.zeros(len(targets), np.int64)
        firsts = np.zeros(len(targets), np.int64)
        for piece in link_rows(self.material, "links"):
            for link in links_to(targets, piece):
                if link.source == targets.numbers[link.place] or not self._stands(link.source):
                    continue
                counts[link.place] += 1
                firsts[link.place] = firsts[link.place] or link.source
                self._link(link, int(targets.numbers[link.place]), int(why[link.place]), counts[link.place])
            if first:
                self._look_at(piece)
        for place, number in enumerate(map(int, targets.numbers)):
            self._settle(number, int(why[place]), int(counts[place]), int(firsts[place]))

    def _stands(self, number: int) -> bool:
        """Whether a page is still there: one that has gone since has its old links yet."""
        page = self._source(number)
        return page is not None and page.kind in PAGES

    def _link(self, link: Link, number: int, why: int, count: int) -> None:
        """A page links to one that is asked about."""
        if why & Asked.BROKEN and count <= MOST_SOURCES and "broken" in self.wanted:
            page, source = self.material.store.page(number), self._source(link.source)
            if page is not None and source is not None:
                self._broken(number, page, source.url, link.text, _name(link.kind))
        if why & Asked.INSECURE and self._secure and "mixed" in self.wanted:
            source = self._source(link.source)
            if source is not None and source.url.startswith("https:"):
                self._mixed(link.source, source.url, self.material.url(number), link.kind, link.text)

    def _settle(self, number: int, why: int, links: int, first: int) -> None:
        """All links to a page are known."""
        page = self.material.store.page(number)
        if page is None:
            return
        if why & Asked.BROKEN and not links and "broken" in self.wanted:
            self._unlinked(number, page)
        if why & Asked.REDIRECT and "redirects" in self.wanted:
            self._redirect(number, page, links, first)
        if why & Asked.ORPHAN and not links and "orphans" in self.wanted:
            sitemap = self.material.url(page.referrer)
            cells = (page.url, page.status, page.kind.value, sitemap, page.title[:500])
            self.findings.file("orphans", number, number, *cells)

    # broken links

    def _broken(self, number: int, page: PageRecord, source: str, text: str, by: str) -> None:
        cells = (page.url, page.status, page.failure.value, source, text, by)
        self.findings.file("broken", number, number, *cells)

    def _unlinked(self, number: int, page: PageRecord) -> None:
        """A page that fails and has no link: a redirect, a sitemap or a seed led to it."""
        referrer = self.material.store.page(page.referrer) if page.referrer else None
        by = "seed" if referrer is None else referrer.kind.value
        self._broken(number, page, referrer.url if referrer else "", "", by)

    # redirects

    def _redirect(self, number: int, page: PageRecord, links: int, first: int) -> None:
        chain = resolve_chain(self.material, number, page)
        source = self.material.url(first or page.referrer)
        cells = (page.url, page.status, chain.hops, chain.end, chain.status, links, source)
        self.findings.file("redirects", chain.rank, number, chain.problem, *cells)

    # what a page's own links tell

    def _look_at(self, piece: list[tuple[int, LinkRecord]]) -> None:
        for number, record in piece:
            if "dead-ends" in self.wanted and _leads_nowhere(record):
                self._dead_end(number)
            if self._secure and "mixed" in self.wanted:
                self._insecure(number, record)

    def _dead_end(self, number: int) -> None:
        page = self._source(number)
        if page is not None and page.kind is OutcomeKind.STORED and is_html(page):
            cells = (page.url, essence(page), page.size, page.depth, page.title[:500])
            self.findings.file("dead-ends", number, number, *cells)

    def _insecure(self, number: int, record: LinkRecord) -> None:
        others = [link for link in record.others if link.url.startswith("http:")]
        page = self._source(number) if others else None
        if page is None or page.kind not in PAGES or not page.url.startswith("https:"):
            return
        host = host_key(page.url)
        for link in others:
            if link.kind >= FIRST_ASSET or link.kind in _ACTIVE or host_key(link.url) == host:
                self._mixed(number, page.url, link.url, link.kind, link.text)

    def _mixed(self, number: int, source: str, target: str, kind: int, text: str) -> None:
        problem = "active" if kind in _ACTIVE else "passive" if kind >= FIRST_ASSET else "link"
        rank = ("active", "passive", "link").index(problem)
        self.findings.file("mixed", rank, number, problem, source, target, _name(kind), text)


def _leads_nowhere(record: LinkRecord) -> bool:
    """Whether none of a page's references is to a page."""
    return all(kind >= FIRST_ASSET for kind in record.kinds) and all(
        link.kind >= FIRST_ASSET for link in record.others
    )


def _name(kind: int) -> str:
    try:
        return LinkKind(kind).name.lower()
    except ValueError:  # of a later version
        return str(kind)
