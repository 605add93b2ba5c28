"""The site tree: of each host and directory, how much of what was found is done."""

from __future__ import annotations

from spiderd.protocol import TreeRow
from spiderd.units import human_count
from tui.bars import bar
from tui.columns import Cell, Column
from tui.glyphs import Glyphs
from tui.text import percent

BAR = 16

HERE = "(right here)"
"""What lies in a directory itself."""


def name(row: TreeRow) -> str:
    """A part of the tree as the screen calls it."""
    if row.kind == "here":
        return HERE
    return f"{row.name}/" if row.kind == "directory" else row.name


def columns(glyphs: Glyphs) -> tuple[Column[TreeRow], ...]:
    """Make the columns, with bars of these glyphs."""

    def title(row: TreeRow, _: float) -> Cell:
        return Cell(name(row), "muted" if row.kind == "here" else "strong" if row.inside else "")

    def done(row: TreeRow, _: float) -> Cell:
        full, empty = bar((row.complete + row.error) / max(1, row.found), BAR, glyphs)
        return Cell(full + empty, "accent" if row.waiting else "good")

    def error(row: TreeRow, _: float) -> Cell:
        return Cell(human_count(row.error), "warn" if row.error else "faint")

    return (
        Column("name", "host or directory", 18, title, grow=1, most=72),
        Column("found", "found", 9, lambda row, _: human_count(row.found), right=True),
        Column("complete", "complete", 9, lambda row, _: human_count(row.complete), right=True, drop=4),
        Column("error", "errors", 7, error, right=True, drop=3),
        Column("waiting", "waiting", 9, lambda row, _: human_count(row.waiting), right=True, drop=2),
        Column("", "done", BAR, done, sortable=False, drop=1),
        Column(
            "",
            "",
            7,
            lambda row, _: percent(row.complete + row.error, row.found),
            right=True,
            drop=5,
            sortable=False,
        ),
    )
