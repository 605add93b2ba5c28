"""The ledger: what one write transaction records.

An outcome becomes true when one transaction has recorded the page, its links, the newly seen URLs, the
tallies and the end of the lease, together. A URL's row stays in the frontier while it is leased and goes
with its outcome; whatever was leased when the process died is therefore simply still waiting.

The transaction stays open over many steps and is committed by its owner (`spiderd.store.thread`) every few
tens of milliseconds: reads made through the ledger see what has been written so far, so that a URL found
by one page can be handed out before anything has reached the disk. That is safe, because a hand-out leaves
no trace but a lease; it is cheap, because a page costs no commit of its own.

What the ledger keeps in memory (counters, host tallies, host ids) belongs to the open transaction: it is
flushed before a commit and forgotten by an abort.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import cast

import lmdb
from msgspec import Struct, field

from spiderd.messages import Outcome
from spiderd.protocol import Counters
from spiderd.states import OutcomeKind
from spiderd.store.environment import Environment
from spiderd.store.records import (
    FRONTIER_KEY_BYTES,
    DirectoryRecord,
    ErrorRecord,
    HostRecord,
    PageRecord,
    Row,
    WaitingUrl,
    decode,
    due_key,
    encode,
    host_key_bytes,
    host_of,
    number_key,
)
from spiderd.store.trie import SeenTrie

Rank = Callable[[int, int, int, bool], bytes]
"""Rank of a waiting URL from its depth, sequence number, known in-links, and whether it goes to the tail."""

HOST_CACHE = 50_000  # host ids kept in memory, about 8 MB at the most


class State(Struct, kw_only=True):
    """The row `meta:state`: counters and the next free numbers, written with every commit."""

    counters: Counters = field(default_factory=Counters)
    next_page: int = 1
    next_host: int = 1
    next_sequence: int = 1
    next_directory: int = 1
    next_change: int = 1
    commits: int = 0
    order: str = ""
    crawl: str = ""
    seeds: list[str] = field(default_factory=list)
    auth: dict[str, str] = field(default_factory=dict)  # origin -> Authorization header
    paused: bool = False
    began: float = 0.0


class Found(Row):
    """URLs that may be new: the links of a page, a redirect's target, or seeds."""

    keys: bytes  # hashes of their seen keys, 8 bytes each
    urls: list[str]
    host_keys: list[str]
    depth: int
    hops: int = 0
    referrer: int = 0
    sitemaps: int = 0  # the first so many are sitemaps
    lastmods: Sequence[str] = ()  # of the rest, where a sitemap gave them
    cookie: bool = False  # a redirect on the way has set a cookie


class Done(Row):
    """An outcome to be recorded, with what it was leased as."""

    key: bytes  # frontier key of the lease
    waiting: WaitingUrl
    outcome: Outcome
    retry_at: float = 0.0  # unix time of the next try; 0 = this outcome is final
    found: Found | None = None
    links_found: int = 0


