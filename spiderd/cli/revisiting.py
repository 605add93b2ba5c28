"""`spiderd revisit`: has pages visited again before their time."""

from __future__ import annotations

import click

from spiderd.cli.narration import note
from spiderd.cli.options import asks_daemon, json_option
from spiderd.cli.output import print_json
from spiderd.client import Client
from spiderd.config.secrets import masked
from spiderd.printable import printable
from spiderd.units import counted

NONE_THERE = 1  # exit code where there is no such page


@click.command()
@asks_daemon
@click.argument("what", metavar="URL|PATTERN")
@json_option
def revisit(client: Client, what: str, *, as_json: bool) -> int:
    """Visit pages again as soon as their hosts may be asked.

    URL is a page that was fetched; PATTERN a regular expression on whole URLs, as in scope.include: "." is
    every page. This works with revisit.enabled = false, too. Exit status 1 if there is no such page.
    """
    answer = client.revisit(what)
    if as_json:
        print_json(answer)
    elif answer.pages:
        click.echo(f"{counted(answer.pages, 'page')} to be visited again")
    else:
        note(f"no page that was fetched is or matches {printable(masked(what, malformed=True), 200)}")
    return 0 if answer.pages else NONE_THERE
