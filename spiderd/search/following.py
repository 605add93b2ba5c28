"""Brings the index up to date with the store, piece by piece."""

from __future__ import annotations

import logging
from pathlib import Path

from tantivy import Document

from spiderd.search.attempts import Attempts
from spiderd.search.reading import bare_entry, is_wanted, read_entry
from spiderd.search.schema import document
from spiderd.search.writing import Writing
from spiderd.store.reader import Change, StoreReader
from spiderd.store.records import PageRecord

PIECE = 20
"""Changes of one step: some hundredths of a second, after which whoever wants an end is heard."""

log = logging.getLogger(__name__)


class Following:
    """Follows the changes of a store. Nothing counts before it is committed."""

    def __init__(self, data_dir: Path, reader: StoreReader, writing: Writing, attempts: Attempts) -> None:
        """Go on where the index has come to."""
        self._archive = data_dir / "pages"
        self._reader = reader
        self._writing = writing
        self._attempts = attempts
        self._change = writing.checkpoint.change

    def step(self, limit: int = PIECE) -> int:
        """Deal with the next changes of the store; how many there were."""
        changes = self._reader.changes(self._change, limit)
        for change in changes:
            self._take(change)
            self._change = change.change
        return len(changes)

    def commit(self) -> None:
        """Make true what was dealt with.

        Raises:
            StorageError: nothing was changed.
        """
        if self._change > self._writing.checkpoint.change:
            self._writing.commit(self._change)

    @property
    def uncommitted(self) -> bool:
        """Whether something was dealt with since the last commit."""
        return self._change > self._writing.checkpoint.change

    def progress(self) -> tuple[int, int]:
        """Pages that were dealt with, and pages that there are."""
        state = self._reader.state()
        pages, behind = state.next_page - 1, state.next_change - 1 - self._change
        return max(0, pages - behind), pages

    def _take(self, change: Change) -> None:
        page = self._document(change.number, change.page) if is_wanted(change.page) else None
        if page is None:
            self._writing.remove(change.number)
        else:
            self._writing.put(change.number, page)

    def _document(self, number: int, page: PageRecord) -> Document | None:
        """What goes in for a page; one that cannot be read can at least be found by its title."""
        if self._attempts.is_deadly(number):
            log.warning("%s is not read: the indexer died of it %d times", page.url, self._attempts.deaths)
        else:
            try:
                with self._attempts.at(number):
                    return document(read_entry(number, page, self._archive))
            except Exception as error:  # noqa: BLE001  # whatever a page has done, the next one waits
                log.warning("%s cannot be read for the index: %r", page.url, error)
        try:
            return document(bare_entry(number, page))
        except ValueError as error:  # not even its URL is text
            log.warning("%s cannot be indexed: %r", ascii(page.url), error)
            return None
