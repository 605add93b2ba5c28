"""`spiderd add`: URLs, or files of them that may be larger than memory, go to the daemon in pieces."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import IO

import click

from spiderd.cli.narration import note
from spiderd.cli.options import Decorator, asks_daemon, json_option
from spiderd.cli.output import print_json
from spiderd.cli.progress import progress_bar
from spiderd.client import Client
from spiderd.config.secrets import masked
from spiderd.printable import printable
from spiderd.protocol import Added
from spiderd.units import human_count

BATCH = 256 * 1024  # bytes of URLs in one request; the daemon takes 1 MiB
REFUSED = 1  # exit code where no URL was taken
SHOWN = 100  # refusals that are told one by one


def _list_file(name: str, variable: str, text: str) -> Decorator:
    """Make an option that takes a file of URLs."""
    kind = click.File(encoding="utf-8", errors="replace")
    return click.option(f"--{name}", variable, type=kind, metavar="FILE", help=text)


@click.command()
@asks_daemon
@click.argument("urls", nargs=-1, metavar="[URL]...")
@_list_file(
    "file", "seeds", 'A URL on each line, blank lines and # comments between them; "-" reads standard input.'
)
@_list_file("visited", "visited", "A file of the same kind with URLs that are never to be fetched.")
@json_option
def add(
    client: Client, urls: tuple[str, ...], seeds: IO[str] | None, visited: IO[str] | None, *, as_json: bool
) -> int:
    """Add URLs to the crawl, or name those that need not be fetched.

    Says which are new, known already, or refused and why. Those of --visited count as seen from now on, as if
    they had been fetched before; one that waits already still is. They are sent first, so that a crawl begun
    elsewhere can go on here. Exit status 1 if every URL was refused.
    """
    if not urls and seeds is None and visited is None:
        raise click.UsageError("add wants a URL, --file or --visited")
    total = Added(new=0, known=0, refused=0, results=[])
    if visited is not None:
        _send(client.visited, (), visited, total, keep=as_json)
    if urls or seeds is not None:
        _send(client.add, map(_text, urls), seeds, total, keep=as_json)
    if as_json:
        print_json(total)
    else:
        if total.refused > SHOWN:
            note(f"and {human_count(total.refused - SHOWN)} more are refused")
        counts = (f"{human_count(getattr(total, result))} {result}" for result in ("new", "known", "refused"))
        click.echo(", ".join(counts))
    return REFUSED if total.refused and not total.new and not total.known else 0


def _send(
    call: Callable[[list[str]], Added], urls: Iterable[str], file: IO[str] | None, total: Added, *, keep: bool
) -> None:
    """Send URLs and then those of a file, and add up what became of them."""
    size = _size(file)
    with progress_bar() as tell:
        for batch in _batches(chain(urls, _lines(file))):
            added = call(batch)
            total.new += added.new
            total.known += added.known
            if keep:
                total.results += added.results
            else:
                _tell_refused(added, total.refused)
            total.refused += added.refused
            if size:
                tell("adding", _position(file), size)


def _tell_refused(added: Added, told: int) -> None:
    refused = [row for row in added.results if row.result == "refused"]
    for row in refused[: max(0, SHOWN - told)]:
        note(f"{printable(masked(row.url), 200)} is refused: {row.reason}")


def _size(file: IO[str] | None) -> int:
    """Bytes of a file; 0 where that is not known, or there is none."""
    if file is None:
        return 0
    with suppress(OSError, ValueError):
        return os.fstat(file.fileno()).st_size
    return 0


def _position(file: IO[str] | None) -> int:
    """Bytes that have been read of a file."""
    with suppress(OSError, ValueError, AttributeError):
        return os.lseek(file.fileno(), 0, os.SEEK_CUR) if file is not None else 0
    return 0


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
