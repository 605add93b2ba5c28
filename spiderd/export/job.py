"""What every form of export is given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from spiderd.states import OutcomeKind
from spiderd.store.records import PageRecord
from spiderd.store.snapshot import Snapshot

Progress = Callable[[str, int, int], None]
"""Told what is exported, how many pages are done, and how many there are."""

TELL = 50  # pages between two reports of progress


@dataclass
class Job:
    """One export under way."""

    snapshot: Snapshot
    archive: Path
    out: BinaryIO
    progress: Progress
    missing: int = 0  # bodies that could not be read
    notes: list[str] = field(default_factory=list)

    def pages(self) -> Iterator[tuple[int, PageRecord]]:
        """Yield number and row of each page, telling how far it is."""
        last = self.snapshot.last
        for number, page in self.snapshot.pages():
            if number % TELL == 0:
                self.progress("pages", number, last)
            yield number, page
        self.progress("pages", last, last)

    def stored(self) -> Iterator[PageRecord]:
        """Yield each page that has a body of its own in the archive."""
        return (page for _, page in self.pages() if page.kind is OutcomeKind.STORED and page.number)
