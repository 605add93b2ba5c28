"""What a command says beside its answer: sentences on standard error."""

from __future__ import annotations

import click

from spiderd.printable import printable


def note(message: str) -> None:
    """Tell standard error something, each line of the message on a line of its own."""
    for line in message.splitlines():
        click.echo(f"spiderd: {printable(line)}", err=True)
