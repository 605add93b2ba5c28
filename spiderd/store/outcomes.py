"""How a lease ends: page, links, newly seen URLs, tallies and the end of the lease, recorded together."""

from __future__ import annotations

from spiderd.messages import Outcome
from spiderd.protocol import Counters
from spiderd.states import OutcomeKind
from spiderd.store.frontier import Found
from spiderd.store.ledger import Ledger
from spiderd.store.records import Row, WaitingUrl, host_of
from spiderd.store.visits import VisitRecord
from spiderd.urls import host_key


class Done(Row):
    """An outcome to be recorded, with what it was leased as."""

    key: bytes  # frontier key of the lease
    waiting: WaitingUrl
    outcome: Outcome
    retry_at: float = 0.0  # unix time of the next try; 0 = this outcome is final
    found: Found | None = None
    links_found: int = 0
    visit: VisitRecord | None = None  # when the page is to be asked for again


def record(ledger: Ledger, done: Done) -> int:
    """Record one outcome; the page's number, or 0 where the URL will be tried again."""
    outcome, counters = done.outcome, ledger.state.counters
    if done.retry_at:
        if ledger.aside.delay(done.key, done.waiting, done.retry_at):
            count_answer(counters, outcome)
            counters.retries += 1
        return 0
    if not ledger.frontier.finish(done.key, done.waiting):
        return 0  # recorded before: a lease has one end
    count_answer(counters, outcome)
    number = put_page(ledger, counters, host_of(done.key), done.waiting, outcome)
    if done.visit is not None:
        ledger.visits.begin(number, done.visit)
    if outcome.links is not None or done.found is not None:
        take_links(ledger, counters, number, outcome, done.found, done.links_found)
    return number


def put_page(ledger: Ledger, counters: Counters, host_id: int, waiting: WaitingUrl, outcome: Outcome) -> int:
    """Write the row of a page that counts nowhere yet, and count it; its number."""
    number = ledger.pages.put(waiting, outcome)
    host = ledger.hosts.tallies(host_id)
    if outcome.kind is OutcomeKind.FAILED:
        ledger.errors.add(number, waiting, outcome, host)
    else:
        counters.complete += 1
        host.complete += 1
        ledger.tree.complete(waiting.url)
        _count_kind(counters, outcome)
    if outcome.records_bytes:  # a revisit or a redirect has records, too
        ledger.directories.extend(outcome)
    if outcome.kind is OutcomeKind.STORED:
        host.pages += 1
        host.bytes += outcome.size
        ledger.pages.put_content(outcome.digest, number)
        ledger.directories.fill(outcome)
    return number


def take_links(
    ledger: Ledger, counters: Counters, number: int, outcome: Outcome, found: Found | None, links_found: int
) -> list[bool]:
    """Count the links of a page, and let those wait that were never seen; True for each of these."""
    if outcome.links is not None:
        counters.links += links_found
        for reason, count in outcome.links.refused.items():
            counters.refused[reason] = counters.refused.get(reason, 0) + count
    if found is None:
        return []
    found.referrer = number
    new = ledger.frontier.add(found)
    if found.cookie and not new[0]:
        _ask_again(ledger, found)
    return new


def count_answer(counters: Counters, outcome: Outcome) -> None:
    """Count an answer, whatever becomes of it."""
    counters.bytes_received += outcome.wire_size
    if outcome.status:
        name = str(outcome.status)
        counters.statuses[name] = counters.statuses.get(name, 0) + 1


def _count_kind(counters: Counters, outcome: Outcome) -> None:
    """Count a URL that is complete."""
    if outcome.kind is OutcomeKind.STORED:
        counters.pages += 1
        counters.bytes += outcome.size
    elif outcome.kind is OutcomeKind.DUPLICATE:
        counters.duplicates += 1
    elif outcome.kind is OutcomeKind.REDIRECT:
        counters.redirects += 1
    elif outcome.kind is not OutcomeKind.SITEMAP:
        counters.skipped += 1
        reason = outcome.failure or outcome.kind
        counters.failures[reason] = counters.failures.get(reason, 0) + 1


def _ask_again(ledger: Ledger, found: Found) -> None:
    """A redirect that sets a cookie leads back to what was a redirect without it: ask once more."""
    page = ledger.pages.of(found.keys)
    if page is None or page.kind is not OutcomeKind.REDIRECT:
        return
    host = ledger.hosts.id_of(host_key(found.urls[0]))
    ledger.state.counters.complete -= 1
    ledger.state.counters.redirects -= 1
    ledger.hosts.tallies(host).complete -= 1
    ledger.tree.not_complete(page.url)
    ledger.visits.drop(ledger.get("page_of", found.keys) or b"")
    ledger.frontier.enqueue(host, found.waiting(0, found.keys))
