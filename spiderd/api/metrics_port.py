"""/metrics on a port of loopback, where one is configured (`api.metrics`).

It is for a Prometheus that cannot read unix sockets. It knows nothing else: no other path, no writes. A
page in a browser could be made to ask loopback under a name of its own (DNS rebinding), so the Host must be
one that means loopback.
"""

from __future__ import annotations

import ipaddress

import trio
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from spiderd.api.client import ClientStream
from spiderd.api.connection import Connection
from spiderd.api.crawl import Crawl
from spiderd.api.interrupts import Closing
from spiderd.api.metrics import metrics_reply
from spiderd.api.replies import status_reply
from spiderd.config.checks import loopback_port
from spiderd.errors import CannotCreate

MAX_SCRAPERS = 8


def metrics_app(crawl: Crawl) -> ASGIApp:
    """The application of the loopback port."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        if not is_loopback(request.headers.get("host", "")):
            answer = status_reply(403, "this port answers to names of loopback only")
        elif request.url.path != "/metrics":
            answer = status_reply(404, "there is nothing here but /metrics")
        elif request.method not in {"GET", "HEAD"}:
            answer = status_reply(405, f"{request.method} is not for this path", {"allow": "GET, HEAD"})
        else:
            answer = await metrics_reply(crawl)
        await answer(scope, receive, send)

    return app


async def serve_port(
    crawl: Crawl, place: str, *, task_status: trio.TaskStatus[list[trio.SocketListener]]
) -> None:
    """Answer /metrics at a port of loopback (`api.metrics`) until cancelled.

    Raises:
        CannotCreate: the port is taken, or not ours to take.
    """
    address, port = loopback_port(place)
    app, closing, places = metrics_app(crawl), Closing(), trio.CapacityLimiter(MAX_SCRAPERS)

    async def handle(stream: trio.SocketStream) -> None:
        if places.available_tokens:
            async with places:
                await Connection(ClientStream(stream), app, "read", closing).run()

    try:
        listeners = await trio.open_tcp_listeners(port, host=address)
    except OSError as error:
        raise CannotCreate(f"api.metrics: cannot listen at {place}: {error.strerror}") from error
    await trio.serve_listeners(handle, listeners, task_status=task_status)


def is_loopback(host: str) -> bool:
    """Whether a Host header names loopback."""
    name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
    if name.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return False
