"""The server: accepts clients on a unix socket and lets hypercorn speak HTTP with each of them.

Hypercorn's own `serve` hides the connection from the application, waits for slow clients for ever and takes
any number of them. So the accept loop is ours, and each connection is given to hypercorn's connection handler
(`hypercorn.trio.tcp_server.TCPServer`) with what we know of it: a stream whose sends have a deadline, and an
application that has the client's rights.

At the end clients have `GRACE` seconds: waits are interrupted, event streams say goodbye, answers that are on
their way arrive; then every connection is cut.
"""

from __future__ import annotations

import logging
import socket
from contextlib import suppress
from typing import cast

import trio
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.config import Config
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import ASGIFramework, ConnectionState

from spiderd.api.client import ClientStream
from spiderd.api.closing import Closing
from spiderd.api.crawl import Crawl
from spiderd.api.guard import Guard
from spiderd.api.peer import peer_uid, rights_of
from spiderd.api.replies import encode
from spiderd.api.routes import build_app
from spiderd.protocol import ErrorBody, ErrorReply

MAX_CLIENTS = 32
MAX_HEADERS = 16 * 1024  # bytes of request line and headers
IDLE_TIME = 15.0  # seconds for headers to come, and between two requests; above the 5 s that httpx keeps one
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
        self._context = WorkerContext(None)
        self._config = _hypercorn_config()
        self._streams: set[ClientStream] = set()
        self._empty = trio.Event()

    async def keep_clients(self, task_status: trio.TaskStatus[trio.Nursery]) -> None:
        """Hold the nursery of the clients; when the server is closing, give them time, then cut them off."""
        with trio.CancelScope(shield=True):
            async with trio.open_nursery() as clients:
                task_status.started(clients)
                await self.closing.wait()
                await self._context.terminated.set()
                with trio.move_on_after(GRACE):
                    if self._streams:
                        await self._empty.wait()
                for stream in self._streams:
                    stream.cut()
                clients.cancel_scope.cancel()

    async def handle(self, stream: trio.SocketStream) -> None:
        """Serve one client."""
        if len(self._streams) >= MAX_CLIENTS:
            await _turn_away(stream)
            return
        client = ClientStream(stream)
        self._streams.add(client)
        try:
            await self._speak(client)
        except Exception:
            log.exception("a connection of the API failed")
        finally:
            self._streams.discard(client)
            if self.closing.begun and not self._streams:
                self._empty.set()

    async def _speak(self, client: ClientStream) -> None:
        rights = rights_of(peer_uid(client.socket))
        app = ASGIWrapper(cast("ASGIFramework", Guard(self._app, rights, client.cut)))
        stream = cast("trio.SSLStream[trio.SocketStream]", client)  # it serves plain streams as well
        await TCPServer(app, self._config, self._context, ConnectionState({}), stream)


async def _turn_away(stream: trio.SocketStream) -> None:
    """Tell a client that there are too many; its socket is fresh, so that a short answer fits."""
    text = f"there are {MAX_CLIENTS} connections already; close one"
    body = encode(ErrorReply(error=ErrorBody(code="too_many_connections", message=text)))
    head = (
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
    )
    with trio.move_on_after(GRACE), suppress(trio.BrokenResourceError):
        await stream.send_all(head.encode() + body)


def _hypercorn_config() -> Config:
    config = Config()
    config.errorlog = None  # what goes wrong in the application is logged by the guard
    config.h11_max_incomplete_size = MAX_HEADERS
    config.include_server_header = False
    config.keep_alive_timeout = IDLE_TIME
    return config
