"""The real API on a real socket, in a thread of its own: trio there, asyncio for the dashboard here."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import trio

from spiderd.api.crawl import Crawl
from spiderd.api.listening import listening
from spiderd.api.server import serve


class Serving:
    """A running server."""

    def __init__(self, crawl: Crawl, path: Path) -> None:
        self._crawl = crawl
        self._path = path
        self._ready = threading.Event()
        self._token: trio.lowlevel.TrioToken
        self._scope = trio.CancelScope()
        self._thread = threading.Thread(target=self._main, daemon=True)
        self._problem: BaseException | None = None

    def start(self) -> None:
        self._thread.start()
        assert self._ready.wait(10)
        if self._problem is not None:
            raise self._problem

    def stop(self) -> None:
        self._token.run_sync_soon(self._scope.cancel)
        self._thread.join(10)
        assert not self._thread.is_alive()

    def call(self, function: object, *args: object) -> object:
        """Call a function on the server's loop."""
        return trio.from_thread.run_sync(function, *args, trio_token=self._token)

    def _main(self) -> None:
        try:
            trio.run(self._run)
        except BaseException as problem:  # noqa: BLE001 - raised again in the test's own thread
            self._problem = problem
            self._ready.set()

    async def _run(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        with listening(self._path) as sock, self._scope:
            async with trio.open_nursery() as nursery:
                await nursery.start(serve, self._crawl, sock)
                self._ready.set()


@contextmanager
def served(crawl: Crawl, path: Path) -> Iterator[Serving]:
    serving = Serving(crawl, path)
    serving.start()
    try:
        yield serving
    finally:
        serving.stop()
