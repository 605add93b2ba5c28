"""One host in full: its row, what comes next of it, how the last requests ended, and what it allows.

The head of its queue is one seek. Of outcomes no table is kept by host: they are looked for among the newest
of the whole crawl, a piece at a time, so that the crawl goes on in between; of a host that was asked long
ago none may be found, and the answer says among how many was looked.
"""

from __future__ import annotations

from spiderd.coordinator.coordinator import Coordinator
from spiderd.daemon.listing import Listing
from spiderd.errors import UsageError
from spiderd.protocol import HostReply, NextUrl, OutcomeRow, RobotsRow
from spiderd.robots.policy import RobotsRecord, robots_of
from spiderd.store import lists
from spiderd.store.ledger import Ledger
from spiderd.store.records import ErrorRecord, PageRecord, WaitingUrl, decode
from spiderd.store.thread import StoreThread

NEXT = 10  # URLs
RECENT = 20  # outcomes
PIECE = 4_000  # outcomes that the store looks at in one go: some milliseconds
LOOKED = 40_000  # and in all
ROBOTS_TEXT = 8_192  # characters


class HostPage:
    """Tells of hosts."""

    def __init__(self, coordinator: Coordinator, store: StoreThread, listing: Listing) -> None:
        self._coordinator = coordinator
        self._store = store
        self._listing = listing

    async def host(self, key: str) -> HostReply:
        """Tell what is known of a host.

        Raises:
            UsageError: there is none of that name.
        """
        row = await self._listing.host(key)
        found = await self._store.call(lists.host, key)
        if row is None or found is None:
            raise UsageError(f"{key} is no host of this crawl.")
        number, record, _ = found
        coming, robots = await self._store.call(_look_up, number, key)
        recent, looked = await self._recent(key)
        return HostReply(
            row=row,
            pages=record.pages,
            bytes=record.bytes,
            next=coming,
            recent=[_outcome(page, error) for page, error in recent],
            looked=looked,
            robots=[self._robots(origin, known) for origin, known in robots],
        )

    async def _recent(self, key: str) -> tuple[list[tuple[PageRecord, ErrorRecord | None]], int]:
        found: list[tuple[PageRecord, ErrorRecord | None]] = []
        looked = before = 0
        while len(found) < RECENT and looked < LOOKED:
            piece, before = await self._store.call(lists.recent, key, before, PIECE, RECENT - len(found))
            found += piece
            looked += PIECE
            if not before:
                break
        return found, looked

    def _robots(self, origin: str, record: RobotsRecord) -> RobotsRow:
        robots = robots_of(record, self._coordinator.settling.agent)
        text = record.body.decode("utf-8", "replace")
        return RobotsRow(
            origin=origin,
            kind=record.kind,
            why="" if record.kind == "rules" else record.why,
            fetched=record.fetched_at,
            expires=record.expires,
            delay=robots.crawl_delay,
            sitemaps=len(robots.sitemaps),
            text=text[:ROBOTS_TEXT],
            cut=len(text) > ROBOTS_TEXT,
        )


def _look_up(ledger: Ledger, number: int, key: str) -> tuple[list[NextUrl], list[tuple[str, RobotsRecord]]]:
    heads = ledger.frontier.heads(number, b"", NEXT)
    coming = [_next(waiting, leased=ledger.get("leases", at) is not None) for at, waiting in heads]
    rows = ((origin, ledger.get("robots", origin.encode())) for origin in (f"https://{key}", f"http://{key}"))
    return coming, [(origin, decode(RobotsRecord, row)) for origin, row in rows if row is not None]


def _next(waiting: WaitingUrl, *, leased: bool) -> NextUrl:
    return NextUrl(url=waiting.url, depth=waiting.depth, tries=waiting.tries, leased=leased)


def _outcome(page: PageRecord, error: ErrorRecord | None) -> OutcomeRow:
    return OutcomeRow(
        url=page.url,
        at=page.fetched_at,
        kind=page.kind,
        status=page.status,
        failure=page.failure,
        detail=error.detail if error is not None else "",
        size=page.size,
    )
