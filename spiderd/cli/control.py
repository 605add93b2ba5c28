"""`spiderd add | retry | pause | resume | stop | reload`: what changes the crawl."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import IO

import click

from spiderd.cli.narration import note
from spiderd.cli.options import asks_daemon, json_option
from spiderd.cli.output import print_json
from spiderd.cli.process import Process
from spiderd.client import Client
from spiderd.config.secrets import masked
from spiderd.errors import Unavailable
from spiderd.printable import printable
from spiderd.protocol import Added, StateReply
from spiderd.units import counted, human_count

BATCH = 256 * 1024  # bytes of URLs in one request; the daemon takes 1 MiB
REFUSED = 1  # exit code where no URL was taken


@click.command()
@asks_daemon
@click.argument("urls", nargs=-1, metavar="[URL]...")
@click.option(
    "--file",
    "seeds",
    type=click.File(encoding="utf-8", errors="replace"),
    metavar="SEEDS",
    help='A URL on each line, blank lines and # comments between them; "-" reads standard input.',
)
@json_option
def add(client: Client, urls: tuple[str, ...], seeds: IO[str] | None, *, as_json: bool) -> int:
    """Add URLs to the crawl.

    Says which are new, known already, or refused and why. Exit status 1 if every one was refused.
    """
    if not urls and seeds is None:
        raise click.UsageError("add wants a URL, or --file")
    total = Added(new=0, known=0, refused=0, results=[])
    for batch in _batches([*map(_text, urls), *_lines(seeds)]):
        added = client.add(batch)
        total.new += added.new
        total.known += added.known
        total.refused += added.refused
        if as_json:
            total.results += added.results
        for result in () if as_json else added.results:
            if result.result == "refused":
                note(f"{printable(masked(result.url), 200)} is refused: {result.reason}")
    if as_json:
        print_json(total)
    else:
        counts = (f"{human_count(getattr(total, result))} {result}" for result in ("new", "known", "refused"))
        click.echo(", ".join(counts))
    return REFUSED if total.refused and not total.new and not total.known else 0


@click.command()
@asks_daemon
@json_option
def retry(client: Client, *, as_json: bool) -> None:
    """Put failed URLs whose failure may pass back into the queue."""
    answer = client.retry()
    if as_json:
        print_json(answer)
    else:
        click.echo(f"{counted(answer.urls, 'URL')} put back")


@click.command()
@asks_daemon
@json_option
def pause(client: Client, *, as_json: bool) -> None:
    """Let nothing more be fetched until resume.

    What is in flight still finishes. The pause outlasts a restart of the daemon.
    """
    _tell(client.pause(), as_json=as_json)


@click.command()
@asks_daemon
@json_option
def resume(client: Client, *, as_json: bool) -> None:
    """Go on after pause."""
    _tell(client.resume(), as_json=as_json)


@click.command()
@asks_daemon
@click.option(
    "--timeout", default=60.0, show_default=True, help="Seconds to wait for the end; 0 = do not wait."
)
@json_option
def stop(client: Client, timeout: float, *, as_json: bool) -> None:
    """Stop the daemon; the next start goes on from there.

    Waits until everything is committed and the process has ended.
    """
    pid = client.hello().pid
    with Process(pid) as daemon:
        _tell(client.stop(), as_json=as_json)
        if timeout and not daemon.wait(timeout):
            raise Unavailable(
                f"the daemon (pid {pid}) is still busy after {timeout:g} s; it goes on stopping"
            )


@click.command()
@asks_daemon
@json_option
def reload(client: Client, *, as_json: bool) -> None:
    """Have the daemon read its configuration again.

    A configuration that is wrong is refused, and the daemon goes on with the one it has.
    """
    _tell(client.reload(), as_json=as_json)


def _tell(answer: StateReply, *, as_json: bool) -> None:
    if as_json:
        print_json(answer)
    else:
        click.echo(f"{answer.state} ({answer.reason})" if answer.reason else answer.state)


def _lines(seeds: Iterable[str] | None) -> Iterator[str]:
    for line in seeds or ():
        url = line.strip().lstrip("\ufeff")
        if url and not url.startswith("#"):
            yield url


def _batches(urls: Iterable[str]) -> Iterator[list[str]]:
    """Cut URLs into requests that the daemon takes."""
    batch: list[str] = []
    size = 0
    for url in urls:
        length = len(url.encode(errors="replace")) + 3
        if batch and size + length > BATCH:
            yield batch
            batch, size = [], 0
        batch.append(url)
        size += length
    if batch:
        yield batch


def _text(argument: str) -> str:
    """Make an argument that is no UTF-8 a text that JSON can hold."""
    with suppress(UnicodeEncodeError):
        argument.encode()
        return argument
    return argument.encode(errors="surrogateescape").decode(errors="replace")
