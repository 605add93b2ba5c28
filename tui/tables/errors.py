"""The error queue: URLs that are given up, and why."""

from __future__ import annotations

from spiderd.protocol import ErrorRow
from tui.columns import Cell, Column
from tui.text import UNKNOWN, clock


def _status(row: ErrorRow, _: float) -> Cell:
    return (
        Cell(str(row.status), "bad" if row.status >= 500 else "warn")
        if row.status
        else Cell(UNKNOWN, "faint")
    )


def _detail(row: ErrorRow, _: float) -> Cell:
    """What the status does not say already."""
    return Cell("" if row.detail == f"HTTP status {row.status}" else row.detail, "muted")


COLUMNS: tuple[Column[ErrorRow], ...] = (
    Column("at", "time", 8, lambda row, _: Cell(clock(row.at), "muted"), drop=3),
    Column("failure", "failure", 18, lambda row, _: Cell(row.failure, "warn")),
    Column("status", "status", 6, _status, right=True, drop=5),
    Column("tries", "tries", 5, lambda row, _: str(row.tries), right=True, drop=4),
    Column("url", "url", 20, lambda row, _: row.url.removeprefix("https://"), grow=3),
    Column("detail", "detail", 16, _detail, drop=2, grow=2, most=32),
    Column("referrer", "found on", 16, lambda row, _: Cell(row.referrer, "muted"), drop=1, grow=2),
)
