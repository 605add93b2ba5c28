"""`spiderd why URL`: which rule decides, and what is known of it."""

from __future__ import annotations

import time

import click

from spiderd.cli.options import asks_daemon, json_option
from spiderd.cli.output import print_facts, print_json
from spiderd.client import Client
from spiderd.protocol import Why
from spiderd.units import human_duration


@click.command()
@asks_daemon
@click.argument("url")
@json_option
def why(client: Client, url: str, *, as_json: bool) -> None:
    """Explain what happens to a URL, and by which rule."""
    answer = client.why(url)
    if as_json:
        print_json(answer)
    else:
        print_facts(facts(answer, time.time()))


def facts(answer: Why, now: float) -> list[tuple[str, str]]:
    """Say what is known of the URL."""
    wait = answer.next_allowed - now
    return [
        ("URL", answer.url),
        ("may be fetched", "yes" if answer.allowed else "no"),
        ("scope", answer.scope),
        ("robots.txt", answer.robots or "no line decides"),
        ("queue", answer.queue or "never seen"),
        ("tries", str(answer.tries) + (f", the last failed: {answer.failure}" if answer.failure else "")),
        ("host", f"{answer.host}, {answer.host_state or 'not known'}"),
        ("host may be asked", f"in {human_duration(wait)}" if wait > 0 else "now"),
        ("seen key", answer.key),
    ]
