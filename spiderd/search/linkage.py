"""What the link graph says, as files beside the index: ranks, numbers of links, texts of links.

A folder of it is written once, whole, and replaced by the next one (`spiderd.search.places`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from tantivy import Index

from spiderd.errors import StorageError
from spiderd.search import anchors
from spiderd.search.graph import Directory, read_graph
from spiderd.search.places import Places
from spiderd.search.ranking import Ranks, page_rank
from spiderd.store.reader import StoreReader

VERSION = 1

Told = Callable[[str, int, int], None]
"""Told of progress: what is being done, how far it is, of how many."""

_RANKS, _INLINKS, _TEXTS = "ranks.npy", "inlinks.npy", "texts"

Array: TypeAlias = npt.NDArray[np.float32] | npt.NDArray[np.uint32]


class Linkage:
    """The current ranks, mapped into memory."""

    def __init__(self, folder: Path | None) -> None:
        """Open a folder; None stands for a crawl that was never ranked.

        Raises:
            FileNotFoundError: it has been replaced meanwhile.
        """
        self.folder = folder
        self.texts: Index | None = None
        self.ranks: npt.NDArray[np.float32] = np.zeros(1, np.float32)
        self._inlinks: npt.NDArray[np.uint32] = np.zeros(1, np.uint32)
        if folder is not None:
            self.ranks = np.load(folder / _RANKS, mmap_mode="r")
            self._inlinks = np.load(folder / _INLINKS, mmap_mode="r")
            self.texts = anchors.open_texts(folder / _TEXTS)

    def priors(self, numbers: list[int]) -> npt.NDArray[np.float64]:
        """How much more likely than the average each page is, as a logarithm; 0 for what has no rank."""
        wanted = np.array(numbers, np.int64)
        wanted[wanted >= len(self.ranks)] = 0
        ranks = np.asarray(self.ranks[wanted], np.float64) * (len(self.ranks) - 1)
        return np.log1p(ranks)

    def inlinks(self, number: int) -> int:
        """Links to a page; -1 where they were never counted."""
        return int(self._inlinks[number]) if self.folder is not None and number < len(self._inlinks) else -1


def update(places: Places, reader: StoreReader, hash_of: Callable[[str], bytes], told: Told) -> int:
    """Rank all pages anew; how many links there are.

    Raises:
        StorageError: the store cannot be read, or the files cannot be written.
    """
    pages = reader.state().next_page - 1
    directory = Directory(reader)
    graph = read_graph(reader, directory, hash_of, lambda number: told("reading links", number, pages))
    told("ranking", pages, pages)
    old = places.current("links", VERSION)
    ranks = page_rank(graph, _former(old))
    gathered = anchors.gather(
        reader, directory, ranks, lambda number: told("reading link texts", number, pages)
    )
    folder = places.new("links")
    try:
        np.save(folder / _RANKS, ranks.astype(np.float32))
        np.save(folder / _INLINKS, graph.inlinks())
        anchors.write(folder / _TEXTS, gathered, lambda number: _language(reader, number))
        places.publish("links", VERSION, folder)
    except (OSError, ValueError) as error:
        raise StorageError(f"The ranks in {folder} cannot be written: {error}.") from error
    places.sweep("links", folder)
    return len(graph.sources)


def pages_of(folder: Path) -> int:
    """How many pages there were at a ranking."""
    try:
        return len(np.load(folder / _RANKS, mmap_mode="r")) - 1
    except (OSError, ValueError):
        return 0


def _former(folder: Path | None) -> Ranks | None:
    if folder is None:
        return None
    try:
        ranks: Ranks = np.load(folder / _RANKS).astype(np.float64)
    except (OSError, ValueError):
        return None
    return ranks


def _language(reader: StoreReader, number: int) -> str:
    page = reader.page(number)
    return page.lang.partition("-")[0].lower() if page is not None else ""
