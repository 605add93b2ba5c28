"""What the API needs of a crawl, and nothing more; the coordinator fulfils it, the API never imports it."""

from __future__ import annotations

from typing import Literal, Protocol

from msgspec import Struct

from spiderd.api.vitals import Vitals
from spiderd.protocol import (
    Added,
    Directories,
    Errors,
    Events,
    Hello,
    HostReply,
    Hosts,
    IndexState,
    Links,
    PageReply,
    Reconfigured,
    Released,
    Report,
    Reports,
    Retried,
    RetryRequest,
    RevisitReply,
    SearchReply,
    SettingRequest,
    Settings,
    Snapshot,
    StateReply,
    Traps,
    Tree,
    Why,
    Workers,
)

Level = Literal["debug", "info", "warning", "error"]


class ListQuery(Struct, frozen=True, kw_only=True):
    """Which rows of a list are wanted, in which order.

    `sort` is the name of a field of the row, or "" for the list's own order; `filter` is text that the row's
    URL, host or path contains, whatever the case. `total` in the answer counts the rows that pass the filter.
    The API has checked `sort` against the row's fields and the bounds of `limit` and `offset`.
    """

    limit: int = 100
    offset: int = 0
    sort: str = ""
    desc: bool = False
    filter: str = ""


class Crawl(Protocol):
    """A crawl as the API sees it.

    Calls that write are idempotent: pausing a paused crawl answers with its state and changes nothing. A
    `SpiderdError` that a call raises reaches the client as an answer with its sentence.
    """

    def hello(self) -> Hello:
        """Say who is there; `rights` is filled in by the API from the client's credentials."""
        ...

    def snapshot(self) -> Snapshot:
        """Describe the crawl as it is now; each client asks up to twice a second, so it must be cheap."""
        ...

    async def vitals(self) -> Vitals:
        """Tell what only the metrics show; each scraper asks every few seconds."""
        ...

    async def workers(self, query: ListQuery) -> Workers:
        """List the workers."""
        ...

    async def directories(self, query: ListQuery) -> Directories:
        """List the download directories."""
        ...

    async def hosts(self, query: ListQuery) -> Hosts:
        """List the host queues."""
        ...

    async def host(self, name: str) -> HostReply:
        """Tell what comes next of a host, how the last requests to it ended, and what it allows."""
        ...

    async def tree(self, host: str, prefix: str, query: ListQuery) -> Tree:
        """List the parts of a directory of a host, or the hosts where `host` is ""."""
        ...

    async def errors(self, query: ListQuery) -> Errors:
        """List the error queue."""
        ...

    async def traps(self, query: ListQuery) -> Traps:
        """List the shapes of URLs that are parked as traps."""
        ...

    def settings(self) -> Settings:
        """Tell the configuration in effect, key by key."""
        ...

    async def events(self, since: int, wait: float, level: str) -> Events:
        """Answer the events after `since` of at least `level`; with none, wait up to `wait` seconds."""
        ...

    async def add(self, urls: list[str]) -> Added:
        """Put URLs into the frontier as seeds; one result a URL, in the order given."""
        ...

    async def check(self, urls: list[str]) -> Added:
        """Say what `add` would answer, and change nothing."""
        ...

    async def visited(self, urls: list[str]) -> Added:
        """Take URLs as seen without fetching them; one result for each that is refused, counts for all."""
        ...

    async def pause(self) -> StateReply:
        """Give out no more leases; what is in flight finishes."""
        ...

    async def resume(self) -> StateReply:
        """Go on after a pause."""
        ...

    async def stop(self) -> StateReply:
        """Begin to stop the daemon; answers at once, with the new state."""
        ...

    async def retry(self, asked: RetryRequest) -> Retried:
        """Put URLs of the error queue back among the waiting ones."""
        ...

    async def revisit(self, what: str) -> RevisitReply:
        """Visit a page again, or those that a pattern matches, as soon as their hosts may be asked."""
        ...

    async def release(self, what: str) -> Released:
        """Let a parked shape go on, or a host that is held back."""
        ...

    async def reload(self) -> Reconfigured:
        """Read the configuration again and apply what can be; where it is wrong, nothing changes."""
        ...

    async def set(self, asked: SettingRequest) -> Reconfigured:
        """Make one setting live, which then holds across restarts, or unset it."""
        ...

    async def why(self, url: str) -> Why:
        """Tell which rule decides about a URL, and what is known of it."""
        ...

    async def search(self, query: str, page: int, limit: int, *, typing: bool = False) -> SearchReply:
        """Answer one page of results; any text is a query, none is an error.

        With `typing` the last word may be the beginning of others.
        """
        ...

    async def links(self, number: int) -> Links:
        """Tell where a page leads, and which pages lead to it."""
        ...

    async def page(self, number: int, url: str) -> PageReply:
        """Tell what is kept of a page, by its number or, where that is 0, by its URL."""
        ...

    async def reports(self, query: ListQuery) -> Reports:
        """List the reports on what was crawled; they are made when somebody asks."""
        ...

    async def report(self, kind: str, query: ListQuery) -> Report:
        """Read rows of a report."""
        ...

    async def reindex(self) -> IndexState:
        """Begin to build the search index anew; the old one answers until the new one is there."""
        ...
