"""`spiderd reindex` and `spiderd rank`; and the index brought up to date where no daemon does it."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spiderd.cli.narration import note
from spiderd.cli.options import config_option, data_dir_option, socket_option
from spiderd.cli.progress import Tell, progress_bar
from spiderd.client import Client, NotRunning
from spiderd.config.declaration import Urls
from spiderd.config.loading import load
from spiderd.errors import AlreadyRunning, CannotCreate
from spiderd.locate import locate_socket
from spiderd.paths import data_dir as find_data_dir
from spiderd.protocol import IndexState
from spiderd.units import counted, human_count

if TYPE_CHECKING:  # tantivy and its like take a moment to import
    from spiderd.search.indexer import Bell

POLL = 0.2  # seconds
MOST_BEHIND = 50_000  # pages, a minute or two


@click.command("reindex")
@config_option
@data_dir_option
@socket_option
def reindex(*, config: Path | None, data_dir: Path | None, socket: Path | None) -> None:
    """Build the search index anew from store and archive, whether the daemon runs or not.

    The old one answers until the new one is there.
    """
    try:
        with Client(locate_socket(socket=socket, data_dir=data_dir, config=config)) as client:
            state = _watch(client)
    except NotRunning:
        if socket is not None:
            raise
        state = _index(find_data_dir(data_dir).path, load(config, {}).config.urls, rebuild=True)
    note(
        f"{counted(state.documents, 'page')} can be found, of {human_count(state.pages)} that were asked for"
    )


@click.command("rank")
@config_option
@data_dir_option
def rank(*, config: Path | None, data_dir: Path | None) -> None:
    """Rank all pages by the links between them, now.

    The indexer does so whenever it has time. The daemon may run or not.
    """
    from spiderd.search.linkage import update
    from spiderd.search.places import Places
    from spiderd.store.reader import StoreReader
    from spiderd.urls import key_hash, seen_key

    directory, urls = find_data_dir(data_dir).path, load(config, {}).config.urls
    with StoreReader(directory / "store") as reader, progress_bar() as tell:
        pages = reader.state().next_page - 1
        links = update(Places(directory), reader, lambda url: key_hash(seen_key(url, urls)), tell)
    note(f"{counted(pages, 'page')} ranked by {counted(links, 'link')}")


def catch_up(directory: Path, config: Path | None) -> IndexState:
    """Put into the index what a daemon that has ended has left; not if nobody would wait for so much."""
    from spiderd.search.lag import lag

    state = lag(directory)
    behind = state.pages - state.indexed
    if not behind:
        return state
    if state.indexed and behind > MOST_BEHIND:
        note(f"the index is {counted(behind, 'page')} behind: a daemon or spiderd reindex puts them in")
        return state
    note(f"indexing {counted(behind, 'page')} first; an interrupt searches what is there")
    try:
        return _index(directory, load(config, {}).config.urls, rebuild=False)
    except (AlreadyRunning, CannotCreate):  # another process is at it, or it is somebody else's data
        return state


def _index(directory: Path, urls: Urls, *, rebuild: bool) -> IndexState:
    """Index until everything is in, or until somebody interrupts it."""
    from spiderd.search.exchange import Task
    from spiderd.search.indexer import Bell, Indexer

    bell, task = Bell(), Task(str(directory), urls, rebuild, follow=False)
    latest = IndexState(state="starting", indexed=0, pages=0)
    with progress_bar() as tell, _ends(bell):

        def told(state: IndexState) -> None:
            nonlocal latest
            latest = state
            _show(tell, state)

        Indexer(task, bell, told).run()
    return latest


@contextmanager
def _ends(bell: Bell) -> Iterator[None]:
    """Let an interrupt end the indexer in order."""
    before = signal.signal(signal.SIGINT, lambda *_: bell.end())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _watch(client: Client) -> IndexState:
    """Have the daemon build the index anew, and look on."""
    state = client.reindex()
    began = False
    with progress_bar() as tell:
        while True:
            time.sleep(POLL)
            state = client.status().index or state
            began = began or state.state == "rebuilding"
            _show(tell, state)
            if began and state.state != "rebuilding":
                return state


def _show(tell: Tell, state: IndexState) -> None:
    tell(state.state, state.indexed, state.pages)
