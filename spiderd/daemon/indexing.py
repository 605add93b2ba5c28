"""The search beside the crawl: its processes, and what the API asks of them."""

from __future__ import annotations

from spiderd.config import Config
from spiderd.errors import Unavailable
from spiderd.protocol import IndexState, PageReply, SearchReply


class Searching:
    """Answers searches, and says how far the index is."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self.state: IndexState | None = None

    async def search(self, *_asked: object) -> SearchReply:
        """Answer one page of results.

        Raises:
            Unavailable: this daemon has no index, or it does not answer in time.
        """
        raise self._unavailable()

    async def page(self, *_asked: object) -> PageReply:
        """Tell what is kept of a page.

        Raises:
            UsageError: there is no such page.
            Unavailable: as for `search`.
        """
        raise self._unavailable()

    async def reindex(self) -> IndexState:
        """Begin to build the index anew.

        Raises:
            Unavailable: as for `search`.
        """
        raise self._unavailable()

    def _unavailable(self) -> Unavailable:
        return Unavailable("there is no search index: it is switched off (search.enabled)")
