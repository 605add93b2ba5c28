"""What a verification has found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from msgspec import Struct, field

Relation = Literal[
    "trie",  # the seen-hash trie in itself, and against all URLs that are known
    "waiting",  # frontier, delayed, parked
    "waiting_of",
    "leases",
    "pages",  # rows that cannot be read
    "page_of",
    "errors",
    "changes",
    "content",
    "versions",  # what later visits have replaced
    "visits",  # when pages are visited again
    "links",
    "counters",
    "hosts",
    "tree",  # tallies by directory of a site
    "directories",  # their rows
    "index",  # index.txt against pages
    "files",  # bodies against sizes and digests
]

MOST = 1000
"""Problems that a report describes; the others are counted."""

Progress = Callable[[str, int, int], None]
"""Told which part is walked, how many rows are done, and how many there are."""


class Problem(Struct, frozen=True):
    """One thing that is not as it should be."""

    relation: Relation
    text: str


class Report(Struct, kw_only=True):
    """What was looked at, and what is wrong with it."""

    sound: bool = True
    pages: int = 0  # rows
    waiting: int = 0
    resources: int = 0  # bodies that were read
    bytes: int = 0  # of those
    found: dict[str, int] = field(default_factory=dict)  # relation -> problems
    problems: list[Problem] = field(default_factory=list)  # the first of them
    repaired: dict[str, int] = field(default_factory=dict)  # relation -> problems that are gone
    notes: list[str] = field(default_factory=list)  # what is no damage, but good to know

    def add(self, relation: Relation, text: str) -> None:
        """Count a problem, and describe it unless there are too many."""
        self.sound = False
        self.found[relation] = self.found.get(relation, 0) + 1
        if len(self.problems) < MOST:
            self.problems.append(Problem(relation, text))
