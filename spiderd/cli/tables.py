"""Tables: how wide each column is, and what is left out where there is too little room.

In a pipe there is no limit: nothing is cut. On a terminal the wide columns (URLs, paths) share what the
others leave and are cut; where even that is too little, optional columns go, the last one first.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import click
from rich.cells import cell_len
from rich.text import Text

from spiderd.cli.output import STATE_STYLES, console, is_terminal
from spiderd.printable import printable

GAP = 2  # cells between two columns
SPACE = " " * GAP
LEAST = 12  # cells of a wide column

Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """One column of a table."""

    title: str
    cell: Callable[[Row], str]
    right: bool = False  # numbers
    wide: bool = False  # may be cut
    optional: bool = False  # may go


def print_table(columns: Sequence[Column[Row]], rows: Iterable[Row]) -> None:
    """Print a table with a heading."""
    if not is_terminal(sys.stdout):
        lines = laid_out(columns, rows, None)
        click.echo("\n".join(SPACE.join(cells).rstrip() for cells in lines))
        return
    terminal = console()
    heading, *body = laid_out(columns, rows, terminal.width)
    terminal.print(Text(SPACE.join(heading), style="bold"), soft_wrap=True)
    for cells in body:
        styled = ((cell, STATE_STYLES.get(cell.strip(), "")) for cell in cells)
        terminal.print(Text(SPACE).join(Text(cell, style) for cell, style in styled), soft_wrap=True)


def laid_out(columns: Sequence[Column[Row]], rows: Iterable[Row], room: int | None) -> list[list[str]]:
    """Return heading and rows as cells that are padded to the widths of their columns.

    Args:
        columns: what to show of a row; what comes from the web is made printable here.
        rows: any number.
        room: cells from edge to edge; None = as many as it takes.
    """
    lines = [[column.title for column in columns]]
    lines += [[printable(column.cell(row)) for column in columns] for row in rows]
    widths = [max(cell_len(line[index]) for line in lines) for index in range(len(columns))]
    kept = list(range(len(columns)))
    if room is not None:
        kept = _that_fit(columns, widths, room)
        widths = _narrowed(columns, widths, kept, room)
    return [
        [_padded(line[index], widths[index], right=columns[index].right) for index in kept] for line in lines
    ]


def _that_fit(columns: Sequence[Column[Row]], widths: Sequence[int], room: int) -> list[int]:
    kept = list(range(len(columns)))
    least = [
        min(width, LEAST) if column.wide else width for column, width in zip(columns, widths, strict=True)
    ]
    for index in reversed(range(len(columns))):
        if sum(least[one] + GAP for one in kept) - GAP > room and columns[index].optional:
            kept.remove(index)
    return kept


def _narrowed(columns: Sequence[Column[Row]], widths: Sequence[int], kept: list[int], room: int) -> list[int]:
    """Share the room among the wide columns; one that needs less than its share leaves the rest to others."""
    narrowed = list(widths)
    wide = sorted((index for index in kept if columns[index].wide), key=lambda index: widths[index])
    rest = room - sum(widths[index] for index in kept if not columns[index].wide) - GAP * (len(kept) - 1)
    for position, index in enumerate(wide):
        share = max(1, rest // (len(wide) - position))
        narrowed[index] = min(widths[index], share)
        rest -= narrowed[index]
    return narrowed


def _padded(cell: str, width: int, *, right: bool) -> str:
    cell = printable(cell, width)
    space = " " * (width - cell_len(cell))
    return space + cell if right else cell + space
