"""How far the index is behind the store, looked at from outside."""

from __future__ import annotations

from pathlib import Path

from spiderd.errors import Unavailable
from spiderd.protocol import IndexState
from spiderd.search.opened import Opened
from spiderd.search.places import Places
from spiderd.search.writing import Checkpoint, read_checkpoint
from spiderd.store.reader import StoreReader


def lag(data_dir: Path) -> IndexState:
    """Compare the checkpoint of the index with the store.

    Raises:
        StorageError: there is no store, or one of another version.
    """
    with StoreReader(data_dir / "store") as reader:
        store = reader.state()
    try:
        searcher = Opened(data_dir).view().searcher
        checkpoint, documents = read_checkpoint(searcher), max(0, searcher.num_docs - 1)
    except Unavailable:
        checkpoint, documents = Checkpoint(), 0
    pages, behind = store.next_page - 1, store.next_change - 1 - checkpoint.change
    indexed = max(0, pages - behind)
    return IndexState(
        state="idle" if indexed == pages else "indexing",
        indexed=indexed,
        pages=pages,
        documents=documents,
        bytes=Places(data_dir).size(),
    )
