"""Reports on what was crawled: which there are, and the rows of one, whose columns the daemon tells."""

from __future__ import annotations

from spiderd.protocol import ReportColumn, ReportInfo, ReportRow
from spiderd.units import human_cell, human_count
from tui.columns import Cell, Column

COLUMNS: tuple[Column[ReportInfo], ...] = (
    Column("name", "report", 16, lambda row, _: Cell(row.name, "strong")),
    Column("count", "rows", 9, lambda row, _: _count(row), right=True),
    Column("help", "what it lists", 20, lambda row, _: Cell(row.help, "muted"), grow=1, drop=1),
)

NARROW = {"status": 6, "count": 7, "size": 9, "seconds": 8, "share": 7}
"""Cells of the columns that hold numbers, by form."""


def columns_of(info: ReportInfo) -> tuple[Column[ReportRow], ...]:
    """Make the columns of a report; where there is too little room the last ones go first."""
    count = len(info.columns)
    return tuple(_column(place, column, count) for place, column in enumerate(info.columns))


def _column(place: int, column: ReportColumn, count: int) -> Column[ReportRow]:
    width = NARROW.get(column.form, 0)
    is_url = column.form == "url"
    return Column(
        column.name,
        column.title,
        max(width, len(column.title)) if width else 16 if is_url else 12,
        lambda row, _: _cell(row, place, column.form),
        drop=0 if place < 2 else count - place,
        grow=0 if width else 3 if is_url else 1,
        right=bool(width),
        keep="end" if is_url else "start",
        sortable=False,
    )


def _cell(row: ReportRow, place: int, form: str) -> Cell | str:
    cell = row.cells[place] if place < len(row.cells) else ""
    text = human_cell(cell, form)
    return text.removeprefix("https://") if form == "url" else text


def _count(row: ReportInfo) -> Cell:
    return Cell(human_count(row.count), "" if row.count else "faint")
