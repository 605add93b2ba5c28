"""Which pages a page leads to, and which lead to it, read inside the store's thread.

A page's links are one row, so what it leads to is a look-up for each. The other way round no table is kept:
rows are searched for the hash of the page's URL, some pages at a time, so that the crawl goes on in between
(a microsecond a page: most rows are only searched, not read).
"""

from __future__ import annotations

from collections.abc import Iterable

from spiderd.store.ledger import Ledger
from spiderd.store.records import PageRecord, decode, number_key

Page = tuple[int, PageRecord]


def links(ledger: Ledger, number: int) -> bytes | None:
    """The row of a page in the link table (see `spiderd.parse.links.LinkRecord`)."""
    return ledger.get("links", number_key(number))


def page_of(ledger: Ledger, url_hash: bytes) -> Page | None:
    """The page of a URL, by the hash of its seen key; None where it was never asked for."""
    key = ledger.get("page_of", url_hash)
    page = ledger.pages.get(key) if key is not None else None
    return None if key is None or page is None else (int.from_bytes(key, "big"), page)


def targets(ledger: Ledger, hashes: Iterable[bytes]) -> list[Page | None]:
    """The pages of URLs, by the hashes of their seen keys."""
    return [page_of(ledger, url_hash) for url_hash in hashes]


def linking(
    ledger: Ledger, url_hash: bytes, after: int, look_at: int, most: int
) -> tuple[list[tuple[int, PageRecord, bytes]], int]:
    """Pages that may lead to a URL, in the order in which they became known.

    Args:
        ledger: the store.
        url_hash: of the URL's seen key.
        after: page number behind which to look.
        look_at: rows that are looked at.
        most: pages that are wanted.

    Returns:
        Number, page and row of links of each; the page number behind which to go on, 0 where that was all.
        Bytes that look like the hash may stand elsewhere in a row: whoever asks reads it.
    """
    found: list[tuple[int, PageRecord, bytes]] = []
    with ledger.cursor("links") as cursor:
        here = cursor.set_range(number_key(after + 1))
        while here and look_at > 0 and len(found) < most:
            key, row = cursor.key(), cursor.value()
            after = int.from_bytes(key, "big")
            if url_hash in row and (record := ledger.get("pages", key)) is not None:
                found.append((after, decode(PageRecord, record), row))
            look_at -= 1
            here = cursor.next()
    return found, after if here else 0
