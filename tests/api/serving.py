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


async def exchange(path: Path, request: bytes) -> bytes:
    """Send bytes and read to the end of the connection."""
    stream = await raw(path)
    async with stream:
        await stream.send_all(request)
        return b"".join([bytes(piece) async for piece in stream])
