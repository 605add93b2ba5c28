"""Walks the tables of a store row by row, telling how far it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from spiderd.store.environment import Environment
from spiderd.store.records import decode, number_key
from spiderd.store.transaction import State, Transaction
from spiderd.store.trie import SeenTrie
from spiderd.verify.facts import Facts, HostTallies
from spiderd.verify.report import Progress, Relation, Report

T = TypeVar("T", bound=msgspec.Struct)

TELL = 500  # rows between two reports of progress
NUMBERED = {
    "next_page": "pages",
    "next_host": "hosts",
    "next_directory": "directories",
    "next_change": "changes",
}
"""Field of the state row -> the table whose rows it numbers."""
BATCH = 2000  # hashes that the trie is asked for at a time


class Walk:
    """One pass over a store that nobody else has open."""

    def __init__(self, env: Environment, archive: Path, report: Report, progress: Progress) -> None:
        """Begin a transaction; end it with `close`."""
        self.rows = Transaction(env)
        self.archive = archive
        self.report = report
        self._progress = progress
        self._trie = SeenTrie(env.tables["seen"])
        self._unasked: list[tuple[bytes, str]] = []
        self.state: State = self.rows.state
        last = {name: self._last(table) for name, table in NUMBERED.items()}
        pages, hosts = (
            max(last["next_page"] + 1, self.state.next_page),
            max(last["next_host"], self.state.next_host - 1),
        )
        self.facts = Facts(bytearray(pages), HostTallies(hosts), highest=last)

    def _last(self, table: str) -> int:
        with self.rows.cursor(table) as cursor:
            return int.from_bytes(cursor.key(), "big") if cursor.last() else 0

    def close(self) -> None:
        """End the transaction; nothing was written."""
        self.rows.abort()

    def table(self, name: str) -> Iterator[tuple[bytes, bytes]]:
        """Yield all rows of a table in the order of their keys."""
        total = self.rows.entries(name)
        with self.rows.cursor(name) as cursor:
            for done, item in enumerate(cursor):
                if done % TELL == 0:
                    self._progress(name, done, total)
                yield item
        self._progress(name, total, total)

    def tell(self, part: str, done: int, total: int) -> None:
        """Report progress of what is no table."""
        self._progress(part, done, total)

    def read(self, kind: type[T], row: bytes, relation: Relation, name: str) -> T | None:
        """Decode a row; one that cannot be is a problem."""
        try:
            return decode(kind, row)
        except msgspec.DecodeError as error:
            self.report.add(relation, f"{name} cannot be read: {error}")
            return None

    def page_row(self, number: int) -> bytes | None:
        """The row of a page number."""
        return self.rows.get("pages", number_key(number))

    # the trie

    def expect_seen(self, url_hash: bytes, whose: str) -> None:
        """The trie must have this hash; it is asked for many at a time."""
        self._unasked.append((url_hash, whose))
        if len(self._unasked) >= BATCH:
            self.ask_trie()

    def ask_trie(self) -> None:
        """Ask for what was expected."""
        unasked, self._unasked = self._unasked, []
        seen = self._trie.contains_many(self.rows.begin(), [url_hash for url_hash, _ in unasked])
        for (_, whose), found in zip(unasked, seen, strict=True):
            if not found:
                self.report.add("trie", f"{whose} is known, but the trie has not seen it")

    def check_trie(self) -> None:
        """Look at the trie in itself, and at how many hashes it has."""
        self.tell("seen", 0, 1)
        for problem in self._trie.check(self.rows.begin()):
            self.facts.trie_is_broken = True
            self.report.add("trie", problem)
        more = self._trie.count(self.rows.begin()) - self.facts.counters.known
        if more > 0:
            self.report.notes.append(
                f"the trie has {more} URLs more than are known: they were marked as visited"
            )
        self.tell("seen", 1, 1)
