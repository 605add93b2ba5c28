"""Results of a search."""

from __future__ import annotations

from spiderd.protocol import Hit
from tui.columns import Cell, Column
from tui.text import date


def _title(row: Hit, _: float) -> Cell:
    return Cell(row.title or row.url, "strong")


def _same(row: Hit, _: float) -> Cell:
    return Cell(f"+{row.duplicates}" if row.duplicates else "", "faint")


COLUMNS: tuple[Column[Hit], ...] = (
    Column("score", "score", 6, lambda row, _: Cell(f"{row.score:.2f}", "muted"), right=True, drop=2),
    Column("title", "title", 20, _title, grow=1),
    Column("duplicates", "same", 4, _same, right=True, drop=1),
    Column("url", "url", 20, lambda row, _: Cell(row.url.removeprefix("https://"), "muted"), grow=1, drop=4),
    Column("fetched", "fetched", 16, lambda row, _: Cell(date(row.fetched)[:16], "faint"), drop=3),
)
