"""Daemons to ask: the real API over a sample crawl, and impostors that say what they are told to."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import trio

from tests.api.sample import SampleCrawl
from tests.api.serving import served

HANG = b""


@contextmanager
def daemon(path: Path, crawl: SampleCrawl | None = None) -> Iterator[SampleCrawl]:
    """Serve the real API on a thread of its own."""
    crawl = crawl or SampleCrawl()
    ready, control = threading.Event(), {}

    async def main() -> None:
        async with served(path, crawl):
            control["token"], control["stop"] = trio.lowlevel.current_trio_token(), trio.Event()
            ready.set()
            await control["stop"].wait()

    thread = threading.Thread(target=trio.run, args=[main], daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield crawl
    finally:
        control["token"].run_sync_soon(control["stop"].set)
        thread.join(10)
        assert not thread.is_alive()


@contextmanager
def impostor(path: Path, *conversations: Sequence[bytes]) -> Iterator[list[bytes]]:
    """Answer connections with fixed bytes, one piece a request; HANG waits for the client to go."""
    heard: list[bytes] = []
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen(8)

    def talk() -> None:
        for pieces in conversations:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                _converse(connection, pieces, heard.append)

    thread = threading.Thread(target=talk, daemon=True)
    thread.start()
    try:
        yield heard
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(10)
        assert not thread.is_alive()


def _converse(connection: socket.socket, pieces: Sequence[bytes], heard: Callable[[bytes], None]) -> None:
    for piece in pieces:
        request = b""
        while b"\r\n\r\n" not in request:
            received = connection.recv(65536)
            if not received:
                return
            request += received
        heard(request.split(b"\r\n")[0])
        if piece is HANG:
            connection.recv(1)
        else:
            connection.sendall(piece)


def http_answer(body: bytes, status: str = "200 OK") -> bytes:
    return b"HTTP/1.1 %s\r\ncontent-length: %d\r\n\r\n%s" % (status.encode(), len(body), body)
