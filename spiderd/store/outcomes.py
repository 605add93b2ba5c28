"""How a lease ends: page, links, newly seen URLs, tallies and the end of the lease, recorded together."""

from __future__ import annotations

from spiderd.messages import Outcome
from spiderd.states import OutcomeKind
from spiderd.store.directories import Directories
from spiderd.store.error_queue import ErrorQueue
from spiderd.store.frontier import Found, Frontier
from spiderd.store.hosts import Hosts
from spiderd.store.pages import Pages
from spiderd.store.records import HostRecord, Row, WaitingUrl, host_of
from spiderd.store.transaction import Transaction
from spiderd.urls import host_key


class Done(Row):
    """An outcome to be recorded, with what it was leased as."""

    key: bytes  # frontier key of the lease
    waiting: WaitingUrl
    outcome: Outcome
    retry_at: float = 0.0  # unix time of the next try; 0 = this outcome is final
    found: Found | None = None
    links_found: int = 0


class Outcomes:
    """Records outcomes in all tables that they touch."""

    def __init__(
        self,
        transaction: Transaction,
        hosts: Hosts,
        frontier: Frontier,
        pages: Pages,
        directories: Directories,
        errors: ErrorQueue,
    ) -> None:
        """Bind to the parts of one ledger."""
        self._transaction = transaction
        self._hosts = hosts
        self._frontier = frontier
        self._pages = pages
        self._directories = directories
        self._errors = errors

    def record(self, done: Done) -> int:
        """Record one outcome; the page's number, or 0 where the URL will be tried again."""
        outcome, counters = done.outcome, self._transaction.state.counters
        if done.retry_at:
            if self._frontier.delay(done.key, done.waiting, done.retry_at):
                self._count_answer(outcome)
                counters.retries += 1
            return 0
        if not self._frontier.finish(done.key, done.waiting):
            return 0  # recorded before: a lease has one end
        self._count_answer(outcome)
        number = self._pages.put(done.waiting, outcome)
        host = self._hosts.tallies(host_of(done.key))
        if outcome.kind is OutcomeKind.FAILED:
            self._errors.add(number, done.waiting, outcome, host)
        else:
            self._complete(number, outcome, host)
        if outcome.links is not None:
            counters.links += done.links_found
            for reason, count in outcome.links.refused.items():
                counters.refused[reason] = counters.refused.get(reason, 0) + count
        if done.found is not None:
            done.found.referrer = number
            self._add(done.found)
        return number

    def _count_answer(self, outcome: Outcome) -> None:
        counters = self._transaction.state.counters
        counters.bytes_received += outcome.wire_size
        if outcome.status:
            name = str(outcome.status)
            counters.statuses[name] = counters.statuses.get(name, 0) + 1

    def _complete(self, number: int, outcome: Outcome, host: HostRecord) -> None:
        counters = self._transaction.state.counters
        counters.complete += 1
        host.complete += 1
        if outcome.records_bytes:
            self._directories.extend(outcome)
        if outcome.kind is OutcomeKind.STORED:
            counters.pages += 1
            counters.bytes += outcome.size
            host.pages += 1
            host.bytes += outcome.size
            self._pages.put_content(outcome.digest, number)
            self._directories.fill(outcome)
        elif outcome.kind is OutcomeKind.DUPLICATE:
            counters.duplicates += 1
        elif outcome.kind is OutcomeKind.REDIRECT:
            counters.redirects += 1
        elif outcome.kind is not OutcomeKind.SITEMAP:
            counters.skipped += 1
            reason = outcome.failure or outcome.kind
            counters.failures[reason] = counters.failures.get(reason, 0) + 1

    def _add(self, found: Found) -> None:
        new = self._frontier.add(found)
        if found.cookie and not new[0]:
            self._ask_again(found)

    def _ask_again(self, found: Found) -> None:
        """A redirect that sets a cookie leads back to what was a redirect without it: ask once more."""
        page = self._pages.of(found.keys)
        if page is None or page.kind is not OutcomeKind.REDIRECT:
            return
        host = self._hosts.id_of(host_key(found.urls[0]))
        counters = self._transaction.state.counters
        counters.complete -= 1
        counters.redirects -= 1
        self._hosts.tallies(host).complete -= 1
        self._frontier.enqueue(host, found.waiting(0, found.keys))
