"""The error queue: URLs whose last try has failed, until somebody puts them back."""

from __future__ import annotations

from collections.abc import Callable

from spiderd.messages import Outcome
from spiderd.store.frontier import Frontier
from spiderd.store.hosts import Hosts
from spiderd.store.pages import Pages
from spiderd.store.records import ErrorRecord, HostRecord, PageRecord, WaitingUrl, decode, encode, number_key
from spiderd.store.transaction import Transaction
from spiderd.urls import host_key


class ErrorQueue:
    """The table `errors`."""

    def __init__(self, transaction: Transaction, hosts: Hosts, frontier: Frontier, pages: Pages) -> None:
        """Read and write within a transaction."""
        self._transaction = transaction
        self._hosts = hosts
        self._frontier = frontier
        self._pages = pages

    def add(self, number: int, waiting: WaitingUrl, outcome: Outcome, host: HostRecord) -> None:
        """Put a page in, and count it."""
        counters = self._transaction.state.counters
        counters.error += 1
        host.error += 1
        counters.failures[outcome.failure] = counters.failures.get(outcome.failure, 0) + 1
        row = ErrorRecord(waiting.hash, waiting.tries, outcome.detail, waiting.hops)
        self._transaction.put("errors", number_key(number), encode(row))

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

    def _put_back(self, key: bytes) -> None:
        page, row = self._pages.get(key), self._transaction.get("errors", key)
        if page is None or row is None:
            return
        error = decode(ErrorRecord, row)
        self._transaction.delete("errors", key)
        host = self._hosts.id_of(host_key(page.url))
        counters = self._transaction.state.counters
        counters.error -= 1
        self._hosts.tallies(host).error -= 1
        left = counters.failures.get(page.failure, 1) - 1
        if left:
            counters.failures[page.failure] = left
        else:
            counters.failures.pop(page.failure, None)
        again = WaitingUrl(page.url, error.hash, page.depth, error.hops, referrer=page.referrer)
        self._frontier.enqueue(host, again, tail=True)
