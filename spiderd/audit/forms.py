"""Cells of a report as people read them, and as programs do."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

import msgspec

from spiderd.audit.findings import Row
from spiderd.audit.kinds import Cell, Column, Kind
from spiderd.export.tables import harmless

_PIECE = 500  # rows that are written at a time


def is_number(column: Column) -> bool:
    """Whether a column is for numbers, which stand to the right."""
    return column.form not in ("text", "url")


def csv_of(kind: Kind, rows: Iterable[Row]) -> Iterator[str]:
    """Yield a report as CSV (RFC 4180), the names of the columns first, in pieces."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([column.name for column in kind.columns])
    for number, row in enumerate(rows, 1):
        writer.writerow([harmless(cell) for cell in row.cells])
        if number % _PIECE == 0:
            yield text.getvalue()
            text.seek(0)
            text.truncate()
    yield text.getvalue()


def json_of(kind: Kind, rows: Iterable[Row]) -> Iterator[str]:
    """Yield a report as JSON, an object a line; `page` is the number of the page that it speaks of."""
    names = [column.name for column in kind.columns]
    for row in rows:
        made: dict[str, Cell] = {"page": row.page, **dict(zip(names, row.cells, strict=True))}
        yield msgspec.json.encode(made).decode() + "\n"
