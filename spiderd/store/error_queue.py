"""The error queue: URLs whose last try has failed, until somebody puts them back."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spiderd.messages import Outcome
from spiderd.store.frontier import Frontier
from spiderd.store.hosts import Hosts
from spiderd.store.pages import Pages
from spiderd.store.records import ErrorRecord, HostRecord, PageRecord, WaitingUrl, decode, encode, number_key
from spiderd.store.transaction import Transaction
from spiderd.store.tree import Tree
from spiderd.store.visits import Visits
from spiderd.urls import host_key


class ErrorQueue:
    """The table `errors`."""

    def __init__(
        self,
        transaction: Transaction,
        hosts: Hosts,
        tree: Tree,
        frontier: Frontier,
        pages: Pages,
        visits: Visits,
    ) -> None:
        """Read and write within a transaction."""
        self._transaction = transaction
        self._hosts = hosts
        self._tree = tree
        self._frontier = frontier
        self._pages = pages
        self._visits = visits

    def add(self, number: int, waiting: WaitingUrl, outcome: Outcome, host: HostRecord) -> None:
        """Put a page in, and count it."""
        counters = self._transaction.state.counters
        counters.error += 1
        host.error += 1
        self._tree.error(waiting.url)
        counters.failures[outcome.failure] = counters.failures.get(outcome.failure, 0) + 1
        row = ErrorRecord(waiting.hash, waiting.tries, outcome.detail, waiting.hops)
        self._transaction.put("errors", number_key(number), encode(row))

    def get(self, key: bytes) -> ErrorRecord | None:
        """The row of a page that is here, by the key of its page number."""
        row = self._transaction.get("errors", key)
        return None if row is None else decode(ErrorRecord, row)

    def retry(self, wanted: Callable[[PageRecord], bool]) -> int:
        """Put back the URLs whose page record is wanted; how many."""
        keys = []
        with self._transaction.cursor("errors") as cursor:
            for key, _ in cursor:
                page = self._pages.get(key)
                if page is not None and wanted(page):
                    keys.append(key)
        for key in keys:
            self._put_back(key)
        return len(keys)

    def retry_these(self, hashes: Sequence[bytes]) -> list[bool]:
        """Put back these URLs, by the hashes of their seen keys; of each, whether it was here."""
        numbers = [self._transaction.get("page_of", url_hash) for url_hash in hashes]
        return [number is not None and self._put_back(number) for number in numbers]

    def _put_back(self, key: bytes) -> bool:
        page, row = self._pages.get(key), self._transaction.get("errors", key)
        if page is None or row is None:
            return False
        error = decode(ErrorRecord, row)
        self.take_out(key, page)
        host = self._hosts.id_of(host_key(page.url))
        self._visits.drop(key)  # it is asked for as if for the first time
        again = WaitingUrl(page.url, error.hash, page.depth, error.hops, referrer=page.referrer)
        self._frontier.enqueue(host, again, tail=True)
        return True

    def take_out(self, key: bytes, page: PageRecord) -> None:
        """Take a page out that is in, and count it no longer."""
        self._transaction.delete("errors", key)
        host = self._hosts.id_of(host_key(page.url))
        counters = self._transaction.state.counters
        counters.error -= 1
        self._hosts.tallies(host).error -= 1
        self._tree.not_error(page.url)
        left = counters.failures.get(page.failure, 1) - 1
        if left:
            counters.failures[page.failure] = left
        else:
            counters.failures.pop(page.failure, None)
