"""Lists that the API shows, read inside the store's thread."""

from __future__ import annotations

from msgspec import Struct

from spiderd.store.ledger import Ledger
from spiderd.store.records import (
    DirectoryRecord,
    ErrorRecord,
    HostRecord,
    PageRecord,
    decode,
    number_key,
)


class Failed(Struct):
    """An entry of the error queue with its page."""

    page: PageRecord
    error: ErrorRecord
    referrer: str


def hosts(ledger: Ledger) -> list[tuple[int, HostRecord]]:
    """All host queues with their tallies."""
    ledger.write_hosts()
    with ledger.txn.cursor(db=ledger.environment.tables["hosts"]) as cursor:
        return [(int.from_bytes(bytes(k), "big"), decode(HostRecord, bytes(v))) for k, v in cursor]


def directories(ledger: Ledger) -> list[tuple[int, DirectoryRecord]]:
    """All download directories."""
    with ledger.txn.cursor(db=ledger.environment.tables["directories"]) as cursor:
        return [(int.from_bytes(bytes(k), "big"), decode(DirectoryRecord, bytes(v))) for k, v in cursor]


def errors(ledger: Ledger, *, contains: str, offset: int, limit: int) -> tuple[int, list[Failed]]:
    """A part of the error queue, newest first: those whose URL or failure contains a text; and the total."""
    found: list[Failed] = []
    total = 0
    pages = ledger.environment.tables["pages"]
    with ledger.txn.cursor(db=ledger.environment.tables["errors"]) as cursor:
        for key, row in cursor.iterprev():
            page = decode(PageRecord, bytes(ledger.txn.get(key, db=pages) or b""))
            if contains and contains not in page.url.lower() and contains not in page.failure:
                continue
            if offset <= total < offset + limit:
                referrer = ledger.txn.get(number_key(page.referrer), db=pages) if page.referrer else None
                came_from = decode(PageRecord, bytes(referrer)).url if referrer else ""
                found.append(Failed(page, decode(ErrorRecord, bytes(row)), came_from))
            total += 1
    return total, found


def shapes(ledger: Ledger) -> list[tuple[bytes, bytes]]:
    """The parked shapes with their rows."""
    with ledger.txn.cursor(db=ledger.environment.tables["shapes"]) as cursor:
        return [(bytes(shape), bytes(row)) for shape, row in cursor]
