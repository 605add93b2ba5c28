"""A crawl as the search page sees it from a process of its own: by the daemon, or else as it is stored.

Each question goes to the daemon first, so that one that starts or stops meanwhile is noticed; that there is
none costs a look at the socket.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import trio

from spiderd.client import Client, NotRunning
from spiderd.daemon.answering import Answering
from spiderd.errors import StorageError, Unavailable
from spiderd.protocol import Counters, PageReply, SearchReply, Snapshot
from spiderd.search.exchange import PageAsk, SearchAsk
from spiderd.store.reader import StoreReader

T = TypeVar("T")


class _Line:
    """A connection with the daemon that one question at a time goes over, in a thread."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket
        self._client = Client(socket)
        self._turn = trio.Lock()

    async def ask(self, question: Callable[[Client], T]) -> T:
        """Ask; whoever is cancelled leaves the answer behind, with the connection that it comes by."""
        async with self._turn:
            try:
                return await trio.to_thread.run_sync(question, self._client, abandon_on_cancel=True)
            except trio.Cancelled:
                self._client = Client(self._socket)
                raise


class Reaching:
    """Asks the daemon, or reads for itself (`spiderd.web.backend.Backend`). `run` it in a nursery."""

    def __init__(self, socket: Path, data_dir: Path) -> None:
        """Prepare.

        Args:
            socket: where the daemon is to be found, if it runs.
            data_dir: where everything is kept.
        """
        self._searching, self._looking = _Line(socket), _Line(socket)  # a search does not hold the status up
        self._data_dir = data_dir
        self._answering = Answering(data_dir)

    async def run(self) -> None:
        """Keep the process that answers searches, until cancelled."""
        await self._answering.run()

    async def search(self, query: str, page: int, limit: int, *, typing: bool = False) -> SearchReply:
        """Answer one page of results."""
        try:
            return await self._searching.ask(
                lambda client: client.search(query, page=page, limit=limit, typing=typing)
            )
        except NotRunning:
            reply = (await self._answering.ask(SearchAsk(query, page, limit, typing))).search
        assert reply is not None  # noqa: S101 - a search is answered by one
        return reply

    async def page(self, number: int) -> PageReply:
        """Tell what is kept of a page."""
        try:
            return await self._searching.ask(lambda client: client.page(number=number))
        except NotRunning:
            reply = (await self._answering.ask(PageAsk(number))).page
        assert reply is not None  # noqa: S101 - each question has one answer
        return reply

    async def status(self) -> Snapshot | Counters:
        """Describe the crawl as it is, or as it was left."""
        try:
            return await self._looking.ask(Client.status)
        except NotRunning:
            return await trio.to_thread.run_sync(self._counters)

    def _counters(self) -> Counters:
        try:
            with StoreReader(self._data_dir / "store") as store:
                return store.state().counters
        except StorageError as error:
            raise Unavailable("No daemon runs, and nothing was ever crawled here.") from error
