"""How a later visit of a page ends: what was found takes the place of what was known, in one transaction.

The page keeps its number. Where its content has changed, the new body is a resource of its own with a line of
its own in index.txt, written and committed as those of first visits are; nothing is ever written over, so
there is no moment at which file and row disagree. The row of what was goes to `versions`, which says where
the older body lies. Whoever follows `changes` meets the page again, and replaces it by its number.
"""

from __future__ import annotations

from spiderd.messages import Outcome
from spiderd.protocol import Counters
from spiderd.sitemaps.times import lastmod_time
from spiderd.states import OutcomeKind
from spiderd.store.frontier import Found
from spiderd.store.ledger import Ledger
from spiderd.store.outcomes import count_answer, put_page, take_links
from spiderd.store.records import PageRecord, Row, WaitingUrl, host_of
from spiderd.store.visits import VisitRecord


class Revisited(Row):
    """An outcome of a later visit, with what it was leased as."""

    key: bytes  # of its row in `again`
    waiting: WaitingUrl
    visit: VisitRecord  # the page's row from now on
    outcome: Outcome
    replaces: bool  # what was found takes the place of what was known
    told: bool = True  # the visit says whether the page has changed
    changed: bool = False
    found: Found | None = None
    links_found: int = 0
    least: float = 0.0  # seconds between two visits of a page, at least


def record_again(ledger: Ledger, done: Revisited) -> int:
    """Record the end of a later visit; the page's number, 0 where the visit has ended before."""
    if ledger.visits.take(done.key) is None:
        if done.outcome.kind is OutcomeKind.STORED:  # nobody waits for it, but it is in the archive
            ledger.pages.keep_version(done.key[-8:], done.waiting, done.outcome)
            ledger.directories.fill(done.outcome)
            if done.outcome.records_bytes:
                ledger.directories.extend(done.outcome)
        return 0
    key, outcome, counters = done.key[-8:], done.outcome, ledger.state.counters
    number = int.from_bytes(key, "big")
    page = ledger.pages.get(key)
    count_answer(counters, outcome)
    if done.told:
        counters.revisits += 1
        counters.changes += done.changed
    ledger.visits.put(key, done.visit)
    if page is None or not done.replaces:
        if page is not None and outcome.kind is OutcomeKind.UNCHANGED:
            _refresh(ledger, key, page, outcome)
        if outcome.records_bytes:
            ledger.directories.extend(outcome)
        return number
    counters.gone += outcome.kind is OutcomeKind.FAILED
    _take_out(ledger, key, page, host_of(done.key))
    put_page(ledger, counters, host_of(done.key), done.waiting, outcome)
    new = take_links(ledger, counters, number, outcome, done.found, done.links_found)
    if outcome.kind is OutcomeKind.SITEMAP and done.found is not None and done.found.lastmods:
        _heed(ledger, done.found, new, done.least)
    return number


def _refresh(ledger: Ledger, key: bytes, page: PageRecord, outcome: Outcome) -> None:
    """Take from an answer without news what it says all the same (RFC 9110 15.4.5)."""
    hides = outcome.noindex and not page.noindex
    if not hides and (outcome.etag or page.etag, outcome.last_modified or page.last_modified) == (
        page.etag,
        page.last_modified,
    ):
        return
    page.etag = outcome.etag or page.etag
    page.last_modified = outcome.last_modified or page.last_modified
    page.noindex = page.noindex or hides
    if hides:
        ledger.pages.amend_openly(key, page)
    else:
        ledger.pages.amend(key, page)


def _take_out(ledger: Ledger, key: bytes, page: PageRecord, host_id: int) -> None:
    """Count a page no longer as what it was."""
    counters, host = ledger.state.counters, ledger.hosts.tallies(host_id)
    if page.kind is OutcomeKind.FAILED:
        ledger.errors.take_out(key, page)
        return
    counters.complete -= 1
    host.complete -= 1
    ledger.tree.not_complete(page.url)
    _uncount_kind(counters, page)
    if page.kind is OutcomeKind.STORED:
        host.pages -= 1
        host.bytes -= page.size
        ledger.pages.supersede(key, page)


def _uncount_kind(counters: Counters, page: PageRecord) -> None:
    if page.kind is OutcomeKind.STORED:
        counters.pages -= 1
        counters.bytes -= page.size
    elif page.kind is OutcomeKind.DUPLICATE:
        counters.duplicates -= 1
    elif page.kind is OutcomeKind.REDIRECT:
        counters.redirects -= 1
    elif page.kind is not OutcomeKind.SITEMAP:
        counters.skipped -= 1
        reason = page.failure or page.kind
        counters.failures[reason] -= 1
        if not counters.failures[reason]:
            del counters.failures[reason]


def _heed(ledger: Ledger, found: Found, new: list[bool], least: float) -> None:
    """Bring pages forward that their sitemap says have changed, as far as its word was good before.

    Each hint that was followed in vain counts against the page's sitemap, each that came true for it.
    """
    hashes = found.hashes()
    for index in range(found.sitemaps, len(hashes)):
        at = None if new[index] else lastmod_time(found.lastmods[index - found.sitemaps])
        key = None if at is None else ledger.get("page_of", hashes[index])
        visit = None if key is None else ledger.visits.get(key)
        if at is None or key is None or visit is None or visit.hints < 0 or visit.hinted or at <= visit.last:
            continue
        visit.hinted = True
        ledger.visits.bring_forward(key, visit, max(at, visit.last + least))
