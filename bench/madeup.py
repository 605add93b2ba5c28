"""A web of made-up pages on loopback that answers late, or has a thousand hosts; a process of its own.

    python -m bench.madeup [--pages N] [--latency SECONDS] [--size BYTES]

It answers on every address of 127.0.0.0/8, each a host with N pages (/ is the first): a tree with FAN
children a page, so that a crawler has all it can take after a few of them, with links back to the pages
around. No page has the content of another. Half of the pages have a number in their URL, as many on the web
do: such pages cost spiderd more, since it compares them with each other to tell a trap. The server writes its
port to standard output, serves until its standard input ends, and then writes in JSON what it has seen:
requests, connections, the seconds between the first request and the last answer, its own CPU, and how late
answers were on the average.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

from bench.bed import environment

FAN = 20
WORDS = 20_000  # of the text that pages are cut from
EARLY = 0.0005  # seconds; the loop's timer is a millisecond coarse and never early
LETTERS = str.maketrans("0123456789", "abcdefghij")
DIGITS = str.maketrans("abcdefghij", "0123456789")


@dataclass(slots=True)
class Seen:
    """What the server has done."""

    requests: int = 0
    connections: int = 0
    first: float = 0.0
    last: float = 0.0
    late: float = 0.0  # seconds between request and answer, summed

    def told(self) -> dict[str, float]:
        """As it is written out."""
        return {
            "requests": self.requests,
            "connections": self.connections,
            "span": self.last - self.first,
            "cpu": time.process_time(),
            "latency": self.late / max(1, self.requests),
        }


class Pages:
    """Makes pages; the work for one is a few joins of strings."""

    def __init__(self, pages: int, size: int) -> None:
        self._pages = pages
        self._size = size
        chance = random.Random(7)
        letters = "abcdefghijklmnopqrstuvwxyz"
        words = ["".join(chance.choices(letters, k=chance.randint(2, 11))) for _ in range(WORDS)]
        self._text = " ".join(words)

    def answer(self, host: str, path: str) -> bytes:
        """The whole answer to a request."""
        name = path[1:].removesuffix(".html").translate(DIGITS) or "0"
        number = int(name) if name.isdecimal() and path.isascii() else self._pages
        if number >= self._pages:
            return b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n"
        body = self._body(host, number).encode()
        lines = ("HTTP/1.1 200 OK", "Content-Type: text/html; charset=utf-8", f"Content-Length: {len(body)}")
        return "\r\n".join((*lines, "", "")).encode() + body

    def _body(self, host: str, number: int) -> str:
        targets = [*range(FAN * number + 1, FAN * (number + 1) + 1), *range(number - 4, number)]
        links = [
            f'<a href="{path_of(target)}">page {target}</a>'
            for target in targets
            if 0 <= target < self._pages
        ]
        begin = crc32(f"{host}/{number}".encode()) % (len(self._text) - self._size)
        text = self._text[begin : begin + self._size]
        title = f"Page {number} of {host}"
        return f"<!DOCTYPE html><title>{title}</title><h1>{title}</h1>\n{''.join(links)}\n<p>{text}"


def path_of(number: int) -> str:
    """The path of a page: odd ones have their number in it, even ones a word."""
    if not number:
        return "/"
    return f"/{number}.html" if number % 2 else f"/{str(number).translate(LETTERS)}.html"


@dataclass(slots=True, eq=False)
class Server(asyncio.Protocol):
    """One connection; requests come one after the other."""

    pages: Pages
    latency: float
    seen: Seen
    _transport: Any = None
    _rest: bytes = field(default=b"")

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self.seen.connections += 1

    def data_received(self, data: bytes) -> None:
        now = time.monotonic()
        *requests, self._rest = (self._rest + data).split(b"\r\n\r\n")
        for request in requests:
            self.seen.first = self.seen.first or now
            self.seen.requests += 1
            lines = request.decode("latin-1").split("\r\n")
            host = next((line[5:].strip() for line in lines if line[:5].lower() == "host:"), "")
            answer = self.pages.answer(host, lines[0].split(" ")[1])
            if self.latency:
                asyncio.get_running_loop().call_at(now + self.latency - EARLY, self._send, answer, now)
            else:
                self._send(answer, now)

    def _send(self, answer: bytes, asked: float) -> None:
        self._transport.write(answer)
        self.seen.last = time.monotonic()
        self.seen.late += self.seen.last - asked


async def serve(pages: Pages, latency: float) -> None:
    """Serve until standard input ends."""
    seen = Seen()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Server(pages, latency, seen), "0.0.0.0", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    print(json.dumps(seen.told()), flush=True)


@dataclass(slots=True)
class MadeUp:
    """A running server; what it has seen is there once it has ended."""

    port: int
    seen: dict[str, float] = field(default_factory=dict)


@contextmanager
def made_up(*, pages: int, latency: float = 0.0, size: int = 2048) -> Iterator[MadeUp]:
    """Run the server."""
    command = [sys.executable, "-m", "bench.madeup"]
    options = ["--pages", str(pages), "--latency", str(latency), "--size", str(size)]
    server = subprocess.Popen(
        [*command, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment({}),
    )
    assert server.stdout is not None
    web = MadeUp(int(server.stdout.readline()))
    try:
        yield web
    finally:
        told, _ = server.communicate()
        web.seen = json.loads(told)


def main() -> None:
    """Serve."""
    parser = argparse.ArgumentParser(prog="python -m bench.madeup", description=__doc__.split("\n")[0])
    parser.add_argument("--pages", type=int, default=3000, help="of a host")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before an answer is sent")
    parser.add_argument("--size", type=int, default=2048, help="bytes of text of a page")
    given = parser.parse_args()
    asyncio.run(serve(Pages(given.pages, given.size), given.latency))


if __name__ == "__main__":
    main()
