"""The file of findings: what reports file, in the order that they are read in.

Problem: a report over millions of pages must group (copies of one content, pages with one title) and sort
(slowest first) far more rows than memory should hold, and be read page by page afterwards.

Structure: one SQLite file, which is in the standard library, sorts by merging runs on disk, and keeps to a
cache of a stated size (`CACHE`, and as much again while it sorts). Findings are rows of (kind, rank, page,
cells); the index over (kind, rank) is made once, at the end, so filing is an append. Reports that have to
group first use tables of their own in the same file. It is derived and temporary: no journal, no sync; a file
that was not finished has no `made` row and is not opened again.

Cost, measured on one core: filing 2.5 us a row, the index 1 us, some 100 bytes of disk a row.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import msgspec

from spiderd.audit.kinds import KINDS, Cell
from spiderd.errors import StorageError

CACHE = 32 * 1024 * 1024  # bytes
BATCH = 1_000  # rows that are filed at a time

_NUMBERS = {name: number for number, name in enumerate(KINDS)}
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(list[str | int | float]).decode


class Row(NamedTuple):
    """A finding as it is read."""

    page: int  # number of the page that it speaks of; 0 = of none
    cells: list[Cell]


class Findings:
    """An open file of findings; a context manager, for one thread."""

    def __init__(self, path: Path | str, *, create: bool = False) -> None:
        """Open the file `path`, or make it.

        Raises:
            StorageError: it cannot be made, or is no finished file of this version.
        """
        try:
            if create:
                Path(path).unlink(missing_ok=True)
            where = f"file:{Path(path).absolute().as_uri()[7:]}?mode={'rwc' if create else 'ro'}"
            self.db = sqlite3.connect(where, uri=True, isolation_level=None)
            self.db.execute(f"PRAGMA cache_size = -{CACHE // 1024}")
            self.db.execute("PRAGMA temp_store = FILE")
            if create:
                self._prepare()
            else:
                self.made, self.pages = self._made()
        except (OSError, sqlite3.Error) as error:
            raise StorageError(f"The findings in {path} cannot be opened: {error}.") from error
        self._batch: list[tuple[int, Any, int, bytes]] = []

    def _prepare(self) -> None:
        self.made, self.pages = 0.0, 0
        self.db.execute("PRAGMA journal_mode = OFF")
        self.db.execute("PRAGMA synchronous = OFF")
        self.db.execute("PRAGMA locking_mode = EXCLUSIVE")
        self.db.execute("CREATE TABLE findings (kind INTEGER, rank, page INTEGER, cells TEXT)")
        self.db.execute("CREATE TABLE made (at REAL, pages INTEGER, kinds TEXT)")
        self.db.execute("BEGIN")

    def _made(self) -> tuple[float, int]:
        rows = list(self.db.execute("SELECT at, pages, kinds FROM made"))
        if not rows or rows[0][2] != ",".join(KINDS):
            raise sqlite3.DatabaseError("it is not finished, or of another version")
        return float(rows[0][0]), int(rows[0][1])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close it."""
        self.db.close()

    # filing

    def file(self, kind: str, rank: float | str | bytes, page: int, *cells: Cell) -> None:
        """File a finding; rows of one rank are read in the order in which they were filed."""
        self._batch.append((_NUMBERS[kind], rank, page, _encode(cells)))
        if len(self._batch) >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Write what is held back.

        Raises:
            StorageError: there is no room.
        """
        self.insert("findings", self._batch)
        self._batch.clear()

    def insert(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        """Put rows into a table that a report has made for itself.

        Raises:
            StorageError: there is no room.
        """
        if not rows:
            return
        marks = ",".join("?" * len(rows[0]))
        try:
            self.db.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608 - table names are ours, never the web's
        except sqlite3.Error as error:
            raise StorageError(f"The findings cannot be written: {error}.") from error

    def finish(self, at: float, pages: int) -> None:
        """Put all in order, and mark the file as whole."""
        self.flush()
        try:
            self.db.execute("CREATE INDEX in_order ON findings (kind, rank)")
            self.db.execute("INSERT INTO made VALUES (?, ?, ?)", (at, pages, ",".join(KINDS)))
            self.db.execute("COMMIT")
        except sqlite3.Error as error:
            raise StorageError(f"The findings cannot be written: {error}.") from error
        self.made, self.pages = at, pages

    # reading

    def counts(self) -> dict[str, int]:
        """How many findings each report has."""
        counted = dict(self.db.execute("SELECT kind, count(*) FROM findings GROUP BY kind"))
        return {name: int(counted.get(number, 0)) for name, number in _NUMBERS.items()}

    def count(self, kind: str, contains: str = "") -> int:
        """How many findings a report has, or those of them that hold a text."""
        where, values = _where(kind, contains)
        query = f"SELECT count(*) FROM findings WHERE {where}"  # noqa: S608 - the condition is ours, its values are bound
        return int(self.db.execute(query, values).fetchone()[0])

    def rows(self, kind: str, *, offset: int = 0, limit: int = -1, contains: str = "") -> Iterator[Row]:
        """Yield findings in their order.

        Args:
            kind: name of the report.
            offset: rows to leave out.
            limit: the most rows; -1 = all.
            contains: text that a row holds, whatever the case of its ASCII letters.
        """
        where, values = _where(kind, contains)
        query = f"SELECT page, cells FROM findings WHERE {where} ORDER BY rank, rowid LIMIT ? OFFSET ?"  # noqa: S608 - the condition is ours
        for page, cells in self.db.execute(query, (*values, limit, offset)):
            yield Row(page, list(_decode(cells)))


def _where(kind: str, contains: str) -> tuple[str, tuple[Any, ...]]:
    number = _NUMBERS[kind]
    if not contains:
        return "kind = ?", (number,)
    return "kind = ? AND instr(lower(cells), lower(?)) > 0", (number, contains)
