"""Shapes of URLs that are parked because they look like traps."""

from __future__ import annotations

from spiderd.protocol import TrapRow
from spiderd.units import human_count
from tui.columns import Cell, Column

COLUMNS: tuple[Column[TrapRow], ...] = (
    Column("shape", "shape", 24, lambda row, _: Cell(row.shape, "warn"), grow=3),
    Column("waiting", "set aside", 9, lambda row, _: human_count(row.waiting), right=True),
    Column("pages", "fetched", 8, lambda row, _: human_count(row.pages), right=True, drop=2),
    Column("example", "for example", 20, lambda row, _: Cell(row.example, "muted"), drop=1, grow=2),
)
