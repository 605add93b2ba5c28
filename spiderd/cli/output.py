"""What commands print: JSON for programs, plain aligned text for pipes, rich tables for a terminal.

What comes from the web passes `printable` here, once, and is never markup. Nothing is cut in a pipe.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Generic, TypeVar

import click
import msgspec

from spiderd.printable import printable

if TYPE_CHECKING:  # rich takes time to import and is needed on a terminal only
    from rich.console import Console, RenderableType

Row = TypeVar("Row")

STATE_STYLES = {
    "running": "green",
    "complete": "bold green",
    "paused": "yellow",
    "pausing": "yellow",
    "stopping": "yellow",
    "stored": "green",
    "warning": "yellow",
    "error": "red",
    "failed": "red",
    "unreachable": "red",
    "parked": "yellow",
    "backoff": "yellow",
}
"""Words that have a colour of their own; the word itself says everything."""


@dataclass(frozen=True, slots=True)
class Column(Generic[Row]):
    """One column of a table."""

    title: str
    cell: Callable[[Row], str]
    right: bool = False  # numbers
    wide: bool = False  # takes what room is left, and is cut where there is too little


def is_terminal(stream: IO[str] | None = None) -> bool:
    """Whether somebody looks at it."""
    return (stream or sys.stdout).isatty()


def print_json(message: msgspec.Struct) -> None:
    """Print a message of the protocol as JSON."""
    click.echo(msgspec.json.format(msgspec.json.encode(message), indent=2))


def print_table(columns: Sequence[Column[Row]], rows: Iterable[Row]) -> None:
    """Print a table with a heading."""
    cells = [[printable(column.cell(row)) for column in columns] for row in rows]
    if is_terminal():
        _console().print(_rich_table(columns, cells))
    else:
        click.echo(_plain_table(columns, cells))


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Print what each name stands for, one a line."""
    pairs = [(name, printable(value)) for name, value in facts]
    if is_terminal():
        print_rich(_rich_facts(pairs))
    else:
        width = max(len(name) for name, _ in pairs)
        click.echo("\n".join(f"{name:<{width}}  {value}".rstrip() for name, value in pairs))


def print_rich(renderable: RenderableType) -> None:
    """Print a renderable, as wide as the terminal; in a pipe as wide as it wants to be, without colours."""
    _console().print(renderable)


def _console() -> Console:
    from rich.console import Console  # noqa: PLC0415 - see TYPE_CHECKING

    class OurConsole(Console):
        def on_broken_pipe(self) -> None:
            """Leave it to the caller; rich would end the process."""
            raise BrokenPipeError

    return OurConsole(markup=False, highlight=False, emoji=False, width=None if is_terminal() else 120)


def _plain_table(columns: Sequence[Column[Row]], rows: list[list[str]]) -> str:
    from rich.cells import cell_len  # noqa: PLC0415 - see TYPE_CHECKING

    lines = [[column.title for column in columns], *rows]
    widths = [max(cell_len(line[index]) for line in lines) for index in range(len(columns))]

    def aligned(line: list[str]) -> str:
        cells = []
        for column, cell, width in zip(columns, line, widths, strict=True):
            space = " " * (width - cell_len(cell))
            cells.append(space + cell if column.right else cell + space)
        return "  ".join(cells).rstrip()

    return "\n".join(map(aligned, lines))


def _rich_table(columns: Sequence[Column[Row]], rows: list[list[str]]) -> RenderableType:
    from rich.box import SIMPLE_HEAD  # noqa: PLC0415 - see TYPE_CHECKING
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(
            Text(column.title),
            justify="right" if column.right else "left",
            no_wrap=True,
            overflow="ellipsis",
            ratio=1 if column.wide else None,
        )
    for row in rows:
        table.add_row(*(Text(cell, style=STATE_STYLES.get(cell, "")) for cell in row))
    return table


def _rich_facts(pairs: list[tuple[str, str]]) -> RenderableType:
    from rich.table import Table  # noqa: PLC0415 - see TYPE_CHECKING
    from rich.text import Text  # noqa: PLC0415

    table = Table.grid(padding=(0, 2))
    for name, value in pairs:
        word = value.split(" ", 1)[0].rstrip(",:")
        table.add_row(
            Text(name, style="bold"), Text(value, style=STATE_STYLES.get(word, ""), overflow="fold")
        )
    return table
