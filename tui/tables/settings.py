"""The settings: what holds, what the file says, and what can be changed while the crawl runs."""

from __future__ import annotations

from spiderd.protocol import SettingRow
from tui.columns import Cell, Column


def _value(row: SettingRow, _: float) -> Cell:
    return Cell(row.value, "warn" if row.value != row.filed else "")


def _filed(row: SettingRow, _: float) -> Cell:
    return Cell(
        row.filed if row.value != row.filed else "the same", "muted" if row.value != row.filed else "faint"
    )


def _state(row: SettingRow, _: float) -> Cell:
    if row.override:
        return Cell("made live", "warn")
    if row.value != row.filed:
        return Cell("differs", "warn")
    return Cell("live", "good") if row.live else Cell("at start", "faint")


COLUMNS: tuple[Column[SettingRow], ...] = (
    Column("key", "setting", 24, lambda row, _: row.key, grow=1, most=32),
    Column("value", "value", 12, _value, grow=2),
    Column("filed", "in the file", 12, _filed, grow=2, drop=1),
    Column("live", "changes", 9, _state, drop=2),
)
