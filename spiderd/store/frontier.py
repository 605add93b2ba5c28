"""The frontier: every URL that is known and not done, host by host, in the order of the crawl.

Problem: millions of URLs wait, far more than fit in memory; the next one of any host must be found in one
step, whatever the order of the crawl; and what was handed out must not be lost with a process.

Structure. A row's key is the host's number and the URL's rank (`spiderd.store.ranks`), so that the rows of a
host are neighbours and its next URL is the first of them: `heads` is one seek. The rank alone carries the
order; to change the order is to rank anew (`rerank`), nothing else.

A lease leaves the row where it is. Whoever schedules remembers how far it has read (`heads` goes on behind a
key) and what is in flight; the row goes with the outcome (`finish`), in the transaction that records it. So
nothing has to be brought back after a crash, handing out costs no write of the row, and a lease has one end:
the second outcome of it finds no row. The table `leases` only says what was in flight when a daemon died.

A URL that waits for something else than its turn is set aside (`spiderd.store.aside`); it counts as waiting.

Cost: a trie look-up for each link, two writes for each new URL, two deletes for each outcome. In best-first
order a table from URL to row comes on top, since a link to a URL that waits for its turn moves its row.

A shared store can offer the same interface (`add`, `heads`, `hosts_waiting`, `mark_leased`, `finish`): the
host is the unit of partition, no call spans two hosts but `add`, whose parts are independent, and nothing is
kept in memory here but which hosts were `touched`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence

from spiderd.store.environment import Environment
from spiderd.store.hosts import Hosts
from spiderd.store.ranks import is_tail
from spiderd.store.records import (
    HOST_ID_BYTES,
    Row,
    WaitingUrl,
    decode,
    encode,
    host_key_bytes,
    host_of,
)
from spiderd.store.transaction import Transaction
from spiderd.store.tree import Tree
from spiderd.store.trie import SeenTrie
from spiderd.urls import host_key

TRIM_AFTER = 128  # hosts that were found

Rank = Callable[[int, int, int, bool], bytes]
"""Rank of a waiting URL from its depth, sequence number, known in-links, and whether it goes to the tail."""


class Found(Row):
    """URLs that may be new: the links of a page, a redirect's target, or seeds."""

    keys: bytes  # hashes of their seen keys, 8 bytes each
    urls: list[str]
    depth: int
    hops: int = 0
    referrer: int = 0
    sitemaps: int = 0  # the first so many are sitemaps
    lastmods: Sequence[str] = ()  # of the rest, where a sitemap gave them
    cookie: bool = False  # a redirect on the way has set a cookie
    changefreqs: Sequence[str] = ()  # likewise, or none at all

    def hashes(self) -> Sequence[bytes]:
        """The keys one by one."""
        return struct.unpack("8s" * (len(self.keys) // 8), self.keys)

    def waiting(self, index: int, url_hash: bytes) -> WaitingUrl:
        """One of them as it waits."""
        waiting = WaitingUrl(self.urls[index], url_hash, self.depth, self.hops, referrer=self.referrer)
        waiting.cookie = self.cookie
        if index < self.sitemaps:
            waiting.kind = "sitemap"
        elif self.lastmods:
            waiting.lastmod = self.lastmods[index - self.sitemaps]
            if self.changefreqs:
                waiting.changefreq = self.changefreqs[index - self.sitemaps]
            waiting.hops = 0  # they count how deep in sitemaps, and for a page redirects
        return waiting


class Frontier:
    """The tables `seen`, `frontier`, `leases` and `waiting_of`."""

    def __init__(
        self,
        env: Environment,
        transaction: Transaction,
        hosts: Hosts,
        tree: Tree,
        rank: Rank,
        *,
        counts_inlinks: bool,
    ) -> None:
        """Read and write within a transaction.

        Args:
            env: the open environment.
            transaction: that of the caller's thread.
            hosts: numbers and tallies of the host queues.
            tree: tallies of their directories.
            rank: how a waiting URL is ranked.
            counts_inlinks: keep the number of known links to each waiting URL (best-first order).
        """
        self._env = env
        self._transaction = transaction
        self._hosts = hosts
        self._tree = tree
        self._rank = rank
        self._counts_inlinks = counts_inlinks
        self._trie = SeenTrie(env.tables["seen"])
        self.touched: dict[int, bytes] = {}  # host -> lowest frontier key added since `take_touched`

    def rank_by(self, rank: Rank, *, counts_inlinks: bool) -> None:
        """Rank in another way from now on; `rerank` does it to those that wait already."""
        self._rank = rank
        self._counts_inlinks = counts_inlinks

    def take_touched(self) -> dict[int, bytes]:
        """Hosts that were given URLs since the last call, each with the lowest frontier key among them."""
        touched, self.touched = self.touched, {}
        return touched

    # URLs come in

    def add(self, found: Found) -> list[bool]:
        """Let those URLs wait that were never seen; True for each that was new."""
        hashes = found.hashes()
        new = self._trie.add_many(self._transaction.begin(), hashes)
        for index, is_new in enumerate(new):
            if is_new:
                self._discover(found, index, hashes[index])
        if self._counts_inlinks:
            self._count_inlinks([h for h, is_new in zip(hashes, new, strict=True) if not is_new])
        return new

    def _discover(self, found: Found, index: int, url_hash: bytes) -> None:
        url = found.urls[index]
        self.enqueue(self._hosts.id_of(host_key(url)), found.waiting(index, url_hash))
        self._tree.found(url)
        self._transaction.state.counters.known += 1

    def mark_seen(self, hashes: Sequence[bytes]) -> int:
        """Take URLs as seen without ever fetching them; the number that was new."""
        return sum(self._trie.add_many(self._transaction.begin(), hashes))

    def is_seen(self, url_hash: bytes) -> bool:
        """Whether a URL was ever seen."""
        return self._trie.contains(self._transaction.begin(), url_hash)

    def enqueue(self, host: int, waiting: WaitingUrl, *, tail: bool = False) -> None:
        """Let a URL wait that waits nowhere else; in the `tail`, behind all others of its host."""
        state = self._transaction.state
        waiting.sequence = state.next_sequence
        state.next_sequence += 1
        state.counters.waiting += 1
        self._hosts.tallies(host).waiting += 1
        key = host_key_bytes(host) + self._rank(waiting.depth, waiting.sequence, waiting.inlinks, tail)
        self._put(host, key, waiting)

    def _put(self, host: int, key: bytes, waiting: WaitingUrl) -> None:
        self._transaction.put("frontier", key, encode(waiting))
        if self._counts_inlinks:
            self._transaction.put("waiting_of", waiting.hash, key)
        lowest = self.touched.get(host)
        if lowest is None or key < lowest:
            self.touched[host] = key

    def _count_inlinks(self, hashes: Iterable[bytes]) -> None:
        """One more known link to each of these; those that wait for their turn move up."""
        transaction = self._transaction
        for url_hash in hashes:
            key = transaction.get("waiting_of", url_hash)
            row = None if key is None else transaction.get("frontier", key)
            if key is None or row is None:
                continue
            waiting = decode(WaitingUrl, row)
            waiting.inlinks += 1
            if transaction.get("leases", key) is not None:  # whoever holds the lease knows it by this key
                transaction.put("frontier", key, encode(waiting))
            else:
                transaction.delete("frontier", key)
                self._put(host_of(key), self._ranked(key, waiting), waiting)

    def _ranked(self, key: bytes, waiting: WaitingUrl) -> bytes:
        """The key of a URL by the rank that it has now."""
        host, rank = key[:HOST_ID_BYTES], key[HOST_ID_BYTES:]
        return (
            key
            if is_tail(rank)
            else host + self._rank(waiting.depth, waiting.sequence, waiting.inlinks, False)
        )

    # URLs go out

    def heads(self, host: int, after: bytes, count: int) -> list[tuple[bytes, WaitingUrl]]:
        """The next waiting URLs of a host by rank, behind the frontier key `after` (b"": the first)."""
        prefix = host_key_bytes(host)
        heads: list[tuple[bytes, WaitingUrl]] = []
        with self._transaction.cursor("frontier") as cursor:
            found = cursor.set_range(after or prefix)
            if found and after and cursor.key() == after:
                found = cursor.next()
            while found and len(heads) < count:
                key = cursor.key()
                if key[:4] != prefix:
                    break
                heads.append((key, decode(WaitingUrl, cursor.value())))
                found = cursor.next()
        return heads

    def hosts_waiting(self, after: int, count: int) -> list[int]:
        """Numbers of hosts with URLs in the frontier, from the one behind `after` on (one seek a host)."""
        hosts: list[int] = []
        with self._transaction.cursor("frontier") as cursor:
            found = cursor.set_range(host_key_bytes(after + 1))
            while found and len(hosts) < count:
                host = host_of(cursor.key())
                hosts.append(host)
                found = cursor.set_range(host_key_bytes(host + 1))
                if not len(hosts) % TRIM_AFTER:
                    self._env.trim()  # each seek has touched another part of the file
        return hosts

    def mark_leased(self, keys: Iterable[bytes], now: float) -> None:
        """Note which URLs are in flight, for the daemon that may have to tell after a crash."""
        stamp = int(now * 1000).to_bytes(8, "big")
        for key in keys:
            self._transaction.put("leases", key, stamp)

    def forget_leases(self, keys: Iterable[bytes] | None = None) -> int:
        """Drop lease rows (all of them at start), how many there were; the URLs themselves still wait."""
        if keys is None:
            entries = self._transaction.entries("leases")
            self._transaction.drop("leases")
            return entries
        return sum(self._transaction.delete("leases", key) for key in keys)

    # leases end

    def finish(self, key: bytes, waiting: WaitingUrl) -> bool:
        """Take a leased URL out for good; False if it is not there: a lease has one end."""
        taken = self.end_lease(key, waiting)
        if taken is not None:
            self.leave(host_of(key))
        return taken is not None

    def end_lease(self, key: bytes, waiting: WaitingUrl) -> bytes | None:
        """Take a leased URL out; the key that it had in the end, None if it is not there."""
        taken = self.take_out(key, waiting)
        if taken is not None:
            self._transaction.delete("leases", key)
        return taken

    def take_out(self, key: bytes, waiting: WaitingUrl) -> bytes | None:
        """Take out a URL read under `key`; the key that it had in the end, None if it is not there."""
        if self._counts_inlinks:
            key = self._transaction.get("waiting_of", waiting.hash) or key
            row = self._transaction.get("frontier", key)
            if row is not None:
                waiting.inlinks = decode(WaitingUrl, row).inlinks  # as of now, not of when it was handed out
                self._transaction.delete("waiting_of", waiting.hash)
        return key if self._transaction.delete("frontier", key) else None

    def leave(self, host: int) -> None:
        """One URL of a host does not count as waiting any more."""
        self._transaction.state.counters.waiting -= 1
        self._hosts.tallies(host).waiting -= 1

    def to_tail(self, key: bytes, waiting: WaitingUrl) -> None:
        """Put a leased URL behind all others of its host, without counting a try."""
        if self.take_out(key, waiting) is not None:
            self.leave(host_of(key))
            self.enqueue(host_of(key), waiting, tail=True)

    def put_back(self, key: bytes, waiting: WaitingUrl) -> None:
        """Let a URL wait again for the turn that it had under `key` (in the order of now)."""
        self._put(host_of(key), self._ranked(key, waiting), waiting)

    def rerank(self) -> dict[bytes, bytes]:
        """Rank all waiting URLs anew, after the order has been changed: one pass out, one pass back.

        Returns:
            Of the leased URLs, old frontier key -> new one; whoever holds a lease must use that.
        """
        transaction = self._transaction
        with transaction.cursor("leases") as cursor:
            leases = dict(cursor)
        renamed: dict[bytes, bytes] = {}
        transaction.drop("waiting_of")
        with transaction.cursor("frontier") as cursor:
            for key, row in cursor:
                waiting = decode(WaitingUrl, row)
                moved = self._ranked(key, waiting)
                transaction.put("reranked", moved, row)
                if key in leases:
                    renamed[key] = moved
                if self._counts_inlinks:
                    transaction.put("waiting_of", waiting.hash, moved)
        transaction.drop("frontier")
        with transaction.cursor("reranked") as cursor:
            for key, row in cursor:
                transaction.put("frontier", key, row, append=True)
        transaction.drop("reranked")
        transaction.drop("leases")
        for key, moved in renamed.items():
            transaction.put("leases", moved, leases[key])
        return renamed
