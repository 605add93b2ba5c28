"""The site tree: how many URLs of each directory of each host are known, complete and failed.

Problem: "how far is `https://h/docs/`?" must be answered in milliseconds with ten million URLs known, and
counting them must cost next to nothing where every page brings new links. URLs are neither kept by path (the
frontier is in the order of the crawl) nor all in one place (those that are done are pages).

Structure: one row a directory that has URLs of its own, keyed by the host's number and the path, with three
tallies. Directories above it have no row: what is below a path are neighbours, so `below` sums up one range.
The range is short, since a host has at most `MOST` rows; a directory that is found later counts with the
nearest one above it that has a row. So has one deeper than `DEEPEST`, or whose path is longer than `LONGEST`.
The query is no part of the path, and `/docs/` belongs to `/` as `/docs` does: sites that end the addresses of
their pages with a slash would else have a directory for each page.

Cost: a URL that is found or done is noted in a list. What belongs to which row is found out before a commit,
once for all URLs with the same text before the last slash: one read and one write a row that has changed.
Measured (`python -m bench.ledger`, 20 hosts, five URLs a directory): 1.6 us a page, 4 % of what the ledger
takes and half a per cent of what a page takes in all. `below` takes 7 ms at `MOST` rows.

What would change the choice: a look at more than `MOST` directories of a host. Then directories above would
have rows of their own, and a page would pay for each level.
"""

from __future__ import annotations

import re
import struct
from collections import Counter

from spiderd.store.environment import Environment
from spiderd.store.hosts import Hosts
from spiderd.store.records import HOST_ID_BYTES, host_key_bytes, host_of
from spiderd.store.transaction import Transaction
from spiderd.urls import host_key

MOST = 10_000  # rows of one host
DEEPEST = 12  # levels that are told apart
LONGEST = 240  # bytes of a path: LMDB's keys have 511
CACHE = 50_000  # texts whose key is known, some 12 MB at the most

_ROW = struct.Struct("<III")
_AUTHORITY = 8  # length of "http://h" and of "https://": from here on no slash is one before the host
_QUERY = re.compile(r"[?#].*", re.DOTALL)
_NONE = bytes(_ROW.size)


class Tally:
    """URLs of one directory and of those in it."""

    __slots__ = ("complete", "deeper", "error", "found")

    def __init__(self) -> None:
        self.found = 0
        self.complete = 0
        self.error = 0
        self.deeper = False  # whether there are directories in it

    def add(self, found: int, complete: int, error: int) -> None:
        """Add those of a row."""
        self.found += found
        self.complete += complete
        self.error += error


class Tree:
    """The table `tree`."""

    def __init__(self, env: Environment, transaction: Transaction, hosts: Hosts) -> None:
        """Read and write within a transaction."""
        self._table = env.tables["tree"]
        self._transaction = transaction
        self._hosts = hosts
        self._keys: dict[str, bytes] = {}  # text before the last slash -> key of the row
        self._found: list[str] = []
        self._complete: list[str] = []
        self._error: list[str] = []
        self._not_complete: list[str] = []
        self._not_error: list[str] = []
        self.found = self._found.append
        """Count a URL that was never seen before."""
        self.complete = self._complete.append
        """Count a URL as complete."""
        self.error = self._error.append
        """Count a URL as given up."""
        self.not_complete = self._not_complete.append
        """Count a URL as complete no longer."""
        self.not_error = self._not_error.append
        """Count a URL as given up no longer."""

    def write(self) -> None:
        """Write what has changed."""
        found, complete, error = _texts(self._found), _texts(self._complete), _texts(self._error)
        if self._not_complete or self._not_error:
            complete.subtract(_texts(self._not_complete))
            error.subtract(_texts(self._not_error))
        txn = self._transaction.begin()
        for text in {**found, **complete, **error}:
            key = self._keys.get(text) or self._key(text)
            row = txn.get(key, db=self._table)
            if row is None:
                key = self._room_for(key)
                row = txn.get(key, db=self._table) or _NONE
            tallies = _ROW.unpack(row)
            changed = (
                tallies[0] + found.get(text, 0),
                tallies[1] + complete.get(text, 0),
                tallies[2] + error.get(text, 0),
            )
            if min(changed) < 0:  # a store that an older version has begun did not count all
                changed = tuple(max(0, count) for count in changed)
            txn.put(key, _ROW.pack(*changed), db=self._table)
        self._clear()

    def _key(self, text: str) -> bytes:
        if len(self._keys) >= CACHE:
            self._keys.clear()
        host = self._hosts.id_of(host_key(text + "/"))
        key = self._keys[text] = host_key_bytes(host) + path_of(text)
        return key

    def _room_for(self, key: bytes) -> bytes:
        """The key of a directory without a row, or of the nearest above it where its host has enough rows."""
        record = self._hosts.tallies(host_of(key))
        while len(key) > HOST_ID_BYTES and record.directories >= MOST:
            key = key[: max(HOST_ID_BYTES, key.rfind(b"/", HOST_ID_BYTES, -1) + 1)]
            if self._transaction.get("tree", key) is not None:
                return key
        record.directories += 1
        return key

    def forget(self) -> None:
        """Forget what belonged to the transaction that was aborted."""
        self._clear()
        self._keys.clear()  # hosts may get other numbers

    def _clear(self) -> None:
        for urls in (self._found, self._complete, self._error, self._not_complete, self._not_error):
            urls.clear()

    def below(self, host: int, path: bytes) -> dict[bytes, Tally]:
        """What lies in a directory ("" or ending with a slash), by name; "": URLs of the directory itself."""
        self.write()
        if len(path) > LONGEST:
            return {}
        prefix = host_key_bytes(host) + path
        tallies: dict[bytes, Tally] = {}
        with self._transaction.cursor("tree") as cursor:
            here = cursor.set_range(prefix)
            while here and (key := cursor.key()).startswith(prefix):
                name, _, deeper = key[len(prefix) :].partition(b"/")
                tally = tallies.get(name)
                if tally is None:
                    tally = tallies[name] = Tally()
                tally.add(*_ROW.unpack(cursor.value()))
                tally.deeper = tally.deeper or bool(deeper)
                here = cursor.next()
        return tallies


def tallies_of(row: bytes) -> tuple[int, int, int]:
    """URLs that were found, are complete, were given up, as a row has them."""
    found, complete, error = _ROW.unpack(row)
    return found, complete, error


def _texts(urls: list[str]) -> Counter[str]:
    """How often each text before a last slash occurs; a slash that ends a URL is not its last one."""
    return Counter([url[: url.rfind("/", _AUTHORITY, -1)] for url in urls])


def path_of(text: str) -> bytes:
    """The directory of a URL of which the text before the last slash is given: "" or "a/b/"."""
    start = text.find("/", _AUTHORITY)
    if start < 0:
        return b""
    path = text[start + 1 :]
    if "?" in path or "#" in path:  # the last slash was one of the query
        path = _QUERY.sub("", path).rpartition("/")[0]
    names = path.split("/", DEEPEST)[:DEEPEST]
    whole = "/".join(filter(None, names)).encode()
    if len(whole) >= LONGEST:
        whole = whole[: max(0, whole.rfind(b"/", 0, LONGEST))]
    return whole + b"/" if whole else b""
