"""Pages: what is known of every URL that has been asked for, and in which order it became known.

A URL has one page number for good; a later visit writes a new version of its row and a new entry in
`changes`, so that whoever follows the crawl (the indexer) reads on from the last change it has seen.
"""

from __future__ import annotations

from spiderd.messages import Outcome
from spiderd.store.records import PageRecord, WaitingUrl, decode, encode, number_key
from spiderd.store.transaction import Transaction


class Pages:
    """The tables `pages`, `page_of`, `changes`, `content` and `links`."""

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
        """Whether the archive has a page with this content."""
        return self._transaction.get("content", digest) is not None

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
        self._transaction.put("content", digest, number_key(number), overwrite=False)

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
