"""The search page that the daemon opens (`web.enabled`)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import trio

from spiderd.config.declaration import Web
from spiderd.daemon.steering import Steering
from spiderd.protocol import Counters, PageReply, SearchReply, Snapshot


class Shown:
    """The running crawl as the pages see it (`spiderd.web.backend.Backend`)."""

    def __init__(self, steering: Steering) -> None:
        self._steering = steering

    async def page(self, number: int) -> PageReply:
        """Tell what is kept of a page."""
        return await self._steering.page(number, "")

    async def status(self) -> Snapshot | Counters:
        """Describe the crawl as it is."""
        return self._steering.snapshot()

    async def search(self, query: str, page: int, limit: int, *, typing: bool = False) -> SearchReply:
        """Answer one page of results."""
        return await self._steering.search(query, page, limit, typing=typing)


@asynccontextmanager
async def showing(steering: Steering, rules: Web) -> AsyncIterator[None]:
    """Have the search page open for the length of the block, where the configuration wants it.

    Raises:
        CannotCreate: the port is taken, or not ours to take.
    """
    if not rules.enabled:
        yield
        return
    from spiderd.web.serving import listening, serve_pages

    with listening(rules) as sock:
        async with trio.open_nursery() as nursery:
            await nursery.start(partial(serve_pages, Shown(steering), rules, sock))
            yield
            nursery.cancel_scope.cancel()
