"""`spiderd workers | hosts | directories | errors | traps`: the daemon's lists, as many rows as wanted."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from spiderd.cli.narration import note
from spiderd.cli.options import asks_daemon, json_option
from spiderd.cli.output import print_json
from spiderd.cli.tables import Column, print_table
from spiderd.client import Client, Query
from spiderd.protocol import (
    Directories,
    DirectoryRow,
    ErrorRow,
    Errors,
    HostRow,
    Hosts,
    TrapRow,
    Traps,
    WorkerRow,
    Workers,
)
from spiderd.units import counted, human_count, human_duration, human_size

PIECE = 500  # rows that the daemon answers at most at a time

WORKERS: list[Column[WorkerRow]] = [
    Column("worker", lambda row: str(row.worker), right=True),
    Column("step", lambda row: row.step),
    Column("for", lambda row: human_duration(time.time() - row.since), right=True),
    Column("pages", lambda row: human_count(row.pages), right=True),
    Column("errors", lambda row: human_count(row.errors), right=True),
    Column("directory", lambda row: str(row.directory or ""), right=True),
    Column("URL", lambda row: row.url, wide=True),
]
HOSTS: list[Column[HostRow]] = [
    Column("host", lambda row: row.name or row.host, wide=True),
    Column("state", lambda row: row.state),
    Column("waiting", lambda row: human_count(row.waiting), right=True),
    Column("processing", lambda row: human_count(row.processing), right=True),
    Column("complete", lambda row: human_count(row.complete), right=True),
    Column("error", lambda row: human_count(row.error), right=True),
    Column("next in", lambda row: _until(row.next_allowed), right=True, optional=True),
    Column("reason", lambda row: row.reason, wide=True, optional=True),
    Column("delay", lambda row: human_duration(row.delay), right=True, optional=True),
    Column("robots", lambda row: row.robots, optional=True),
    Column("status", lambda row: str(row.last_status or ""), right=True, optional=True),
]
TRAPS: list[Column[TrapRow]] = [
    Column("shape", lambda row: row.shape, wide=True),
    Column("pages", lambda row: human_count(row.pages), right=True),
    Column("waiting", lambda row: human_count(row.waiting), right=True),
    Column("example", lambda row: row.example, wide=True, optional=True),
]
DIRECTORIES: list[Column[DirectoryRow]] = [
    Column("directory", lambda row: str(row.directory), right=True),
    Column("worker", lambda row: str(row.worker), right=True),
    Column("resources", lambda row: human_count(row.count), right=True),
    Column("full", lambda row: f"{100 * row.count // max(1, row.max_count)}%", right=True),
    Column("size", lambda row: human_size(row.bytes), right=True),
    Column("state", lambda row: "open" if row.open else "done"),
    Column("path", lambda row: row.path, wide=True),
]
ERRORS: list[Column[ErrorRow]] = [
    Column("time", lambda row: time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(row.at))),
    Column("failure", lambda row: row.failure),
    Column("status", lambda row: str(row.status or ""), right=True),
    Column("tries", lambda row: str(row.tries), right=True),
    Column("URL", lambda row: row.url, wide=True),
    Column("detail", lambda row: row.detail, wide=True, optional=True),
    Column("found on", lambda row: row.referrer, wide=True, optional=True),
]

Listing = TypeVar("Listing", Workers, Directories, Hosts, Errors, Traps)
Ask = Callable[[Query], Listing]


def list_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that all lists have."""
    for option in (
        json_option,
        click.option(
            "--filter", metavar="TEXT", default="", help="Only rows with this in URL, host or path."
        ),
        click.option("--desc", is_flag=True, help="Largest first."),
        click.option("--sort", metavar="FIELD", default="", help="Order by a field, as --json names it."),
        click.option(
            "--offset", type=click.IntRange(0), default=0, help="Rows to leave out at the beginning."
        ),
        click.option("--limit", type=click.IntRange(0), default=100, show_default=True, help="0 = all rows."),
    ):
        command = option(command)
    return command


@click.command()
@asks_daemon
@list_options
def workers(client: Client, **asked: Any) -> None:
    """List the workers and what each is doing."""
    _list(client.workers, WORKERS, **asked)


@click.command()
@asks_daemon
@list_options
def hosts(client: Client, **asked: Any) -> None:
    """List the hosts with their queues.

    "next in" says when a host that is delayed, backing off, parked or unreachable is asked again by itself;
    `spiderd release HOST` asks it at once.
    """
    _list(client.hosts, HOSTS, **asked)


@click.command()
@asks_daemon
@list_options
def directories(client: Client, **asked: Any) -> None:
    """List the download directories and how full they are."""
    _list(client.directories, DIRECTORIES, **asked)


@click.command()
@asks_daemon
@list_options
def errors(client: Client, **asked: Any) -> None:
    """List the URLs that have failed for good.

    `spiderd retry` puts those whose failure may pass back into the queue.
    """
    _list(client.errors, ERRORS, **asked)


@click.command()
@asks_daemon
@list_options
def traps(client: Client, **asked: Any) -> None:
    """List the shapes of URLs that are parked as traps.

    The last pages of such a shape brought nothing new, so what waits of it is not fetched until
    `spiderd release SHAPE`.
    """
    listing = _list(client.traps, TRAPS, **asked)
    if listing.outside and not asked["as_json"]:
        note(f"{counted(listing.outside, 'URL')} set aside because the scope holds them no longer")


def _list(
    ask: Ask[Listing], columns: Sequence[Column[Any]], *, as_json: bool, limit: int, **query: Any
) -> Listing:
    listing = _fetch(ask, limit=limit, **query)
    if as_json:
        print_json(listing)
        return listing
    print_table(columns, listing.rows)
    if len(listing.rows) < listing.total:
        note(f"{human_count(len(listing.rows))} of {human_count(listing.total)} rows (see --limit, --offset)")
    return listing


def _fetch(ask: Ask[Listing], *, limit: int, offset: int, sort: str, desc: bool, filter: str) -> Listing:  # noqa: A002 - the option's name
    """Ask piece by piece until there are as many rows as wanted, or no more."""
    query = {"sort": sort, "desc": "true" if desc else "false", "filter": filter}

    def piece(start: int) -> Listing:
        rows = min(limit - start, PIECE) if limit else PIECE
        return ask({**query, "limit": rows, "offset": offset + start})

    listing = piece(0)
    rows: list[Any] = listing.rows
    while offset + len(rows) < listing.total and (not limit or len(rows) < limit):
        more = piece(len(rows)).rows
        if not more:  # the list has become shorter meanwhile
            break
        rows.extend(more)
    listing.limit = limit
    return listing


def _until(at: float) -> str:
    wait = at - time.time()
    return human_duration(wait) if wait > 0 else "now"