class Ledger:
    """All reads and writes of one store, inside the open transaction."""

    def __init__(self, env: Environment, rank: Rank, *, counts_inlinks: bool = False) -> None:
        """Bind to an environment.

        Args:
            env: the open environment; only the caller's thread may use it.
            rank: how a waiting URL is ranked.
            counts_inlinks: keep the number of known links to each waiting URL (best-first order).
        """
        self._env = env
        self._rank = rank
        self._counts_inlinks = counts_inlinks
        self._trie = SeenTrie(env.tables["seen"])
        self._txn: lmdb.Transaction | None = None
        self._hosts: dict[int, HostRecord] = {}
        self._host_ids: dict[str, int] = {}
        self.state = State()
        self.touched: dict[int, bytes] = {}  # host -> lowest frontier key added since `take_touched`

    # the transaction

    @property
    def txn(self) -> lmdb.Transaction:
        """The open write transaction, begun at first use."""
        if self._txn is None:
            self._txn = self._env.begin()
            row = self._get("meta", b"state")
            self.state = State(began=time.time()) if row is None else decode(State, row)
        return self._txn

    def _get(self, table: str, key: bytes) -> bytes | None:
        return cast("bytes | None", self.txn.get(key, db=self._env.tables[table]))  # buffers are off

    @property
    def environment(self) -> Environment:
        """Where the tables are."""
        return self._env

    def begin(self) -> None:
        """Make sure that a transaction is open, and `state` is what the store holds."""
        _ = self.txn

    @property
    def is_open(self) -> bool:
        """Whether a transaction is open."""
        return self._txn is not None

    def commit(self) -> None:
        """Write the tallies and commit.

        Raises:
            MapFull: nothing was written; abort, grow and replay.
            DiskFull, StorageError: nothing was written.
        """
        if self._txn is None:
            return
        tables = self._env.tables
        self.write_hosts()
        self.state.commits += 1
        self._txn.put(b"state", encode(self.state), db=tables["meta"])
        self._txn.commit()
        self._txn = None
        self._hosts.clear()

    def write_hosts(self) -> None:
        """Write the tallies of the hosts that have changed."""
        for host, record in self._hosts.items():
            self.txn.put(host_key_bytes(host), encode(record), db=self._env.tables["hosts"])

    def abort(self) -> None:
        """Forget everything since the last commit."""
        if self._txn is not None:
            self._txn.abort()
        self._txn = None
        self._hosts.clear()
        self._host_ids.clear()
        self.touched.clear()

    def take_touched(self) -> dict[int, bytes]:
        """Hosts that were given URLs since the last call, each with the lowest frontier key among them."""
        touched, self.touched = self.touched, {}
        return touched

    # hosts

    def host_id(self, key: str) -> int:
        """The number of a host queue, given out at first sight."""
        known = self._host_ids.get(key)
        if known is not None:
            return known
        txn, tables = self.txn, self._env.tables
        row = self._get("host_ids", key.encode())
        if row is None:
            host = self.state.next_host
            self.state.next_host += 1
            self.state.counters.hosts += 1
            txn.put(key.encode(), host_key_bytes(host), db=tables["host_ids"])
            self._hosts[host] = HostRecord(key)
        else:
            host = host_of(row)
        if len(self._host_ids) >= HOST_CACHE:
            self._host_ids.clear()
        self._host_ids[key] = host
        return host

    def host(self, host: int) -> HostRecord:
        """The tallies of a host, to be changed in place."""
        record = self._hosts.get(host)
        if record is None:
            row = self._get("hosts", host_key_bytes(host))
            if row is None:
                raise KeyError(host)
            record = self._hosts[host] = decode(HostRecord, row)
        return record

    # URLs come in

    def add(self, found: Found) -> list[bool]:
        """Put those URLs into the frontier that were never seen; True for each that was new."""
        hashes = [found.keys[i : i + 8] for i in range(0, len(found.keys), 8)]
        new = self._trie.add_many(self.txn, hashes)
        for index, is_new in enumerate(new):
            if is_new:
                self._enqueue(self.host_id(found.host_keys[index]), _waiting(found, index, hashes[index]))
                self.state.counters.known += 1
        if self._counts_inlinks:
            self._count_inlinks([h for h, is_new in zip(hashes, new, strict=True) if not is_new])
        return new

    def mark_seen(self, hashes: Sequence[bytes]) -> int:
        """Take URLs as seen without ever fetching them; the number that was new."""
        return sum(self._trie.add_many(self.txn, hashes))

    def page_of(self, url_hash: bytes) -> PageRecord | None:
        """The page record of a URL that has been asked for."""
        number = self._get("page_of", url_hash)
        row = self._get("pages", number) if number is not None else None
        return decode(PageRecord, row) if row is not None else None

    def is_seen(self, url_hash: bytes) -> bool:
        """Whether a URL was ever seen."""
        return self._trie.contains(self.txn, url_hash)

    def _enqueue(self, host: int, waiting: WaitingUrl, *, tail: bool = False) -> bytes:
        waiting.sequence = self.state.next_sequence
        self.state.next_sequence += 1
        key = host_key_bytes(host) + self._rank(waiting.depth, waiting.sequence, waiting.inlinks, tail)
        self._put_waiting(host, key, waiting)
        self.state.counters.waiting += 1
        self.host(host).waiting += 1
        return key

    def _put_waiting(self, host: int, key: bytes, waiting: WaitingUrl) -> None:
        self.txn.put(key, encode(waiting), db=self._env.tables["frontier"])
        if self._counts_inlinks:
            self.txn.put(waiting.hash, key, db=self._env.tables["waiting_of"])
        lowest = self.touched.get(host)
        if lowest is None or key < lowest:
            self.touched[host] = key

    def _count_inlinks(self, hashes: Iterable[bytes]) -> None:
        """One more known link to each of these; those that still wait move up."""
        txn, tables = self.txn, self._env.tables
        for url_hash in hashes:
            key = self._get("waiting_of", url_hash)
            row = None if key is None else self._get("frontier", key)
            if key is None or row is None:
                continue
            waiting = decode(WaitingUrl, row)
            waiting.inlinks += 1
            txn.delete(key, db=tables["frontier"])
            moved = key[:4] + self._rank(waiting.depth, waiting.sequence, waiting.inlinks, waiting.tries > 0)
            self._put_waiting(host_of(key), moved, waiting)

    def rerank(self) -> None:
        """Rank all waiting URLs anew, after the order has been changed: one pass out, one pass back."""
        txn, tables = self.txn, self._env.tables
        txn.drop(tables["waiting_of"], delete=False)
        with txn.cursor(db=tables["frontier"]) as cursor:
            for key, row in cursor:
                waiting = decode(WaitingUrl, bytes(row))
                tail = waiting.tries > 0
                moved = bytes(key[:4]) + self._rank(waiting.depth, waiting.sequence, waiting.inlinks, tail)
                txn.put(moved, row, db=tables["reranked"])
                if self._counts_inlinks:
                    txn.put(waiting.hash, moved, db=tables["waiting_of"])
        txn.drop(tables["frontier"], delete=False)
        with txn.cursor(db=tables["reranked"]) as cursor:
            for key, row in cursor:
                txn.put(key, row, db=tables["frontier"], append=True)
        txn.drop(tables["reranked"], delete=False)

    # URLs go out

    def heads(self, host: int, after: bytes, count: int) -> list[tuple[bytes, WaitingUrl]]:
        """The next waiting URLs of a host by rank, behind the frontier key `after` (b"": the first)."""
        prefix = host_key_bytes(host)
        heads: list[tuple[bytes, WaitingUrl]] = []
        with self.txn.cursor(db=self._env.tables["frontier"]) as cursor:
            found = cursor.set_range(after or prefix)
            if found and after and cursor.key() == after:
                found = cursor.next()
            while found and len(heads) < count:
                key = bytes(cursor.key())
                if key[:4] != prefix:
                    break
                heads.append((key, decode(WaitingUrl, bytes(cursor.value()))))
                found = cursor.next()
        return heads

    def hosts_waiting(self, after: int, count: int) -> list[int]:
        """Numbers of hosts with URLs in the frontier, from the one behind `after` on (one seek a host)."""
        hosts: list[int] = []
        with self.txn.cursor(db=self._env.tables["frontier"]) as cursor:
            found = cursor.set_range(host_key_bytes(after + 1))
            while found and len(hosts) < count:
                host = host_of(bytes(cursor.key()))
                hosts.append(host)
                found = cursor.set_range(host_key_bytes(host + 1))
        return hosts

    def wake(self, now: float) -> float | None:
        """Put back those URLs whose next try is due; the unix time of the next one, or None."""
        txn, tables = self.txn, self._env.tables
        limit = due_key(now, b"\xff" * FRONTIER_KEY_BYTES)
        with txn.cursor(db=tables["delayed"]) as cursor:
            while cursor.first():
                key = bytes(cursor.key())
                if key > limit:
                    return int.from_bytes(key[:8], "big") / 1000
                waiting = decode(WaitingUrl, bytes(cursor.value()))
                cursor.delete()
                host = host_of(key[8:])
                self.state.counters.waiting -= 1  # it was counted while it was delayed
                self.host(host).waiting -= 1
                self._enqueue(host, waiting, tail=True)
        return None

    def to_tail(self, key: bytes, waiting: WaitingUrl) -> None:
        """Put a leased URL behind all others of its host, without counting a try."""
        if self._counts_inlinks:
            key = self._get("waiting_of", waiting.hash) or key
        if self.txn.delete(key, db=self._env.tables["frontier"]):
            self.state.counters.waiting -= 1
            self.host(host_of(key)).waiting -= 1
            self._enqueue(host_of(key), waiting, tail=True)

    def park(self, key: bytes, waiting: WaitingUrl, shape: bytes) -> None:
        """Set a URL aside whose shape (8 bytes) is taken for a trap; it still counts as waiting."""
        txn, tables = self.txn, self._env.tables
        if self._counts_inlinks:
            key = self._get("waiting_of", waiting.hash) or key
            txn.delete(waiting.hash, db=tables["waiting_of"])
        if txn.delete(key, db=tables["frontier"]):
            txn.put(shape + key, encode(waiting), db=tables["parked"])
            self.state.counters.parked += 1

    def unpark(self, shape: str, shape_key: bytes) -> int:
        """Let the URLs of a shape wait for their turn again; how many there were."""
        txn, tables = self.txn, self._env.tables
        txn.delete(shape.encode(), db=tables["shapes"])
        count = 0
        with txn.cursor(db=tables["parked"]) as cursor:
            while cursor.set_range(shape_key) and bytes(cursor.key()[:8]) == shape_key:
                key, waiting = bytes(cursor.key()[8:]), decode(WaitingUrl, bytes(cursor.value()))
                cursor.delete()
                self._put_waiting(host_of(key), key, waiting)
                count += 1
        self.state.counters.parked -= count
        return count

    def mark_leased(self, keys: Iterable[bytes], now: float) -> None:
        """Note which URLs are in flight, for the daemon that may have to tell after a crash."""
        txn, table = self.txn, self._env.tables["leases"]
        stamp = int(now * 1000).to_bytes(8, "big")
        for key in keys:
            txn.put(key, stamp, db=table)

    def forget_leases(self, keys: Iterable[bytes] | None = None) -> int:
        """Drop lease rows (all of them at start), how many there were; the URLs themselves still wait."""
        txn, table = self.txn, self._env.tables["leases"]
        if keys is None:
            entries = int(txn.stat(db=table)["entries"])
            txn.drop(table, delete=False)
            return entries
        return sum(txn.delete(key, db=table) for key in keys)

    # outcomes come back

    def known_content(self, digest: bytes) -> bool:
        """Whether the archive has a page with this content."""
        return self._get("content", digest) is not None

    def record(self, done: Done) -> int:
        """Record one outcome; the page's number, or 0 where the URL will be tried again."""
        key, waiting, outcome = done.key, done.waiting, done.outcome
        txn, tables = self.txn, self._env.tables
        if self._counts_inlinks:
            key = self._get("waiting_of", waiting.hash) or key
            txn.delete(waiting.hash, db=tables["waiting_of"])
        if not txn.delete(key, db=tables["frontier"]):
            return 0  # recorded before: a lease has one end
        txn.delete(done.key, db=tables["leases"])
        counters, host = self.state.counters, self.host(host_of(key))
        counters.bytes_received += outcome.wire_size
        if outcome.status:
            name = str(outcome.status)
            counters.statuses[name] = counters.statuses.get(name, 0) + 1
        if done.retry_at:
            counters.retries += 1
            txn.put(due_key(done.retry_at, key), encode(waiting), db=tables["delayed"])
            return 0
        counters.waiting -= 1
        host.waiting -= 1
        number = self._page_number(waiting.hash)
        self._put_page(number, waiting, outcome)
        if outcome.kind is OutcomeKind.FAILED:
            self._count_error(number, waiting, outcome, host)
        else:
            self._count_complete(number, outcome, host)
        if outcome.links is not None:
            counters.links += done.links_found
            for reason, count in outcome.links.refused.items():
                counters.refused[reason] = counters.refused.get(reason, 0) + count
            txn.put(number_key(number), outcome.links.record, db=tables["links"])
        if done.found is not None:
            done.found.referrer = number
            new = self.add(done.found)
            if done.found.cookie and not new[0]:
                self._ask_again(done.found)
        return number

    def _ask_again(self, found: Found) -> None:
        """A redirect that sets a cookie leads back to what was a redirect without it: ask once more."""
        row = self._get("page_of", found.keys)
        page = decode(PageRecord, self._get("pages", row) or b"") if row is not None else None
        if page is None or page.kind is not OutcomeKind.REDIRECT:
            return
        host = self.host_id(found.host_keys[0])
        self.state.counters.complete -= 1
        self.state.counters.redirects -= 1
        self.host(host).complete -= 1
        self._enqueue(host, _waiting(found, 0, found.keys))

    def _page_number(self, url_hash: bytes) -> int:
        row = self._get("page_of", url_hash)
        if row is not None:
            return int.from_bytes(row, "big")
        number = self.state.next_page
        self.state.next_page += 1
        self.txn.put(url_hash, number_key(number), db=self._env.tables["page_of"])
        return number

    def _put_page(self, number: int, waiting: WaitingUrl, outcome: Outcome) -> None:
        record = PageRecord(
            waiting.url,
            outcome.kind,
            outcome.status,
            outcome.failure,
            outcome.fetched_at,
            waiting.depth,
            waiting.referrer,
            outcome.directory,
            outcome.number,
            outcome.size,
            outcome.truncated,
            outcome.digest,
            outcome.content_type,
            outcome.charset,
            outcome.etag,
            outcome.last_modified,
            outcome.title,
            outcome.location,
            outcome.address,
            outcome.elapsed,
            waiting.tries,
            outcome.charset_source,
            outcome.charset_lie,
            outcome.lang,
            outcome.canonical,
            outcome.noindex,
            waiting.lastmod,
            self.state.next_change,
        )
        txn, tables = self.txn, self._env.tables
        txn.put(number_key(number), encode(record), db=tables["pages"])
        txn.put(number_key(self.state.next_change), number_key(number), db=tables["changes"], append=True)
        self.state.next_change += 1

    def _count_error(self, number: int, waiting: WaitingUrl, outcome: Outcome, host: HostRecord) -> None:
        counters = self.state.counters
        counters.error += 1
        host.error += 1
        counters.failures[outcome.failure] = counters.failures.get(outcome.failure, 0) + 1
        row = ErrorRecord(waiting.hash, waiting.tries, outcome.detail, waiting.hops)
        self.txn.put(number_key(number), encode(row), db=self._env.tables["errors"])

    def _count_complete(self, number: int, outcome: Outcome, host: HostRecord) -> None:
        counters = self.state.counters
        counters.complete += 1
        host.complete += 1
        if outcome.kind is OutcomeKind.STORED:
            counters.pages += 1
            counters.bytes += outcome.size
            host.pages += 1
            host.bytes += outcome.size
            self.txn.put(outcome.digest, number_key(number), db=self._env.tables["content"], overwrite=False)
            self._fill_directory(outcome)
        elif outcome.kind is OutcomeKind.DUPLICATE:
            counters.duplicates += 1
        elif outcome.kind is OutcomeKind.REDIRECT:
            counters.redirects += 1
        elif outcome.kind is not OutcomeKind.SITEMAP:
            counters.skipped += 1
            reason = outcome.failure or outcome.kind
            counters.failures[reason] = counters.failures.get(reason, 0) + 1

    # directories

    def _fill_directory(self, outcome: Outcome) -> None:
        record = self.directory(outcome.directory)
        record.count = outcome.number
        record.bytes += outcome.size
        record.index_bytes = outcome.index_bytes
        self.put_directory(outcome.directory, record)

    def directory(self, number: int) -> DirectoryRecord:
        """The row of a download directory.

        Raises:
            KeyError: there is no such directory.
        """
        row = self._get("directories", number_key(number))
        if row is None:
            raise KeyError(number)
        return decode(DirectoryRecord, row)

    def put_directory(self, number: int, record: DirectoryRecord) -> None:
        """Write the row of a download directory."""
        self.txn.put(number_key(number), encode(record), db=self._env.tables["directories"])

    def open_directories(self) -> list[tuple[int, DirectoryRecord]]:
        """Directories that are still being filled. There is one a worker, and they are the newest."""
        found = []
        with self.txn.cursor(db=self._env.tables["directories"]) as cursor:
            for key, row in cursor:
                record = decode(DirectoryRecord, bytes(row))
                if record.open:
                    found.append((int.from_bytes(bytes(key), "big"), record))
        return found

    def new_directory(self, worker: int) -> int:
        """Give a worker a directory of its own; its number."""
        txn = self.txn
        number = self.state.next_directory
        self.state.next_directory += 1
        txn.put(number_key(number), encode(DirectoryRecord(worker)), db=self._env.tables["directories"])
        return number

    # the error queue

    def retry_errors(self, wanted: Callable[[PageRecord], bool]) -> int:
        """Put back the URLs of the error queue whose page record is wanted; how many."""
        txn, tables = self.txn, self._env.tables
        numbers = []
        with txn.cursor(db=tables["errors"]) as cursor:
            for key, _ in cursor:
                row = self._get("pages", bytes(key))
                if row is not None and wanted(decode(PageRecord, row)):
                    numbers.append(bytes(key))
        for key in numbers:
            page = decode(PageRecord, self._get("pages", key) or b"")
            error = decode(ErrorRecord, self._get("errors", key) or b"")
            txn.delete(key, db=tables["errors"])
            self._unfail(page, error)
        return len(numbers)

    def _unfail(self, page: PageRecord, error: ErrorRecord) -> None:
        from spiderd.urls import host_key  # noqa: PLC0415  # only this rare call needs it

        host = self.host_id(host_key(page.url))
        counters = self.state.counters
        counters.error -= 1
        self.host(host).error -= 1
        left = counters.failures.get(page.failure, 1) - 1
        if left:
            counters.failures[page.failure] = left
        else:
            counters.failures.pop(page.failure, None)
        self._enqueue(
            host,
            WaitingUrl(page.url, error.hash, page.depth, error.hops, referrer=page.referrer),
            tail=True,
        )

    # small blobs that others own

    def get(self, table: str, key: bytes) -> bytes | None:
        """A row of `politeness`, `robots` or `meta`, as bytes."""
        return self._get(table, key)

    def put(self, table: str, key: bytes, value: bytes) -> None:
        """Write a row of `politeness`, `robots` or `meta`."""
        self.txn.put(key, value, db=self._env.tables[table])


def _waiting(found: Found, index: int, url_hash: bytes) -> WaitingUrl:
    waiting = WaitingUrl(found.urls[index], url_hash, found.depth, found.hops, referrer=found.referrer)
    waiting.cookie = found.cookie
    if index < found.sitemaps:
        waiting.kind = "sitemap"
    elif found.lastmods:
        waiting.lastmod = found.lastmods[index - found.sitemaps]
    return waiting
