"""The download directories: how full each is, and who fills it."""

from __future__ import annotations

from spiderd.protocol import DirectoryRow
from spiderd.units import human_count, human_size
from tui.bars import bar
from tui.columns import Cell, Column
from tui.glyphs import Glyphs
from tui.tables.threads import directory_name
from tui.text import percent

BAR = 16


def columns(glyphs: Glyphs) -> tuple[Column[DirectoryRow], ...]:
    """Make the columns, with bars of these glyphs."""

    def filled(row: DirectoryRow, _: float) -> Cell:
        full, empty = bar(row.count / max(1, row.max_count), BAR, glyphs)
        return Cell(full + empty, "accent" if row.open else "muted")

    def state(row: DirectoryRow, _: float) -> Cell:
        return (
            Cell("open", "good")
            if row.open
            else Cell("full" if row.count >= row.max_count else "closed", "muted")
        )

    return (
        Column("directory", "dir", 6, lambda row, _: directory_name(row.directory), right=True),
        Column("worker", "thread", 7, lambda row, _: Cell(str(row.worker), "muted"), right=True, drop=3),
        Column("open", "state", 7, state, drop=4),
        Column("count", "pages", 7, lambda row, _: human_count(row.count), right=True),
        Column(
            "max_count",
            "of",
            6,
            lambda row, _: Cell(human_count(row.max_count), "muted"),
            right=True,
            drop=2,
        ),
        Column("", "filled", BAR, filled, sortable=False),
        Column(
            "", "", 7, lambda row, _: percent(row.count, row.max_count), right=True, drop=5, sortable=False
        ),
        Column("bytes", "size", 9, lambda row, _: human_size(row.bytes), right=True, drop=6),
        Column("path", "path", 12, lambda row, _: Cell(row.path, "muted"), keep="end", drop=1, grow=1),
    )


def open_columns(glyphs: Glyphs) -> tuple[Column[DirectoryRow], ...]:
    """Fewer columns, for the pane of the overview."""
    wanted = ("directory", "worker", "count", "", "bytes")
    return tuple(column for column in columns(glyphs) if column.name in wanted)
