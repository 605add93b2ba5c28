"""What a fetch costs: microseconds a request, against a server in a process of its own on loopback.

    python bench/fetch.py [--requests 20000] [--workers 16] [--size 15360]

Every worker asks for one page after the other over a connection that stays open. "cpu" is the CPU time of the
client's process a request, "wall" what passed on the clock (the machine is shared with the server). Rounds of
the rivals alternate and the best of each counts, so that a busy machine wrongs nobody.

    ours      spiderd.fetch.Client
    plugged   a httpx.AsyncClient for each worker over our Transport
    stock     a httpx.AsyncClient for each worker as httpx ships it
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from multiprocessing.connection import Connection

import httpx
import trio

from spiderd.config import Config
from spiderd.fetch import Client

Ask = Callable[[str], Awaitable[int]]  # asks for a URL, returns the size of the body


def serve(size: int, pipe: Connection) -> None:
    """Answer every request with the same page, as fast as this can be done in Python."""
    page = b"x" * size
    head = b"HTTP/1.1 200 OK\r\nServer: bench\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\n"
    head += b"Content-Type: text/html\r\n"
    head += b'Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\nConnection: keep-alive\r\nETag: "1"\r\n'
    answer = head + b"Accept-Ranges: bytes\r\nContent-Length: %d\r\n\r\n" % size + page

    class Server(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            self.transport = transport

        def data_received(self, data: bytes) -> None:
            self.transport.write(answer * data.count(b"\r\n\r\n"))

    async def run() -> None:
        server = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", 0)
        pipe.send(server.sockets[0].getsockname()[1])
        await asyncio.get_running_loop().run_in_executor(None, pipe.recv)

    asyncio.run(run())


async def ours(stack: AsyncExitStack, url: str, workers: int) -> list[Ask]:
    """One client of ours, shared by all workers."""
    client = await stack.enter_async_context(Client(Config(), seeds=[url]))

    async def ask(url: str) -> int:
        return len((await client.get(url)).body)

    return [ask] * workers


async def plugged(stack: AsyncExitStack, url: str, workers: int) -> list[Ask]:
    """Clients of httpx over our transport."""
    client = await stack.enter_async_context(Client(Config(), seeds=[url]))
    return [
        asking(await stack.enter_async_context(httpx.AsyncClient(transport=client.transport)))
        for _ in range(workers)
    ]


async def stock(stack: AsyncExitStack, _url: str, workers: int) -> list[Ask]:
    """Clients of httpx as they come."""
    return [asking(await stack.enter_async_context(httpx.AsyncClient())) for _ in range(workers)]


def asking(client: httpx.AsyncClient) -> Ask:
    """Ask through a client of httpx."""

    async def ask(url: str) -> int:
        return len((await client.get(url)).content)

    return ask


async def measure(
    rival: Callable[..., Awaitable[list[Ask]]], url: str, options: argparse.Namespace
) -> tuple[float, float]:
    """CPU and wall microseconds a request."""

    async def work(ask: Ask, count: int) -> None:
        for _ in range(count):
            size = await ask(url)
            if size != options.size:
                raise SystemExit(f"expected {options.size} bytes, got {size}")

    async with AsyncExitStack() as stack:
        asks = await rival(stack, url, options.workers)
        for ask in asks:
            await work(ask, 2)  # connections are open, caches are warm
        count = options.requests // options.workers
        cpu, wall = time.process_time(), time.perf_counter()
        async with trio.open_nursery() as nursery:
            for ask in asks:
                nursery.start_soon(work, ask, count)
        total = count * options.workers
        return (time.process_time() - cpu) / total * 1e6, (time.perf_counter() - wall) / total * 1e6


def main() -> None:
    """Measure all rivals in turn."""
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_written)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--size", type=int, default=15 * 1024)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="ours,plugged,stock")
    options = parser.parse_args()
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(options.size, there), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{here.recv()}/some/page.html"
    rivals = [rival for rival in (ours, plugged, stock) if rival.__name__ in options.only.split(",")]
    results: dict[str, list[tuple[float, float]]] = {rival.__name__: [] for rival in rivals}
    for _ in range(options.rounds):
        for rival in rivals:
            results[rival.__name__].append(trio.run(measure, rival, url, options))
    here.send("stop")
    server.join()
    print(f"{options.workers} workers, {options.size} bytes a page; us a request, best of {options.rounds}")
    for name, rounds in results.items():
        cpu, wall = min(cpu for cpu, _ in rounds), min(wall for _, wall in rounds)
        print(f"{name:10} cpu {cpu:8.1f}   wall {wall:8.1f}")


if __name__ == "__main__":
    main()
