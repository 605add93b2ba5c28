"""A fetcher as a process of its own: `python -m spiderd.fetcher.process FD`, FD an end of a socket pair.

The daemon's first fetchers are forks of it that call `run`.

It ends when the coordinator closes its end, which is also what happens when the daemon is killed. Signals
from the terminal are the daemon's business: it drains its fetchers itself.
"""

from __future__ import annotations

import gc
import signal
import socket
import sys

import trio

from spiderd.fetcher.fetcher import Fetcher
from spiderd.link import fetcher_stream


async def _run(descriptor: int) -> None:
    stream = trio.SocketStream(trio.socket.from_stdlib_socket(socket.socket(fileno=descriptor)))
    async with stream:
        await Fetcher(fetcher_stream(stream)).run()


def run(descriptor: int) -> None:
    """Run a fetcher on its end of a socket pair until the other one is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    gc.freeze()  # what was imported stays: it need not be looked at by every collection
    trio.run(_run, descriptor)


if __name__ == "__main__":
    run(int(sys.argv[1]))
