"""What commands print: JSON for programs, plain text for pipes, colours for a terminal.

What comes from the web passes `printable` here, once, and is never markup. Nothing is cut in a pipe.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING

import click
import msgspec

from spiderd.printable import printable

if TYPE_CHECKING:  # rich takes time to import and is needed on a terminal only
    from rich.console import Console, RenderableType

STATE_STYLES = {
    "running": "green",
    "complete": "bold green",
    "waiting": "green",
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


def is_terminal(stream: IO[str] | None) -> bool:
    """Whether somebody looks at it; a stream that was closed before we began is None."""
    return stream is not None and stream.isatty()


def print_json(message: msgspec.Struct) -> None:
    """Print a message of the protocol as JSON."""
    click.echo(msgspec.json.format(msgspec.json.encode(message), indent=2))  # bytes: always UTF-8


def print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Print what each name stands for, one a line."""
    pairs = [(name, printable(value)) for name, value in facts]
    if is_terminal(sys.stdout):
        print_rich(_rich_facts(pairs))
    else:
        width = max(len(name) for name, _ in pairs)
        click.echo("\n".join(f"{name:<{width}}  {value}".rstrip() for name, value in pairs))


def print_rich(renderable: RenderableType) -> None:
    """Print a renderable, as wide as the terminal; in a pipe as wide as it wants to be, without colours."""
    console().print(renderable)


def console() -> Console:
    """Make a console on standard output that takes nothing for markup."""
    from rich.console import Console

    class OurConsole(Console):
        def on_broken_pipe(self) -> None:
            """Leave it to the caller; rich would end the process."""
            raise BrokenPipeError

    return OurConsole(
        markup=False, highlight=False, emoji=False, width=None if is_terminal(sys.stdout) else 120
    )


def _rich_facts(pairs: list[tuple[str, str]]) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    for name, value in pairs:
        word = value.split(" ", 1)[0].rstrip(",:")
        table.add_row(
            Text(name, style="bold"), Text(value, style=STATE_STYLES.get(word, ""), overflow="fold")
        )
    return table
