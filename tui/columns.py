"""Which columns of a table fit, and how wide they are: pure arithmetic, no drawing.

Each column says how much room it needs and in which order it gives way. As the window narrows, columns are
dropped one by one (`drop` = 1 goes first), until the rest fits; what is left over goes to the columns that
can use it (`grow`). A column with `drop` = 0 stays, cut to what there is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from tui.text import Keep

Row = TypeVar("Row")

GAP = 2  # cells between two columns


@dataclass(frozen=True, slots=True)
class Cell:
    """Text and what it means; the role picks the colour, never carries meaning alone."""

    text: str
    role: str = ""


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """One column of a table of rows of one kind."""

    name: str  # of the field that the daemon sorts by
    title: str
    width: int  # least cells that make sense
    cell: Callable[[Row, float], Cell | str]  # row and the daemon's time, to what is shown
    drop: int = 0
    grow: int = 0  # share of the spare room
    right: bool = False
    keep: Keep = "start"  # which end of a long text is worth more
    most: int = 0  # widest that it may grow; 0 = any
    sortable: bool = True


def layout(columns: Sequence[Column[Row]], width: int) -> list[tuple[Column[Row], int]]:
    """Choose the columns that fit in `width` cells and give each its width."""
    kept = list(columns)
    while _needed(kept) > width and any(column.drop for column in kept):
        kept.remove(min((column for column in kept if column.drop), key=lambda column: column.drop))
    widths = [column.width for column in kept]
    spare = width - _needed(kept)
    if spare < 0:
        return _squeeze(kept, width)
    _share_out(kept, widths, spare)
    return list(zip(kept, widths, strict=True))


def _needed(columns: Sequence[Column[Row]]) -> int:
    return sum(column.width for column in columns) + GAP * max(0, len(columns) - 1)


def _share_out(columns: Sequence[Column[Row]], widths: list[int], spare: int) -> None:
    """Give the spare cells to the columns that grow, in proportion, none beyond its most."""
    growing = {index: column for index, column in enumerate(columns) if column.grow}
    while spare > 0 and growing:
        total = sum(column.grow for column in growing.values())
        given = 0
        for index, column in list(growing.items()):
            share = max(1, spare * column.grow // total)
            room = column.most - widths[index] if column.most else share
            share = min(share, room, spare - given)
            widths[index] += share
            given += share
            if column.most and widths[index] >= column.most:
                del growing[index]
        spare -= given
        if not given:
            break


def _squeeze(columns: Sequence[Column[Row]], width: int) -> list[tuple[Column[Row], int]]:
    """Fill what there is from the left, cutting the column that does not fit any more."""
    result: list[tuple[Column[Row], int]] = []
    for column in columns:
        if width <= 0:
            break
        result.append((column, min(column.width, width)))
        width -= column.width + GAP
    return result
