"""The links of one page: where it leads, and (as far as was looked) which pages lead to it."""

from __future__ import annotations

from spiderd.config import Config
from spiderd.daemon.settings import LiveSettings
from spiderd.errors import UsageError
from spiderd.parse.links import LinkKind, LinkRecord, decode_record
from spiderd.protocol import LinkRow, Links
from spiderd.store import linking, lists
from spiderd.store.ledger import Ledger
from spiderd.store.records import PageRecord, decode, number_key
from spiderd.store.thread import StoreThread
from spiderd.urls import key_hash, seen_key

MOST = 200  # links of each direction
PIECE = 2_000  # pages that the store looks at in one go: some milliseconds
LOOKED = 40_000  # and in all


class PageLinks:
    """Tells of links."""

    def __init__(self, settings: LiveSettings, store: StoreThread) -> None:
        self._settings = settings
        self._store = store

    async def links(self, number: int) -> Links:
        """Tell where a page leads and what leads to it.

        Raises:
            UsageError: there is no such page.
        """
        row, page, pages = await self._store.call(_look_up, number)
        if page is None:
            raise UsageError("There is no such page: it was never fetched.")
        record = decode_record(row or b"")
        followed = list(record.followed())
        known = await self._store.call(linking.targets, [key for key, _, _ in followed[:MOST]])
        out = [_link(kind, text, page) for (_, kind, text), page in zip(followed, known, strict=False)]
        out += [
            LinkRow(url=other.url, text=other.text, kind=_word(other.kind), page=0, status=0)
            for other in record.others[: MOST - len(out)]
        ]
        into, looked = await self._into(_hash(page, self._settings.running))
        return Links(
            out=out,
            out_total=len(followed) + len(record.others) + record.dropped,
            into=into,
            looked=min(looked, pages),
            pages=pages,
        )

    async def _into(self, url_hash: bytes) -> tuple[list[LinkRow], int]:
        found: list[LinkRow] = []
        looked = after = 0
        while len(found) < MOST and looked < LOOKED:
            piece, after = await self._store.call(linking.linking, url_hash, after, PIECE, MOST - len(found))
            for number, page, row in piece:
                found += _leading(decode_record(row), url_hash, number, page)
            looked += PIECE
            if not after:
                break
        return found[:MOST], looked


def _look_up(ledger: Ledger, number: int) -> tuple[bytes | None, PageRecord | None, int]:
    page = ledger.get("pages", number_key(number))
    return (
        linking.links(ledger, number),
        None if page is None else decode(PageRecord, page),
        lists.pages(ledger),
    )


def _hash(page: PageRecord, config: Config) -> bytes:
    return key_hash(seen_key(page.url, config.urls))


def _leading(record: LinkRecord, url_hash: bytes, number: int, page: PageRecord) -> list[LinkRow]:
    """The first link of a page to the URL."""
    for key, kind, text in record.followed():
        if key == url_hash:
            return [LinkRow(url=page.url, text=text, kind=_word(kind), page=number, status=page.status)]
    return []


def _link(kind: LinkKind, text: str, target: linking.Page | None) -> LinkRow:
    if target is None:
        return LinkRow(url="", text=text, kind=_word(kind), page=0, status=0)
    number, page = target
    return LinkRow(url=page.url, text=text, kind=_word(kind), page=number, status=page.status)


def _word(kind: int) -> str:
    return LinkKind(kind).name.lower()
