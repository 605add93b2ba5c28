"""Pages: what is known of every URL that has been asked for, and in which order it became known.

A URL has one page number for good; a later visit writes a new version of its row and a new entry in
`changes`, so that whoever follows the crawl (the indexer) reads on from the last change it has seen. The row
of a page whose body a later visit has replaced is kept in `versions`, since its body is: in the archive
nothing is written over. What was only there counts as unknown content where a page is to be stored.
"""

from __future__ import annotations

from spiderd.messages import Outcome
from spiderd.store.records import PageRecord, WaitingUrl, decode, encode, number_key
from spiderd.store.transaction import Transaction

NUMBER_BYTES = 8  # of the key of a page; that of a version has as many again


class Pages:
    """The tables `pages`, `versions`, `page_of`, `changes`, `content` and `links`."""

    def __init__(self, transaction: Transaction) -> None:
        """Read and write within a transaction."""
        self._transaction = transaction

    def of(self, url_hash: bytes) -> PageRecord | None:
        """The page record of a URL that has been asked for."""
        number = self._transaction.get("page_of", url_hash)
        return None if number is None else self.get(number)

    def get(self, key: bytes) -> PageRecord | None:
        """The page record of a page number, given as the key of its row."""
        row = self._transaction.get("pages", key)
        return None if row is None else decode(PageRecord, row)

    def has_content(self, digest: bytes) -> bool:
        """Whether there is a page with this content, as of its last visit."""
        row = self._transaction.get("content", digest)
        return row is not None and len(row) == NUMBER_BYTES

    def first_with(self, digest: bytes) -> PageRecord | None:
        """The page that has this content now, and whose body is kept for all that have."""
        row = self._transaction.get("content", digest)
        return None if row is None or len(row) != NUMBER_BYTES else self.get(row)

    def supersede(self, key: bytes, page: PageRecord) -> None:
        """Keep the row of a stored page that is about to be replaced."""
        version = key + number_key(page.change)
        self._transaction.put("versions", version, encode(page))
        if self._transaction.get("content", page.digest) == key:
            self._transaction.put("content", page.digest, version)

    def keep_version(self, key: bytes, waiting: WaitingUrl, outcome: Outcome) -> None:
        """Keep the row of a page that was stored and takes no page's place."""
        state = self._transaction.state
        version = key + number_key(state.next_change)
        self._transaction.put("versions", version, encode(_record(waiting, outcome, state.next_change)))
        self._transaction.put("changes", number_key(state.next_change), key, append=True)
        self._transaction.put("content", outcome.digest, version, overwrite=False)
        state.next_change += 1

    def amend(self, key: bytes, page: PageRecord) -> None:
        """Write a row anew that says nothing new to those who follow the changes."""
        self._transaction.put("pages", key, encode(page))

    def amend_openly(self, key: bytes, page: PageRecord) -> None:
        """Write a row anew, as a change."""
        state = self._transaction.state
        page.change = state.next_change
        state.next_change += 1
        self._transaction.put("pages", key, encode(page))
        self._transaction.put("changes", number_key(page.change), key, append=True)

    def original(self, digest: bytes) -> tuple[str, float] | None:
        """URL of the page that was the first to have a content, and the unix time that it was received at."""
        key = self._transaction.get("content", digest)
        page = None if key is None else self.get(key)
        return None if page is None else (page.url, page.fetched_at)

    def put(self, waiting: WaitingUrl, outcome: Outcome) -> int:
        """Write the row of a URL that was asked for; its page number."""
        state, transaction = self._transaction.state, self._transaction
        number = self._number(waiting.hash)
        key, change = number_key(number), state.next_change
        state.next_change += 1
        transaction.put("pages", key, encode(_record(waiting, outcome, change)))
        transaction.put("changes", number_key(change), key, append=True)
        if outcome.links is not None:
            transaction.put("links", key, outcome.links.record)
        return number

    def put_content(self, digest: bytes, number: int) -> None:
        """Remember which page was the first to have a content."""
        key, put = number_key(number), self._transaction.put
        if not put("content", digest, key, overwrite=False) and not self.has_content(digest):
            put("content", digest, key)

    def _number(self, url_hash: bytes) -> int:
        state = self._transaction.state
        number = state.next_page
        if self._transaction.put("page_of", url_hash, number_key(number), overwrite=False):
            state.next_page += 1
            return number
        return int.from_bytes(self._transaction.get("page_of", url_hash) or b"", "big")


def _record(waiting: WaitingUrl, outcome: Outcome, change: int) -> PageRecord:
    return PageRecord(
        waiting.url,
        outcome.kind,
        outcome.status,
        outcome.failure,
        outcome.fetched_at,
        waiting.depth,
        waiting.referrer,
        outcome.directory,
        outcome.number,
        outcome.size,
        outcome.truncated,
        outcome.digest,
        outcome.content_type,
        outcome.charset,
        outcome.etag,
        outcome.last_modified,
        outcome.title,
        outcome.location,
        outcome.address,
        outcome.elapsed,
        waiting.tries,
        outcome.charset_source,
        outcome.charset_lie,
        outcome.lang,
        outcome.canonical,
        outcome.noindex,
        waiting.lastmod,
        change,
        outcome.charset_confidence,
        outcome.simhash,
    )
