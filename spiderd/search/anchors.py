"""What other pages call a page: the texts of the links to it, as a small index of their own.

Link texts are the best summary that a page has, but most are known only after the page was indexed. So they
are not put into the index of pages, which would mean to write each page again and again; with every ranking a
new index of them is made, whose entries are a few words each. A search asks it first, and what it finds
takes part in the search of pages as if those words stood there.

Texts are gathered in one pass over the links, for the pages that rank highest: memory is bounded, and a page
to which little links has little to gain. Of a page the most frequent different texts count.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from tantivy import Document, Index, Schema, SchemaBuilder

from spiderd.parse.links import LinkKind
from spiderd.search.analysis import words
from spiderd.search.graph import Directory, link_rows
from spiderd.search.ranking import Ranks
from spiderd.search.schema import register
from spiderd.store.reader import StoreReader

MOST_PAGES = 200_000
"""Pages whose texts are gathered: at most some 300 MB while it lasts."""

_TEXTS = 12  # different texts counted for one page
_KEPT = 6  # of them are kept
_SPOKEN = frozenset({LinkKind.A, LinkKind.AREA})
_HEAP = 16 * 1024 * 1024


def make_schema() -> Schema:
    """Make the schema of the index of texts."""
    return (
        SchemaBuilder()
        .add_unsigned_field("number", fast=True)
        .add_text_field("text", tokenizer_name="words", index_option="position")
        .build()
    )


def gather(
    reader: StoreReader, directory: Directory, ranks: Ranks, progress: Callable[[int], None] = lambda _: None
) -> dict[int, dict[str, int]]:
    """Gather the texts of the links to each page, with how many links have each."""
    wanted = _highest(ranks)
    gathered: dict[int, dict[str, int]] = {}
    for piece in link_rows(reader):
        keys = np.frombuffer(b"".join(record.keys for _, record in piece), ">u8").astype(np.uint64)
        targets = iter(directory.numbers(keys).tolist())
        for number, record in piece:
            for kind, text in zip(record.kinds, record.texts, strict=True):
                target = next(targets)
                if text and kind in _SPOKEN and target != number and wanted[target]:
                    _count(gathered.setdefault(target, {}), text)
        progress(piece[-1][0])
    return gathered


def _highest(ranks: Ranks) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    wanted = np.zeros(len(ranks), np.bool_)
    if len(ranks) - 1 <= MOST_PAGES:
        wanted[1:] = True
    else:
        wanted[np.argpartition(ranks, -MOST_PAGES)[-MOST_PAGES:]] = True
    return wanted


def _count(texts: dict[str, int], text: str) -> None:
    if text in texts:
        texts[text] += 1
    elif len(texts) < _TEXTS:
        texts[text] = 1


def write(folder: Path, gathered: dict[int, dict[str, int]], language: Callable[[int], str]) -> None:
    """Write the index of texts into an empty folder.

    Args:
        folder: made here.
        gathered: by page number.
        language: of a page, by its number.
    """
    folder.mkdir()
    index = register(Index(make_schema(), str(folder)))
    writer = index.writer(heap_size=_HEAP, num_threads=1)
    for number, texts in gathered.items():
        best = sorted(texts, key=lambda text: -texts[text])[:_KEPT]
        document = Document()
        document.add_unsigned("number", number)
        document.add_text("text", " ".join(words("\n".join(best), language(number))))
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()


def open_texts(folder: Path) -> Index:
    """Open the index of texts."""
    return register(Index.open(str(folder)))
