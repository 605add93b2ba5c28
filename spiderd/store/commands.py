"""Changes that people ask for. Each is a step of its own and committed at once (`StoreThread.change`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spiderd.config.declaration import Order
from spiderd.store.frontier import Found
from spiderd.store.ledger import Ledger
from spiderd.store.ranks import ranking
from spiderd.store.records import PageRecord, host_key_bytes
from spiderd.store.visits import VisitsStart


def set_paused(ledger: Ledger, *, paused: bool) -> None:
    """Remember whether somebody has paused the crawl."""
    ledger.state.paused = paused


def add_seeds(ledger: Ledger, found: Found, seeds: Sequence[str], auth: dict[str, str]) -> list[bool]:
    """Add URLs as seeds; True for each that was new. `auth` is what their user names say, by origin."""
    new = ledger.frontier.add(found)
    state = ledger.state
    state.auth = state.auth | auth
    ledger.seeds.add(seeds)
    return new


def retry_errors(ledger: Ledger, wanted: Callable[[PageRecord], bool]) -> int:
    """Put back the URLs of the error queue whose page record is wanted; how many."""
    return ledger.errors.retry(wanted)


def retry_these(ledger: Ledger, hashes: Sequence[bytes]) -> list[bool]:
    """Put back URLs of the error queue by their hashes; of each, whether it was there."""
    return ledger.errors.retry_these(hashes)


def mark_visited(ledger: Ledger, hashes: Sequence[bytes]) -> int:
    """Take URLs as seen without ever fetching them; how many had not been seen."""
    return ledger.frontier.mark_seen(hashes)


def save_politeness(ledger: Ledger, host: int, row: bytes) -> None:
    """Keep what is remembered of a host."""
    ledger.put("politeness", host_key_bytes(host), row)


def put_back(ledger: Ledger, key: bytes) -> int:
    """Let the URLs that are parked under a key of 8 bytes wait for their turn again; how many."""
    return ledger.aside.unpark(key)


def reorder(ledger: Ledger, order: Order) -> dict[bytes, bytes]:
    """Rank all URLs by another order from now on; old and new frontier keys of those that are leased."""
    ledger.frontier.rank_by(ranking(order), counts_inlinks=order == "best")
    ledger.state.order = order
    return ledger.frontier.rerank()


def switch_visits(ledger: Ledger, *, on: bool) -> VisitsStart:
    """Let pages that are recorded get a time of their next visit, or not."""
    state = ledger.visits.state
    if on and not state.on:
        state.unvisited = b""  # there may be pages without one
    state.on = on
    return VisitsStart(state.unvisited, ledger.visits.next_due(), ledger.visits.due, dict(state.levels))


def visit_url(ledger: Ledger, url_hash: bytes) -> tuple[int, int]:
    """Let a page be visited as soon as its host may be asked.

    Returns:
        1 or 0: whether there is such a page; and how many are due by now.
    """
    key = ledger.get("page_of", url_hash)
    return int(key is not None and ledger.visits.ask_for(url_hash, key)), ledger.visits.due


def visit_matching(
    ledger: Ledger, after: bytes, most: int, wanted: Callable[[str], bool]
) -> tuple[int, bytes | None, int]:
    """Let pages be visited as soon as their hosts may be asked, if their URLs are wanted.

    Args:
        ledger: the store.
        after: URL hash behind which to look; b"" begins at the first.
        most: pages that are looked at.
        wanted: told a URL.

    Returns:
        How many; the hash behind which to go on, None at the end; how many are due by now.
    """
    found: list[tuple[bytes, bytes]] = []
    with ledger.cursor("page_of") as cursor:
        here = cursor.set_range(after + b"\0" if after else b"\0")
        while here and most > 0:
            most -= 1
            after = cursor.key()
            page = ledger.pages.get(cursor.value())
            if page is not None and wanted(page.url):
                found.append((after, cursor.value()))
            here = cursor.next()
    count = sum(ledger.visits.ask_for(url_hash, key) for url_hash, key in found)
    return count, after if here else None, ledger.visits.due


def save_settings(ledger: Ledger, row: bytes) -> None:
    """Keep the settings that were made live."""
    ledger.put("meta", b"settings", row)


def release_shape(ledger: Ledger, shape: str, key: bytes) -> int:
    """Let the parked URLs of a shape wait for their turn again; how many. `key` is its key of 8 bytes."""
    ledger.delete("shapes", shape.encode())
    return ledger.aside.unpark(key)
