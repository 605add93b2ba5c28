"""One page in full: what store, index and link graph know of it."""

from __future__ import annotations

from pathlib import Path

from tantivy import Query

from spiderd.archive.reading import place_of
from spiderd.errors import Unavailable, UsageError
from spiderd.parse.links import decode_record
from spiderd.protocol import PageReply
from spiderd.search.opened import Opened, View
from spiderd.search.schema import Kept
from spiderd.store.reader import StoreReader
from spiderd.store.records import PageRecord

MAX_TEXT = 100_000
"""Characters of the text that are answered."""


class Looking:
    """Looks pages up in one data directory. For one thread."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._opened = Opened(data_dir)
        self._store: StoreReader | None = None

    def page(self, number: int, url_hash: bytes = b"") -> PageReply:
        """Tell what is kept of a page, by its number or by the hash of its URL.

        Raises:
            UsageError: there is no such page.
            StorageError: the store cannot be read.
        """
        if self._store is None:
            self._store = StoreReader(self._data_dir / "store")
        number = number or self._store.number_of(url_hash)
        page = self._store.page(number) if number else None
        if page is None:
            raise UsageError("There is no such page: it was never fetched.")
        view = self._view()
        kept = _kept(view, number) if view is not None else None
        referrer = self._store.page(page.referrer) if page.referrer else None
        return PageReply(
            id=number,
            url=page.url,
            title=kept.title if kept is not None else page.title,
            status=page.status,
            kind=page.kind,
            failure=page.failure,
            fetched=page.fetched_at,
            content_type=page.content_type,
            size=page.size,
            depth=page.depth,
            referrer=referrer.url if referrer is not None else "",
            location=page.location,
            path=self._path(page),
            language=kept.language if kept is not None else "",
            text=_text(kept)[:MAX_TEXT],
            cut=len(_text(kept)) > MAX_TEXT,
            links_out=self._links_out(self._store, number),
            links_in=view.linkage.inlinks(number) if view is not None else -1,
        )

    def _view(self) -> View | None:
        try:
            return self._opened.view()
        except Unavailable:
            return None

    def _path(self, page: PageRecord) -> str:
        if not page.number:
            return ""
        return str(place_of(self._data_dir / "pages", page.directory, page.number))

    @staticmethod
    def _links_out(store: StoreReader, number: int) -> int:
        row = store.links(number)
        if row is None:
            return 0
        record = decode_record(row)
        return len(record.kinds) + len(record.others) + record.dropped


def _kept(view: View, number: int) -> Kept | None:
    hits = view.searcher.search(Query.term_query(view.schema, "number", number), limit=1, count=False).hits
    return view.kept(hits[0][1]) if hits else None


def _text(kept: Kept | None) -> str:
    return "" if kept is None else kept.body or kept.rest
