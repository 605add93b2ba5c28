"""A real server on a real socket, and clients of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import trio

from spiderd.api.listening import listening
from spiderd.api.server import serve
from tests.api.sample import SampleCrawl


@asynccontextmanager
async def served(path: Path, crawl: SampleCrawl | None = None) -> AsyncIterator[SampleCrawl]:
    crawl = crawl or SampleCrawl()
    with listening(path) as sock:
        async with trio.open_nursery() as nursery:
            await nursery.start(serve, crawl, sock)
            try:
                yield crawl
            finally:
                nursery.cancel_scope.cancel()


def client(path: Path) -> httpx.AsyncClient:
    transport = httpx.AsyncHTTPTransport(uds=str(path))
    return httpx.AsyncClient(transport=transport, base_url="http://spiderd", timeout=30)


async def raw(path: Path) -> trio.SocketStream:
    return await trio.open_unix_socket(str(path))


class Lines:
    """The lines of an answer, as they come (asked for in HTTP/1.0, so that no chunk sizes stand between)."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self._buffer = b""

    async def next(self) -> str:
        while b"\n" not in self._buffer:
            data = await self._stream.receive_some()
            assert data, "the server has closed the connection"
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode().rstrip("\r")

    async def until(self, last: str) -> list[str]:
        lines = [await self.next()]
        while lines[-1] != last:
            lines.append(await self.next())
        return lines


@asynccontextmanager
async def lines_of(path: Path, target: str, *headers: str) -> AsyncIterator[Lines]:
    async with await raw(path) as stream:
        await stream.send_all("\r\n".join([f"GET {target} HTTP/1.0", *headers, "", ""]).encode())
        lines = Lines(stream)
        head = await lines.until("")
        assert "200 OK" in head[0]
        assert "content-type: text/event-stream" in head
        yield lines


async def exchange(path: Path, request: bytes) -> bytes:
    """Send bytes and read to the end of the connection."""
    stream = await raw(path)
    async with stream:
        await stream.send_all(request)
        return b"".join([bytes(piece) async for piece in stream])
