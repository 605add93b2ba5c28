"""Pages of which it is asked who links to them, and the walk over all links that finds out.

Problem: a link is kept as the hash of its target, so "who links to this page" has no index; and there are
some thirty links a page.

Structure: the hashes of the pages that are asked about lie sorted in an array of numpy, and the links of
2,000 pages at a time are looked up in it by one binary search each piece. An array holds `MOST` pages
(24 MB); where more are asked about, the links are walked again for the next so many.

Cost, measured: 12 us a page of 15 links, most of it for reading the row.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from spiderd.audit.material import Material
from spiderd.parse.links import LinkRecord, decode_record

MOST = 1_000_000

Numbers: TypeAlias = npt.NDArray[np.int64]
Hashes: TypeAlias = npt.NDArray[np.uint64]


class Targets:
    """Some pages, found by the hashes of their URLs."""

    def __init__(self, material: Material, numbers: Numbers) -> None:
        """Look the hashes of pages up.

        Args:
            material: the store.
            numbers: of the pages, ascending.
        """
        found: list[npt.NDArray[np.uint64]] = []
        for piece in material.store.all_hashes():
            table = np.frombuffer(b"".join(map(b"".join, piece)), ">u8").astype(np.uint64).reshape(-1, 2)
            found.append(table[np.isin(table[:, 1], numbers.astype(np.uint64))])
        rows = np.concatenate(found) if found else np.empty((0, 2), np.uint64)
        self._hashes: Hashes = np.ascontiguousarray(rows[:, 0])  # by hash, as the table is
        self.numbers: Numbers = rows[:, 1].astype(np.int64)

    def __len__(self) -> int:
        return len(self.numbers)

    def find(self, hashes: Hashes) -> Numbers:
        """The place in `numbers` of each URL; -1 for those that are not asked about."""
        if not len(self._hashes):
            return np.full(len(hashes), -1, np.int64)
        places = np.searchsorted(self._hashes, hashes)
        places[places == len(self._hashes)] = 0
        return np.where(self._hashes[places] == hashes, places, -1)


class Link(NamedTuple):
    """A link to a page that is asked about."""

    place: int  # of the target, in `Targets.numbers`
    source: int  # page number
    kind: int
    text: str


def link_rows(material: Material, what: str) -> Iterator[list[tuple[int, LinkRecord]]]:
    """Yield the rows of the link table that can be read, in pieces."""
    for rows in material.store.all_links():
        piece = []
        for number, row in rows:
            if not row or number > material.last:
                continue
            try:
                record = decode_record(row)
            except msgspec.DecodeError:
                continue
            if len(record.keys) == 8 * len(record.kinds) == 8 * len(record.texts):
                piece.append((number, record))
        if piece:
            material.progress(what, piece[-1][0], material.last)
            yield piece


def links_to(targets: Targets, piece: list[tuple[int, LinkRecord]]) -> Iterator[Link]:
    """Yield the links of some pages that lead to pages that are asked about."""
    keys = np.frombuffer(b"".join(record.keys for _, record in piece), ">u8").astype(np.uint64)
    places = targets.find(keys)
    ends = np.cumsum([len(record.kinds) for _, record in piece])
    for at in np.flatnonzero(places >= 0):
        row = int(np.searchsorted(ends, at, side="right"))
        number, record = piece[row]
        column = int(at - (ends[row - 1] if row else 0))
        yield Link(int(places[at]), number, record.kinds[column], record.texts[column])
