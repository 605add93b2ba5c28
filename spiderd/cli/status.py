"""`spiderd status`: is the daemon there, and how far is it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from spiderd.cli.narration import note
from spiderd.cli.options import config_option, data_dir_option, json_option, socket_option
from spiderd.cli.output import print_facts, print_json
from spiderd.client import Client, NotRunning
from spiderd.errors import SpiderdError
from spiderd.locate import locate_socket
from spiderd.protocol import Counters, IndexState, Revisits, Snapshot
from spiderd.states import Queue, Step
from spiderd.units import counted, human_count, human_duration, human_rate, human_size

RUNNING, NOT_RUNNING, UNKNOWN = 0, 3, 4
"""Exit codes of status (LSB core, init scripts)."""


@click.command()
@socket_option
@data_dir_option
@config_option
@json_option
def status(socket: Path | None, data_dir: Path | None, config: Path | None, *, as_json: bool) -> int:
    """Show whether the daemon runs and how far it is.

    Exit status: 0 it runs, 3 it does not, 4 nobody can say.
    """
    try:
        with Client(locate_socket(socket=socket, data_dir=data_dir, config=config)) as client:
            snapshot = client.status()
    except NotRunning as error:
        note(str(error))
        return NOT_RUNNING
    except SpiderdError as error:
        note(str(error))
        return UNKNOWN
    if as_json:
        print_json(snapshot)
    else:
        print_facts(facts(snapshot))
    return RUNNING


def facts(snapshot: Snapshot) -> list[tuple[str, str]]:
    """Say how the crawl is, in a few lines."""
    counters, hello = snapshot.counters, snapshot.hello
    rows = [
        ("state", _state(snapshot)),
        ("URLs", f"{human_count(counters.known)} known: {queues(counters)}"),
        ("pages", f"{human_count(counters.pages)} stored ({human_size(counters.bytes)}), {_rates(snapshot)}"),
        ("hosts", human_count(counters.hosts)),
        ("workers", _workers(snapshot)),
        ("order", snapshot.order),
        ("data", hello.data_dir),
        ("daemon", f"spiderd {hello.version}, pid {hello.pid}, crawl {hello.crawl}, since {_up(snapshot)}"),
    ]
    if snapshot.index is not None:
        rows.insert(3, ("index", _index(snapshot.index)))
    if snapshot.revisits is not None and (snapshot.revisits.on or counters.revisits):
        rows.insert(3, ("visits", _visits(snapshot.revisits, counters)))
    if snapshot.overrides:
        rows.append(
            ("set live", ", ".join(f"{change.key} = {change.value}" for change in snapshot.overrides))
        )
    if snapshot.max_pages:
        rows.insert(3, ("limit", counted(snapshot.max_pages, "page")))
    return rows


def _visits(again: Revisits, counters: Counters) -> str:
    """Say how pages are visited again."""
    told = f"{human_count(counters.revisits)} made, {human_count(counters.changes)} found a change"
    if counters.gone:
        told += f", {human_count(counters.gone)} that the page is gone"
    overdue = f" ({human_count(again.overdue)} overdue)" if again.overdue else ""
    due = f"{human_count(again.due)} due{overdue}"
    rates = ", ".join(f"{human_count(count)} {word}" for word, count in again.rates.items())
    return f"{told}; {due}; {'a change in: ' + rates if rates else 'no page has a next one'}"


def queues(counters: Counters) -> str:
    """Say how many URLs are in which queue."""
    return ", ".join(f"{human_count(getattr(counters, queue))} {queue}" for queue in Queue)


def _rates(snapshot: Snapshot) -> str:
    return f"{human_rate(snapshot.rates.pages)}, {human_size(snapshot.rates.bytes)}/s"


def _state(snapshot: Snapshot) -> str:
    reason = f" ({snapshot.reason})" if snapshot.reason else ""
    message = f": {snapshot.message}" if snapshot.message else ""
    return f"{snapshot.state}{reason} for {human_duration(snapshot.now - snapshot.since)}{message}"


def _index(index: IndexState) -> str:
    told = (
        f"{index.state}: indexed {human_count(index.indexed)} of {human_count(index.pages)}, "
        f"{human_count(index.documents)} can be found ({human_size(index.bytes)})"
    )
    return f"{told}; {index.message}" if index.message else told


def _workers(snapshot: Snapshot) -> str:
    steps = Counter(worker.step for worker in snapshot.workers)
    doing = ", ".join(f"{steps[step]} {step}" for step in Step if steps[step])
    return f"{snapshot.threads}" + (f": {doing}" if doing else "")


def _up(snapshot: Snapshot) -> str:
    return human_duration(snapshot.now - snapshot.hello.started)
