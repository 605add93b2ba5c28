"""The server: takes clients on a listening socket, so many and no more, and lets them go when it ends.

It is that of the local API; any other ASGI application may be served within the same bounds (`serve_app`).

At the end clients have `GRACE` seconds: waits are interrupted, event streams say goodbye, answers that are on
their way arrive; then every connection is cut.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable

import trio
from starlette.types import ASGIApp

from spiderd.api.client import ClientStream
from spiderd.api.connection import Connection
from spiderd.api.crawl import Crawl
from spiderd.api.interrupts import Closing
from spiderd.api.peer import Rights, peer_uid, rights_of
from spiderd.api.replies import ApiError
from spiderd.api.routes import build_app

MAX_CLIENTS = 32
MAX_TURNED_AWAY = 32  # that are told why at the same time; more are closed without a word
GRACE = 1.0  # seconds

log = logging.getLogger(__name__)


async def serve(
    crawl: Crawl, sock: socket.socket, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
) -> None:
    """Answer for `crawl` on a listening unix socket until cancelled; the socket stays the caller's."""
    closing = Closing()

    def rights(client: ClientStream) -> Rights:
        return rights_of(peer_uid(client.socket))

    await serve_app(build_app(crawl, closing), sock, closing, rights, task_status=task_status)


async def serve_app(
    app: ASGIApp,
    sock: socket.socket,
    closing: Closing,
    rights: Callable[[ClientStream], Rights],
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve an ASGI application on a listening socket until cancelled.

    Args:
        app: the application.
        sock: listens, and stays the caller's.
        closing: begins when this ends; whatever the application waits for is to be interruptible by it.
        rights: what a client may do.
        task_status: told when clients are taken.
    """
    server = _Server(app, closing, rights)
    listener = trio.SocketListener(trio.socket.from_stdlib_socket(sock.dup()))
    async with trio.open_nursery() as nursery:
        clients = await nursery.start(server.keep_clients)
        task_status.started()
        try:
            await trio.serve_listeners(server.handle, [listener], handler_nursery=clients)
        finally:
            closing.begin()


class _Server:
    """The clients, and what they share."""

    def __init__(self, app: ASGIApp, closing: Closing, rights: Callable[[ClientStream], Rights]) -> None:
        self._app = app
        self._closing = closing
        self._rights = rights
        self._streams: set[ClientStream] = set()
        self._turned_away = 0
        self._empty = trio.Event()

    async def keep_clients(self, task_status: trio.TaskStatus[trio.Nursery]) -> None:
        """Hold the nursery of the clients; when the server is closing, give them time, then cut them off."""
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as clients:
                task_status.started(clients)
                await self._closing.wait()
                with trio.move_on_after(GRACE):
                    if self._streams:
                        await self._empty.wait()
                clients.cancel_scope.cancel()

    async def handle(self, stream: trio.SocketStream) -> None:
        """Serve one client; trio closes its stream afterwards."""
        client = ClientStream(stream)
        try:
            connection = Connection(client, self._app, self._rights(client), self._closing)
            if len(self._streams) < MAX_CLIENTS:
                await self._converse(client, connection)
            elif self._turned_away < MAX_TURNED_AWAY:
                await self._turn_away(connection)
        except Exception:
            log.exception("a connection of the API failed")

    async def _converse(self, client: ClientStream, connection: Connection) -> None:
        self._streams.add(client)
        try:
            await connection.run()
        finally:
            self._streams.discard(client)
            if self._closing.begun and not self._streams:
                self._empty.set()

    async def _turn_away(self, connection: Connection) -> None:
        self._turned_away += 1
        try:
            text = f"there are {MAX_CLIENTS} connections already; close one"
            await connection.refuse(ApiError(503, "too_many_connections", text))
        finally:
            self._turned_away -= 1
