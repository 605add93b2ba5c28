"""The search page on a TCP port, within the bounds of the API's server: clients, sizes, times."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import trio

from spiderd.api.interrupts import Closing
from spiderd.api.server import serve_app
from spiderd.config.declaration import Web
from spiderd.errors import CannotCreate
from spiderd.web.app import build_app
from spiderd.web.backend import Backend
from spiderd.web.guard import Guard

BACKLOG = 64


@contextmanager
def listening(rules: Web) -> Iterator[socket.socket]:
    """Listen where the configuration says.

    Raises:
        CannotCreate: the port is taken, or not ours to take.
    """
    family = socket.AF_INET6 if ":" in rules.bind else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((rules.bind, rules.port))
            sock.listen(BACKLOG)
        except OSError as error:
            taken = error.errno == errno.EADDRINUSE
            why = "another program listens there" if taken else error.strerror
            raise CannotCreate(
                f"The search page cannot be opened at {address_of(rules.bind, rules.port)}: {why} "
                "(see web.bind and web.port)."
            ) from error
        yield sock


async def serve_pages(
    backend: Backend,
    rules: Web,
    sock: socket.socket,
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Answer browsers on a listening socket until cancelled."""
    closing = Closing()
    app = Guard(build_app(backend, closing), password=rules.password, names=rules.names)
    await serve_app(app, sock, closing, lambda _: "read", task_status=task_status)


def address_of(bind: str, port: int) -> str:
    """What to type into a browser."""
    return f"http://[{bind}]:{port}/" if ":" in bind else f"http://{bind}:{port}/"
