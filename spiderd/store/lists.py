"""Lists that the API shows, read inside the store's thread."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from spiderd.store.ledger import Ledger
from spiderd.store.records import DirectoryRecord, ErrorRecord, HostRecord, PageRecord, decode, number_key


class Failed(Struct):
    """An entry of the error queue with its page."""

    page: PageRecord
    error: ErrorRecord
    referrer: str


def hosts(ledger: Ledger) -> list[tuple[int, HostRecord]]:
    """All host queues with their tallies."""
    ledger.hosts.write()
    with ledger.cursor("hosts") as cursor:
        return [(int.from_bytes(key, "big"), decode(HostRecord, row)) for key, row in cursor]


def directories(ledger: Ledger) -> list[tuple[int, DirectoryRecord]]:
    """All download directories."""
    return ledger.directories.all()


def errors(ledger: Ledger, *, contains: str, offset: int, limit: int) -> tuple[int, list[Failed]]:
    """A part of the error queue, newest first: those whose URL or failure contains a text; and the total."""
    found: list[Failed] = []
    total = 0
    with ledger.cursor("errors") as cursor:
        for key, row in cursor.iterprev():
            page = ledger.pages.get(key)
            if page is None or (contains not in page.url.lower() and contains not in page.failure):
                continue
            if offset <= total < offset + limit:
                referrer = ledger.pages.get(number_key(page.referrer)) if page.referrer else None
                came_from = referrer.url if referrer else ""
                found.append(Failed(page, decode(ErrorRecord, row), came_from))
            total += 1
    return total, found


def shapes(ledger: Ledger) -> list[tuple[bytes, bytes]]:
    """The parked shapes with their rows."""
    with ledger.cursor("shapes") as cursor:
        return list(cursor)


def seen(ledger: Ledger, hashes: Sequence[bytes]) -> list[bool]:
    """Which of these URLs were ever seen."""
    return [ledger.frontier.is_seen(url_hash) for url_hash in hashes]
