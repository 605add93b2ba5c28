"""A store as another process sees it: read-only, while the daemon goes on writing.

LMDB gives each reader a snapshot that costs the writer nothing but the pages it cannot use again as long as
the reader holds it. So transactions here are short: each call reads a bounded piece and lets go. When the
writer has made the map larger, the next transaction says so and the map is opened anew at its new size.

A reader that is killed leaves its place in the lock file behind; whoever opens a reader next sweeps the
places of processes that are gone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Self, cast

import lmdb

from spiderd.errors import StorageError
from spiderd.store.environment import MOST_READERS, SCHEMA_VERSION, TABLES, explained
from spiderd.store.pages import NUMBER_BYTES
from spiderd.store.records import PageRecord, decode, number_key
from spiderd.store.transaction import State

_READ = ("pages", "changes", "page_of", "content", "links", "meta")
_PIECE = 2_000  # rows of one transaction of a long walk


class Change(NamedTuple):
    """A page that was recorded, as it is now."""

    change: int
    number: int  # of the page
    page: PageRecord

    @property
    def is_current(self) -> bool:
        """Whether the page was not recorded again since."""
        return self.page.change == self.change


class StoreReader:
    """An open view of a store. One thread uses it; a context manager."""

    def __init__(self, path: Path) -> None:
        """Open the store in the folder `path`.

        Raises:
            StorageError: there is none, or one of another schema.
        """
        self.path = path
        try:
            self._env = lmdb.open(
                str(path),
                readonly=True,
                create=False,
                max_dbs=len(TABLES) + 1,
                max_readers=MOST_READERS,
                readahead=False,
            )
        except lmdb.ReadersFullError as error:
            raise _too_many(path) from error
        except (OSError, lmdb.Error) as error:
            raise StorageError(f"There is no store to read in {path}: {error}.") from error
        try:
            self._env.reader_check()
            self._tables = {name: self._env.open_db(name.encode(), create=False) for name in _READ}
            with self._view() as view:
                schema = self._row(view, "meta", b"schema")
        except lmdb.Error as error:
            self._env.close()
            raise StorageError(f"The store in {path} cannot be read: {error}.") from error
        if schema != b"%d" % SCHEMA_VERSION:
            self._env.close()
            raise StorageError(f"The store in {path} was made by another version of spiderd.")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close it."""
        self._env.close()

    @contextmanager
    def _view(self) -> Iterator[lmdb.Transaction]:
        try:
            with self._begin() as view:
                yield view
        except lmdb.Error as error:
            raise explained(error, self.path) from error

    def _begin(self) -> lmdb.Transaction:
        try:
            return self._env.begin()
        except lmdb.MapResizedError:
            self._env.set_mapsize(0)
            return self._env.begin()
        except lmdb.ReadersFullError as error:
            if self._env.reader_check():  # places of processes that were killed
                return self._env.begin()
            raise _too_many(self.path) from error

    def _row(self, view: lmdb.Transaction, table: str, key: bytes) -> bytes | None:
        return cast("bytes | None", view.get(key, db=self._tables[table]))  # buffers are off

    def state(self) -> State:
        """The state row: counters and the next free numbers."""
        with self._view() as view:
            row = self._row(view, "meta", b"state")
        return State() if row is None else decode(State, row)

    def changes(self, after: int, limit: int) -> list[Change]:
        """The first of the changes behind a change number, each with the page's row of today.

        A change that a later one of the same page has overtaken is left out, but for the last one read, whose
        number is where to go on; its page is what it is now in any case.
        """
        found: list[Change] = []
        with self._view() as view, view.cursor(db=self._tables["changes"]) as cursor:
            more = cursor.set_range(number_key(after + 1))
            for _ in range(limit):
                if not more:
                    break
                change, key = int.from_bytes(cursor.key(), "big"), bytes(cursor.value())
                row = self._row(view, "pages", key)
                if row is not None:
                    found.append(Change(change, int.from_bytes(key, "big"), decode(PageRecord, row)))
                more = cursor.next()
        return [each for each in found[:-1] if each.is_current] + found[-1:]

    def page(self, number: int) -> PageRecord | None:
        """The row of a page."""
        with self._view() as view:
            row = self._row(view, "pages", number_key(number))
        return None if row is None else decode(PageRecord, row)

    def number_of(self, url_hash: bytes) -> int:
        """The page number of a URL, given the hash of its seen key; 0 where it was never asked for."""
        with self._view() as view:
            row = self._row(view, "page_of", url_hash)
        return 0 if row is None else int.from_bytes(row, "big")

    def first_with(self, digest: bytes) -> int | None:
        """The number of the first page that had a content, of those that have it now."""
        with self._view() as view:
            row = self._row(view, "content", digest)
        return None if row is None or len(row) != NUMBER_BYTES else int.from_bytes(row, "big")

    def links(self, number: int) -> bytes | None:
        """The row of a page in the link table (see `spiderd.parse.links.LinkRecord`)."""
        with self._view() as view:
            return self._row(view, "links", number_key(number))

    def all_links(self) -> Iterator[list[tuple[int, bytes]]]:
        """All rows of the link table, by page number, in pieces of one transaction each."""
        for piece in self._walk("links"):
            yield [(int.from_bytes(key, "big"), row) for key, row in piece]

    def all_pages(self) -> Iterator[list[tuple[int, PageRecord]]]:
        """All page rows, by page number, in pieces."""
        for piece in self._walk("pages"):
            yield [(int.from_bytes(key, "big"), decode(PageRecord, row)) for key, row in piece]

    def all_hashes(self) -> Iterator[list[tuple[bytes, bytes]]]:
        """URL hash and page number (8 bytes each) of all pages, by hash, in pieces."""
        return self._walk("page_of")

    def _walk(self, table: str) -> Iterator[list[tuple[bytes, bytes]]]:
        last = b""
        while True:
            piece: list[tuple[bytes, bytes]] = []
            with self._view() as view, view.cursor(db=self._tables[table]) as cursor:
                more = cursor.set_range(last)
                if more and last and cursor.key() == last:
                    more = cursor.next()
                while more and len(piece) < _PIECE:
                    piece.append((bytes(cursor.key()), bytes(cursor.value())))
                    more = cursor.next()
            if not piece:
                return
            last = piece[-1][0]
            yield piece


def _too_many(path: Path) -> StorageError:
    return StorageError(
        f"Too many programs read the store in {path} at the same time: end some, or try again."
    )
