"""The server: takes clients on a unix socket, so many and no more, and lets them go when it ends.

At the end clients have `GRACE` seconds: waits are interrupted, event streams say goodbye, answers that are on
their way arrive; then every connection is cut.
"""

from __future__ import annotations

import logging
import socket

import trio

from spiderd.api.client import ClientStream
from spiderd.api.connection import Connection
from spiderd.api.crawl import Crawl
from spiderd.api.interrupts import Closing
from spiderd.api.peer import peer_uid, rights_of
from spiderd.api.replies import ApiError
from spiderd.api.routes import build_app

MAX_CLIENTS = 32
MAX_TURNED_AWAY = 32  # that are told why at the same time; more are closed without a word
GRACE = 1.0  # seconds

log = logging.getLogger(__name__)


async def serve(
    crawl: Crawl, sock: socket.socket, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
) -> None:
    """Answer for `crawl` on a listening socket until cancelled; the socket stays the caller's."""
    server = _Server(crawl)
    listener = trio.SocketListener(trio.socket.from_stdlib_socket(sock.dup()))
    async with trio.open_nursery() as nursery:
        clients = await nursery.start(server.keep_clients)
        task_status.started()
        try:
            await trio.serve_listeners(server.handle, [listener], handler_nursery=clients)
        finally:
            server.closing.begin()


class _Server:
    """The clients, and what they share."""

    def __init__(self, crawl: Crawl) -> None:
        self.closing = Closing()
        self._app = build_app(crawl, self.closing)
        self._streams: set[ClientStream] = set()
        self._turned_away = 0
        self._empty = trio.Event()

    async def keep_clients(self, task_status: trio.TaskStatus[trio.Nursery]) -> None:
        """Hold the nursery of the clients; when the server is closing, give them time, then cut them off."""
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as clients:
                task_status.started(clients)
                await self.closing.wait()
                with trio.move_on_after(GRACE):
                    if self._streams:
                        await self._empty.wait()
                clients.cancel_scope.cancel()

    async def handle(self, stream: trio.SocketStream) -> None:
        """Serve one client; trio closes its stream afterwards."""
        client = ClientStream(stream)
        try:
            connection = Connection(client, self._app, rights_of(peer_uid(client.socket)), self.closing)
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
            if self.closing.begun and not self._streams:
                self._empty.set()

    async def _turn_away(self, connection: Connection) -> None:
        self._turned_away += 1
        try:
            text = f"there are {MAX_CLIENTS} connections already; close one"
            await connection.refuse(ApiError(503, "too_many_connections", text))
        finally:
            self._turned_away -= 1
