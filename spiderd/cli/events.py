"""`spiderd events`: what has happened lately, and what happens now."""

from __future__ import annotations

import time
from typing import get_args

import click
import msgspec

from spiderd.cli.narration import note
from spiderd.cli.options import asks_daemon
from spiderd.client import Client
from spiderd.printable import printable
from spiderd.protocol import Event

WAIT = 20.0  # seconds of one long poll
LEVELS: tuple[str, ...] = get_args(msgspec.structs.fields(Event)[2].type)


@click.command()
@asks_daemon
@click.option("--follow", "-f", is_flag=True, help="Go on as things happen, until interrupted.")
@click.option("--level", type=click.Choice(LEVELS), default="info", show_default=True, help="Least level.")
@click.option(
    "--lines", "-n", type=click.IntRange(0), default=50, show_default=True, help="Events to begin with."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, an event on each line.")
def events(client: Client, level: str, lines: int, *, follow: bool, as_json: bool) -> None:
    """Show what has happened lately."""
    answer = client.events(since=0, level=level)
    for event in answer.rows[len(answer.rows) - min(lines, len(answer.rows)) :]:
        _print(event, as_json=as_json)
    while follow:
        answer = client.events(since=answer.last, wait=WAIT, level=level)
        if answer.gap:
            note("some events came too fast to be shown")
        for event in answer.rows:
            _print(event, as_json=as_json)


def _print(event: Event, *, as_json: bool) -> None:
    if as_json:
        click.echo(msgspec.json.encode(event))
        return
    at = time.strftime("%H:%M:%S", time.localtime(event.at))
    url = f"  {printable(event.url)}" if event.url and event.url not in event.message else ""
    click.echo(f"{at} {event.level:<7} {printable(event.name)}  {printable(event.message)}{url}")
