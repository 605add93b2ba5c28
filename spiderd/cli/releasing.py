"""`spiderd retry | release`: lets go on what does not go on by itself."""

from __future__ import annotations

import click

from spiderd.cli.narration import note
from spiderd.cli.options import asks_daemon, json_option
from spiderd.cli.output import print_json
from spiderd.client import Client
from spiderd.config.secrets import masked
from spiderd.printable import printable
from spiderd.units import counted

NONE_THERE = 1  # exit code where no URL that was named is in the error queue


@click.command()
@asks_daemon
@click.argument("urls", nargs=-1, metavar="[URL]...")
@click.option("--all", "everything", is_flag=True, help="Those whose failure will not pass, too.")
@json_option
def retry(client: Client, urls: tuple[str, ...], *, everything: bool, as_json: bool) -> int:
    """Put failed URLs back into the queue.

    Without an argument those whose failure may pass (time-outs, server errors, unreachable hosts). Hosts that
    were unreachable are asked again at once. Exit status 1 if none of the URLs named has failed.
    """
    if urls and everything:
        raise click.UsageError("retry wants URLs or --all, not both")
    answer = client.retry(urls=urls, everything=everything)
    if as_json:
        print_json(answer)
    else:
        for url in answer.missing:
            note(f"{printable(masked(url), 200)} is not among the failed URLs (see spiderd why)")
        click.echo(f"{counted(answer.urls, 'URL')} put back")
    return NONE_THERE if urls and not answer.urls else 0


@click.command()
@asks_daemon
@click.argument("what", metavar="SHAPE|HOST")
@json_option
def release(client: Client, what: str, *, as_json: bool) -> None:
    """Let a parked shape go on, or a host that is held back.

    SHAPE is one that `spiderd traps` lists: what waits of it may be fetched again, for another
    traps.shape_window pages. HOST (or a URL of it) is asked again at once, whatever it has asked for.
    """
    answer = client.release(what)
    if as_json:
        print_json(answer)
    elif answer.kind == "shape":
        click.echo(f"{printable(answer.name)} goes on: {counted(answer.urls, 'URL')}")
    else:
        held = f"was {answer.held}" if answer.held else "was not held back"
        click.echo(f"{printable(answer.name)} {held}; {counted(answer.urls, 'URL')} waiting")
