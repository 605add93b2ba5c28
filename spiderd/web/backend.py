"""What the pages need of a crawl, and nothing more."""

from __future__ import annotations

from typing import Protocol

from spiderd.protocol import Counters, PageReply, SearchReply, Snapshot


class Backend(Protocol):
    """A crawl as the pages see it. A `SpiderdError` that a call raises is shown by its sentence."""

    async def search(self, query: str, page: int, limit: int, *, typing: bool = False) -> SearchReply:
        """Answer one page of results; with `typing` the last word may be the beginning of others."""
        ...

    async def page(self, number: int) -> PageReply:
        """Tell what is kept of a page.

        Raises:
            UsageError: there is no such page.
        """
        ...

    async def status(self) -> Snapshot | Counters:
        """Describe the crawl as it is; where no daemon runs, what it came to."""
        ...
