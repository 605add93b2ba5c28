"""What servers do wrong, as routes for `tests.web.server`; each of these writes to the stream itself."""

from __future__ import annotations

import gzip
import socket
import struct
import zlib
from collections.abc import Awaitable, Callable, Iterable
from functools import cache
from typing import Any

import trio

from tests.web.server import Request, Route, call

Handler = Callable[[trio.abc.Stream, Request], Awaitable[None]]

OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


def raw(*pieces: bytes, every: float = 0.0) -> Handler:
    """Write these bytes, `every` seconds between two pieces, then close."""

    async def handler(stream: trio.abc.Stream, request: Request) -> None:
        for number, piece in enumerate(pieces):
            if number and every:
                await trio.sleep(every)
            await stream.send_all(piece)

    return handler


def stay(*pieces: bytes) -> Handler:
    """Write these bytes, then keep the connection open and say nothing until the client leaves."""

    async def handler(stream: trio.abc.Stream, request: Request) -> None:
        for piece in pieces:
            await stream.send_all(piece)
        await until_closed(stream)

    return handler


def hang() -> Handler:
    """Take the request and never answer."""
    return stay()


def reset(*pieces: bytes) -> Handler:
    """Write these bytes, then reset the connection (RST instead of FIN)."""

    async def handler(stream: trio.abc.Stream, request: Request) -> None:
        for piece in pieces:
            await stream.send_all(piece)
        linger(stream)

    return handler


def endless(head: bytes, piece: bytes, every: float = 0.0) -> Handler:
    """Write a head, then the same piece for ever."""

    async def handler(stream: trio.abc.Stream, request: Request) -> None:
        await stream.send_all(head)
        while True:
            await trio.sleep(every)
            await stream.send_all(piece)

    return handler


def late(seconds: float, route: Any) -> Handler:
    """What a route answers, after a while."""

    async def handler(stream: trio.abc.Stream, request: Request) -> Any:
        await trio.sleep(seconds)
        return await call(route, stream, request)

    return handler


def redirect(location: str, status: int = 302, **headers: str) -> Route:
    """A redirect; keyword `Set_Cookie` becomes the header Set-Cookie."""
    extra = {name.replace("_", "-"): value for name, value in headers.items()}
    return (status, {"Location": location, **extra}, b"")


def cookie_gate(name: str, page: bytes) -> Route:
    """Redirects to itself with a cookie until the cookie comes back, then gives the page (C23)."""

    def route(request: Request) -> Any:
        if f"{name}=1" in request.header("cookie"):
            return page
        return redirect(request.target, Set_Cookie=f"{name}=1; Path=/")

    return route


@cache
def bomb(size: int) -> Route:
    """A gzip bomb of `size` zero bytes, about a thousandth of that on the wire."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = bytes(65536)
    parts = [packer.compress(block) for _ in range(size // len(block))]
    parts.append(packer.flush())
    return (200, {"Content-Type": "text/html", "Content-Encoding": "gzip"}, b"".join(parts))


def chunks(*pieces: bytes, end: bytes = b"0\r\n\r\n") -> bytes:
    """The chunked coding of some pieces."""
    return b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + end


def linger(stream: trio.abc.Stream) -> None:
    """Make the close of a plain stream a reset."""
    assert isinstance(stream, trio.SocketStream)
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def until_closed(stream: trio.abc.Stream) -> None:
    """Wait until the client has closed its side."""
    while await stream.receive_some(65536):
        pass


def catalogue() -> dict[str, Route]:
    """One page of every kind of fault, with an index at `/`."""
    faults: dict[str, Route] = {
        "/hang": hang(),
        "/close": raw(),
        "/reset": reset(),
        "/reset-in-body": reset(OK + b"Content-Length: 100\r\n\r\nhalf"),
        "/short": raw(OK + b"Content-Length: 100\r\n\r\nhalf"),
        "/chunks-cut": raw(CHUNKED + chunks(b"half", end=b"")),
        "/chunks-bad": raw(CHUNKED + b"zz\r\nwhat\r\n"),
        "/garbage": raw(b"\x15\x03\x01\x00\x02\x02\x46 this is not HTTP at all\r\n\r\n"),
        "/lengths-differ": raw(OK + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc"),
        "/header-bomb": endless(OK, b"X-Filler: " + b"x" * 1000 + b"\r\n"),
        "/slow-headers": endless(OK, b"X-Filler: x\r\n", every=1.0),
        "/slow-body": endless(OK + b"\r\n", b"x", every=5.0),
        "/endless": endless(OK + b"\r\n", b"x" * 65536),
        "/radio": endless(b"HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nicy-name: r\r\n\r\n", b"x" * 999),
        "/bomb": bomb(64 * 1024 * 1024),
        "/not-gzip": (200, {"Content-Encoding": "gzip", "Content-Type": "text/html"}, b"plain"),
        "/gzip": (200, {"Content-Encoding": "gzip", "Content-Type": "text/html"}, gzip.compress(b"<p>fine")),
        "/loop": redirect("/loop"),
        "/loop-a": redirect("/loop-b"),
        "/loop-b": redirect("/loop-a"),
        "/no-location": (302, {}, b""),
        "/cookie": cookie_gate("seen", b"<p>let in"),
        "/429": (429, {"Retry-After": "7"}, b""),
        "/500": (500, {}, b"broken"),
    }
    return {"/": index(faults), **faults}


def index(paths: Iterable[str]) -> bytes:
    """A page that links to all of these paths."""
    return "".join(f'<a href="{path}">{path}</a>\n' for path in paths).encode()
