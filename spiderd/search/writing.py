"""The index of pages, opened for writing, and its checkpoint.

The checkpoint says up to which change of the store the index has come. It is a document of the index itself,
replaced in the commit that it speaks of; so after any kind of end both are there or neither is, and the
follower goes on exactly behind what can be found. A page that is put in again replaces its older document.
"""

from __future__ import annotations

from pathlib import Path
from typing import Self

import msgspec
from tantivy import Document, Index, IndexWriter, Query, Searcher

from spiderd.errors import StorageError
from spiderd.search.schema import CHECKPOINT, make_schema, register

HEAP = 64 * 1024 * 1024
"""Bytes that tantivy may collect before it writes a segment."""


class Checkpoint(msgspec.Struct, array_like=True):
    """How far the index has come."""

    change: int = 0  # of the store
    highest: int = 0  # page number that was ever put in


class Writing:
    """The open index. A context manager; what was not committed is lost, as if it had never been put in."""

    def __init__(self, folder: Path) -> None:
        """Open the index in a folder, or make it in an empty one.

        Raises:
            StorageError: it cannot be opened; build it anew.
        """
        try:
            self._index = register(Index(make_schema(), str(folder)))
            self._writer: IndexWriter = self._index.writer(heap_size=HEAP, num_threads=1)
            # what a killed writer has left is in the way of files that will have the same names
            self._writer.garbage_collect_files()
            self.checkpoint = read_checkpoint(self._index.searcher())
        except (ValueError, OSError, msgspec.DecodeError) as error:
            raise StorageError(f"The search index in {folder} cannot be opened: {error}.") from error
        self.folder = folder
        self._schema = self._index.schema
        self._put: set[int] = set()  # since the last commit, of pages that were never in before
        self.pending = 0  # changes since the last commit

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._writer.rollback()

    def put(self, number: int, page: Document) -> None:
        """Put a page in, instead of an older version of it."""
        self._forget(number)
        self._writer.add_document(page)
        self.pending += 1
        if number > self.checkpoint.highest:
            self._put.add(number)

    def remove(self, number: int) -> None:
        """Take a page out, if it is in."""
        self._forget(number)

    def _forget(self, number: int) -> None:
        if number > self.checkpoint.highest and number not in self._put:
            return  # it cannot be in; a delete would be looked up in every segment
        self._delete(number)
        self.pending += 1

    def commit(self, change: int) -> None:
        """Make it all true, together with the change up to which it goes.

        Raises:
            StorageError: the disk is full or broken; nothing was changed.
        """
        checkpoint = Checkpoint(change, max(self._put, default=0))
        checkpoint.highest = max(checkpoint.highest, self.checkpoint.highest)
        kept = Document()
        kept.add_unsigned("number", CHECKPOINT)
        kept.add_bytes("kept", msgspec.msgpack.encode(checkpoint))
        try:
            self._delete(CHECKPOINT)
            self._writer.add_document(kept)
            self._writer.commit()
        except (ValueError, OSError) as error:
            raise StorageError(f"The search index in {self.folder} cannot be written: {error}.") from error
        self.checkpoint = checkpoint
        self._put.clear()
        self.pending = 0

    def _delete(self, number: int) -> None:
        # by query, because by term tantivy-py takes the number for a signed one and finds nothing
        self._writer.delete_documents_by_query(Query.term_query(self._schema, "number", number))

    def documents(self) -> int:
        """Pages that can be found."""
        self._index.reload()
        return max(0, self._index.searcher().num_docs - 1)


def read_checkpoint(searcher: Searcher) -> Checkpoint:
    """Read the checkpoint of an index; one that was never committed has come nowhere."""
    query = Query.term_query(make_schema(), "number", CHECKPOINT)
    hits = searcher.search(query, limit=1, count=False).hits
    if not hits:
        return Checkpoint()
    kept = searcher.doc(hits[0][1]).get_first("kept")
    return msgspec.msgpack.decode(bytes(kept or b""), type=Checkpoint)
