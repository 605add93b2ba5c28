"""All pages of a store as of one moment, read by another process while the daemon goes on writing.

A reader that holds its view for long keeps LMDB from using freed pages again, and the file grows for as long
as a large export takes. So pages are read in pieces, a short transaction each; what makes the whole
consistent is the page number: pages are never removed, so those up to the last number of the first
transaction are those that there were. One that is fetched again meanwhile may show its later version.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import lmdb

from spiderd.store.pages import NUMBER_BYTES
from spiderd.store.reader import StoreReader
from spiderd.store.records import DirectoryRecord, PageRecord, decode, number_key

PIECE = 500  # rows of one transaction
KEPT_URLS = 50_000  # URLs that are kept by their hashes, about 10 MB


class Snapshot(StoreReader):
    """The pages up to the last one that was recorded when it was opened; a context manager."""

    def __init__(self, path: Path) -> None:
        """Open the store in the folder `path`.

        Raises:
            StorageError: there is none, or one of another schema.
        """
        super().__init__(path)
        for table in ("content", "directories"):
            self._tables[table] = self._env.open_db(table.encode(), create=False)
        with suppress(lmdb.NotFoundError):  # the store is of a time when pages had one version
            self._tables["versions"] = self._env.open_db(b"versions", create=False)
        self.last = self.state().next_page - 1
        self._urls: OrderedDict[bytes, str] = OrderedDict()

    def pages(self) -> Iterator[tuple[int, PageRecord]]:
        """Yield number and row of each page."""
        number = 1
        while number <= self.last:
            piece = self._piece(number)
            if not piece:
                return
            for number, row in piece:  # goes on behind the last of them
                yield number, decode(PageRecord, row)
            number += 1

    def _piece(self, first: int) -> list[tuple[int, bytes]]:
        piece: list[tuple[int, bytes]] = []
        with self._view() as view, view.cursor(db=self._tables["pages"]) as cursor:
            more = cursor.set_range(number_key(first))
            while more and len(piece) < PIECE:
                number = int.from_bytes(cursor.key(), "big")
                if number > self.last:
                    break
                piece.append((number, bytes(cursor.value())))
                more = cursor.next()
        return piece

    def original(self, digest: bytes) -> PageRecord | None:
        """The page whose body is kept for all that have this content."""
        with self._view() as view:
            key = self._row(view, "content", digest)
            table = "pages" if key is None or len(key) == NUMBER_BYTES else "versions"
            row = None if key is None else self._row(view, table, key)
        return None if row is None else decode(PageRecord, row)

    def versions(self) -> Iterator[PageRecord]:
        """Yield the row of each version that a later visit has replaced."""
        pieces = self._walk("versions") if "versions" in self._tables else iter([])
        for piece in pieces:
            for _, row in piece:
                yield decode(PageRecord, row)

    def directories(self) -> list[tuple[int, DirectoryRecord]]:
        """All download directories, with what is committed of them now."""
        rows = [row for piece in self._walk("directories") for row in piece]
        return [(int.from_bytes(key, "big"), decode(DirectoryRecord, row)) for key, row in rows]

    def url_of(self, url_hash: bytes) -> str:
        """The URL that has this hash; "" where it was not asked for yet."""
        url = self._urls.get(url_hash)
        if url is not None:
            self._urls.move_to_end(url_hash)
            return url
        page = self.page(self.number_of(url_hash))
        url = self._urls[url_hash] = page.url if page else ""
        if len(self._urls) > KEPT_URLS:
            self._urls.popitem(last=False)
        return url
