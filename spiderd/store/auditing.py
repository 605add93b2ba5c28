"""A store as reports read it: pages and links, and beside them what is known of hosts and traps.

As every reader outside of the daemon it holds no view for longer than a piece takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import lmdb

from spiderd.store.records import ErrorRecord, HostRecord, decode, number_key
from spiderd.store.snapshot import Snapshot
from spiderd.store.visits import VisitRecord

_MORE = ("errors", "hosts", "host_ids", "politeness", "robots", "shapes")
_LATER = "visits"  # a table that stores of before have not got


class AuditReader(Snapshot):
    """The snapshot of an export with the tables that reports need beside it."""

    def __init__(self, path: Path) -> None:
        """Open the store in the folder `path`.

        Raises:
            StorageError: there is none, or one of another schema.
        """
        super().__init__(path)
        for table in _MORE:
            self._tables[table] = self._env.open_db(table.encode(), create=False)
        with suppress(lmdb.NotFoundError):
            self._tables[_LATER] = self._env.open_db(_LATER.encode(), create=False)

    def row(self, table: str, key: bytes) -> bytes | None:
        """A row of one of the tables."""
        with self._view() as view:
            return self._row(view, table, key)

    def rows(self, table: str) -> Iterator[tuple[bytes, bytes]]:
        """All rows of one of the tables, in pieces of a transaction each."""
        for piece in self._walk(table):
            yield from piece

    def error(self, number: int) -> ErrorRecord | None:
        """What the error queue has of a page."""
        row = self.row("errors", number_key(number))
        return None if row is None else decode(ErrorRecord, row)

    def visit(self, number: int) -> VisitRecord | None:
        """What the visits of a page have found; None where it is not visited again."""
        row = self.row(_LATER, number_key(number)) if _LATER in self._tables else None
        return None if row is None else decode(VisitRecord, row)

    def host(self, key: str) -> HostRecord | None:
        """The tallies of a host."""
        number = self.row("host_ids", key.encode())
        row = None if number is None else self.row("hosts", number)
        return None if row is None else decode(HostRecord, row)
