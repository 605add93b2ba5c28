"""`spiderd web`: the search page for browsers, beside a daemon or without one."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spiderd.cli.indexing import catch_up
from spiderd.cli.narration import note
from spiderd.cli.options import config_option, data_dir_option, socket_option
from spiderd.client import Client, NotRunning
from spiderd.config.loading import load
from spiderd.errors import StorageError
from spiderd.locate import locate_socket
from spiderd.paths import data_dir as find_data_dir

if TYPE_CHECKING:
    from socket import socket as Socket  # noqa: N812 - a class

    from spiderd.cli.reaching import Reaching
    from spiderd.config.declaration import Web


@click.command("web")
@click.option("--port", metavar="N", type=click.IntRange(1, 65535), help="Instead of web.port.")
@click.option(
    "--bind", metavar="ADDRESS", help="Instead of web.bind; what others can reach needs a password."
)
@data_dir_option
@socket_option
@config_option
def web(
    *, port: int | None, bind: str | None, data_dir: Path | None, socket: Path | None, config: Path | None
) -> None:
    """Open a search page for browsers; the daemon may run or not.

    It shows what the daemon has crawled so far and how far it is; without a daemon, what was crawled. With
    web.enabled in the configuration the daemon opens it by itself. Ctrl-C closes it.
    """
    flags: dict[str, object] = {}
    if port is not None:
        flags["web.port"] = port
    if bind is not None:
        flags["web.bind"] = bind
    rules = load(config, flags).config.web
    directory = find_data_dir(data_dir).path
    path = locate_socket(socket=socket, data_dir=data_dir, config=config)
    from spiderd.cli.reaching import Reaching
    from spiderd.web.serving import address_of, listening

    with listening(rules) as sock:
        _prepare(path, directory, config)
        note(f"the search page is at {address_of(rules.bind, rules.port)}; Ctrl-C closes it")
        _serve(Reaching(path, directory), rules, sock)


def _prepare(socket: Path, directory: Path, config: Path | None) -> None:
    """Put into the index what a daemon that has ended has left."""
    try:
        with Client(socket) as client:
            client.hello()
    except NotRunning:
        try:
            catch_up(directory, config)
        except StorageError as error:
            note(f"nothing can be searched yet: {error}")


def _serve(backend: Reaching, rules: Web, sock: Socket) -> None:
    import trio

    from spiderd.web.serving import serve_pages

    async def run() -> None:
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(backend.run)
                await nursery.start(serve_pages, backend, rules, sock)
                async for _ in signals:
                    break
                nursery.cancel_scope.cancel()

    trio.run(run)
