"""Lists that the API shows, read inside the store's thread."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

from msgspec import Struct

from spiderd.store.ledger import Ledger
from spiderd.store.records import (
    DirectoryRecord,
    ErrorRecord,
    HostRecord,
    PageRecord,
    WaitingUrl,
    decode,
    due_of,
    host_key_bytes,
    host_of,
    number_key,
)
from spiderd.store.visits import VisitRecord, again_key
from spiderd.urls import host_key


class Failed(Struct):
    """An entry of the error queue with its page."""

    page: PageRecord
    error: ErrorRecord
    referrer: str


class Waits(Struct):
    """A URL that waits, and where."""

    waiting: WaitingUrl
    before: int  # URLs of its host that come first; -1 where it does not wait for its turn
    due: float  # unix time of its next try; 0 = it has not failed
    parked: bytes  # key that it is parked under; b"" = it is not


def pages(ledger: Ledger) -> int:
    """How many pages there are."""
    return ledger.state.next_page - 1


def hosts(
    ledger: Ledger, after: int, most: int, contains: str
) -> tuple[list[tuple[int, HostRecord]], int, bool]:
    """Host queues with their tallies, from the one behind a number on.

    Args:
        ledger: the store.
        after: number of a host; 0 begins at the first.
        most: hosts that are looked at.
        contains: text, in lower case, that the names of those wanted contain.

    Returns:
        Those of them whose names do; the number of the last that was looked at; whether there are more.
    """
    ledger.hosts.write()
    found: list[tuple[int, HostRecord]] = []
    looked = 0
    with ledger.cursor("hosts") as cursor:
        here = cursor.set_range(host_key_bytes(after + 1))
        while here and looked < most:
            after, record = host_of(cursor.key()), decode(HostRecord, cursor.value())
            looked += 1
            if contains in record.key:
                found.append((after, record))
            here = cursor.next()
    return found, after, here


def host(ledger: Ledger, key: str) -> tuple[int, HostRecord, bytes | None] | None:
    """Number, tallies and what is remembered for politeness of the host of that name; None: there is none."""
    number = ledger.get("host_ids", key.encode())
    if number is None:
        return None
    return host_of(number), ledger.hosts.tallies(host_of(number)), ledger.get("politeness", number)


def recent(
    ledger: Ledger, key: str, before: int, look_at: int, most: int
) -> tuple[list[tuple[PageRecord, ErrorRecord | None]], int]:
    """The newest outcomes of a host, of which no table is kept: so among some outcomes of the crawl only.

    Args:
        ledger: the store.
        key: of the host.
        before: change before which to look; 0 = the newest.
        look_at: outcomes that are looked at.
        most: that are wanted.

    Returns:
        Those of the host, newest first; the change before which to go on, 0 where there is none.
    """
    text = key.encode()
    found: list[tuple[PageRecord, ErrorRecord | None]] = []
    change = 0
    with ledger.cursor("changes") as cursor:
        here = cursor.set_range(number_key(before)) if before else cursor.last()
        here = cursor.prev() if here and before else here
        while here and look_at > 0 and len(found) < most:
            change, number = int.from_bytes(cursor.key(), "big"), cursor.value()
            row = ledger.get("pages", number)
            if (
                row is not None and text in row
            ):  # most are not of the host, and this is a tenth of reading them
                page = decode(PageRecord, row)
                if page.change == change and host_key(page.url) == key:
                    found.append((page, ledger.errors.get(number)))
            look_at -= 1
            here = cursor.prev()
    return found, change if here else 0


def find(
    ledger: Ledger, url_hash: bytes, host: int, parked: Iterable[bytes], leased: Container[bytes], most: int
) -> Waits | None:
    """Look a URL up where it waits, which the store is not made for: so among the first `most` rows only.

    Args:
        ledger: the store.
        url_hash: of its seen key.
        host: number of its host.
        parked: keys of 8 bytes that it may be parked under.
        leased: frontier keys of what is in flight, which waits no longer.
        most: rows that are looked at in each place.
    """
    prefix = host_key_bytes(host)
    before = 0
    for key, row in _rows(ledger, "frontier", prefix, most):
        if (waiting := _if_it_is(url_hash, row)) is not None:
            return Waits(waiting, before, 0.0, b"")
        before += key not in leased
    for under in parked:
        for _, row in _rows(ledger, "parked", under + prefix, most):
            if (waiting := _if_it_is(url_hash, row)) is not None:
                return Waits(waiting, -1, 0.0, under)
    for key, row in _rows(ledger, "delayed", b"", most):
        if (waiting := _if_it_is(url_hash, row)) is not None:
            return Waits(waiting, -1, due_of(key), b"")
    return None


def _if_it_is(url_hash: bytes, row: bytes) -> WaitingUrl | None:
    if url_hash not in row:  # most are not, and to know that takes a tenth of reading them
        return None
    waiting = decode(WaitingUrl, row)
    return waiting if waiting.hash == url_hash else None


def _rows(ledger: Ledger, table: str, prefix: bytes, most: int) -> Iterator[tuple[bytes, bytes]]:
    with ledger.cursor(table) as cursor:
        here = cursor.set_range(prefix)
        while here and most > 0 and cursor.key().startswith(prefix):
            yield cursor.key(), cursor.value()
            most -= 1
            here = cursor.next()


def overdue(ledger: Ledger, before: float, most: int) -> int:
    """How many pages wait for a later visit since before a unix time; not more than `most` are looked at."""
    count = 0
    with ledger.cursor("again") as cursor:
        here = cursor.first()
        while here and most > 0:
            most -= 1
            due = int.from_bytes(cursor.key()[4:12], "big") / 1000
            count += 0 < due < before
            here = cursor.next()
    return count


def visit(ledger: Ledger, url_hash: bytes) -> tuple[VisitRecord | None, bool]:
    """When a page is visited again, and whether its time has come."""
    key = ledger.get("page_of", url_hash)
    record = None if key is None else ledger.visits.get(key)
    if key is None or record is None:
        return None, False
    return record, ledger.get("again", again_key(record, key)) is not None


def settings(ledger: Ledger) -> tuple[bytes | None, bytes | None]:
    """Two rows that others make: settings that were made live, and what is outside of the scope."""
    return ledger.get("meta", b"settings"), ledger.get("meta", b"outside")


def politeness(ledger: Ledger, hosts: Iterable[int]) -> dict[int, bytes]:
    """What is remembered of hosts for politeness, of those of which something is."""
    rows = {number: ledger.get("politeness", host_key_bytes(number)) for number in hosts}
    return {number: row for number, row in rows.items() if row is not None}


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
