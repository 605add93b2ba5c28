"""Spider traps: parts of a site that give ever new URLs and nothing new on them.

Calendars, session ids in paths, faceted search and relative links that nest without end have one thing in
common: their URLs have the same *shape* once numbers, dates, ids and titles are taken out, and after a
while their pages hold nothing that has not been seen. So each (host, path shape, query keys) is put to a
yield test: when the last `traps.shape_window` pages of a shape brought no new content in a row, the shape is
parked with an example; its waiting URLs wait until somebody releases it.

A shape costs a few counters. The table is bounded: beyond `capacity` the shapes least recently fetched are
forgotten, first those that are not parked; a forgotten shape starts anew.
"""

from __future__ import annotations

import re
from collections import OrderedDict

from msgspec import Struct

CAPACITY = 20_000
MAX_SEGMENTS = 12  # a deeper path has the shape of its beginning
MAX_KEYS = 12

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_DATE = re.compile(r"(?:19|20)\d\d([-_.])\d\d?\1\d\d?|\d\d?([-_.])\d\d?\2(?:19|20)\d\d", re.ASCII)
_HEX = re.compile(r"(?=[0-9a-f]*\d)[0-9a-f]{8,}", re.IGNORECASE | re.ASCII)
_TOKEN = re.compile(r"(?=[^.]*\d)(?=[^.]*[A-Za-z])[A-Za-z0-9_-]{20,}", re.ASCII)
_DIGITS = re.compile(r"\d+", re.ASCII)
_WORD_BREAK = re.compile(r"[-_+]|%20")


class ShapeState(Struct, array_like=True, gc=False):
    """What is remembered of one shape."""

    pages: int = 0
    barren: int = 0  # pages in a row without new content
    parked: bool = False
    example: str = ""  # URL of the page that parked it


def shape_of(url: str) -> str:
    """Return the shape of an absolute URL: host, folded path, sorted query keys.

    >>> shape_of("https://a.test/cal/2026-08-14/page12.html?view=day&id=7")
    'a.test/cal/{date}/page#.html?id&view'
    """
    rest = url.partition("#")[0].partition("//")[2]
    before, mark, query = rest.partition("?")
    host, _, path = before.partition("/")
    shape = host.lower() + _path_shape(path)
    return shape + "?" + _keys(query) if mark else shape


def _path_shape(path: str) -> str:
    segments: list[str] = []
    for segment in path.split("/", MAX_SEGMENTS)[:MAX_SEGMENTS]:
        folded = _fold(segment)
        if segments[-2:] == [folded, folded]:  # /a/a/a/a grows without end in one shape
            continue
        segments.append(folded)
    return "/" + "/".join(segments)


def _fold(segment: str) -> str:
    """Take what varies out of one path segment."""
    stem, dot, suffix = segment.rpartition(".")
    if not dot or len(suffix) > 5:
        stem, dot, suffix = segment, "", ""
    if _UUID.fullmatch(stem) or (_HEX.fullmatch(stem) and not stem.isdigit()) or _TOKEN.fullmatch(stem):
        folded = "{id}"
    elif _DATE.fullmatch(stem):
        folded = "{date}"
    elif len(_WORD_BREAK.split(stem)) > 3 or len(stem) > 40:
        folded = "{title}"
    else:
        folded = _DIGITS.sub("#", stem)
    return folded + dot + suffix.lower()


def _keys(query: str) -> str:
    parts = query.replace(";", "&").split("&")[:200]
    keys = sorted({_DIGITS.sub("#", part.partition("=")[0])[:40] for part in parts if part})
    return "&".join(keys[:MAX_KEYS])


class Shapes:
    """The yield test over all shapes of a crawl."""

    def __init__(self, window: int, capacity: int = CAPACITY) -> None:
        self.window = window
        self.capacity = capacity
        self._shapes: OrderedDict[str, ShapeState] = OrderedDict()

    def __len__(self) -> int:
        return len(self._shapes)

    def judge(self, shape: str) -> bool:
        """Tell whether a shape is parked."""
        state = self._shapes.get(shape)
        return state is not None and state.parked

    def record(self, shape: str, url: str, *, new_content: bool) -> bool:
        """Note a page of a shape; returns True where this page has parked the shape."""
        state = self._shapes.get(shape)
        if state is None:
            state = self._shapes[shape] = ShapeState()
            self._forget()
        self._shapes.move_to_end(shape)
        state.pages += 1
        state.barren = 0 if new_content else state.barren + 1
        if state.parked or state.barren < self.window:
            return False
        state.parked, state.example = True, url
        return True

    def release(self, shape: str) -> bool:
        """Let a parked shape go on for another window; returns whether it was parked."""
        state = self._shapes.get(shape)
        if state is None or not state.parked:
            return False
        state.parked, state.barren = False, 0
        return True

    def parked(self) -> dict[str, ShapeState]:
        """Return the parked shapes."""
        return {shape: state for shape, state in self._shapes.items() if state.parked}

    def dump(self) -> list[tuple[str, ShapeState]]:
        """Return everything for the store, least recently fetched first."""
        return list(self._shapes.items())

    def restore(self, rows: list[tuple[str, ShapeState]]) -> None:
        """Take in what `dump` has returned."""
        self._shapes = OrderedDict(rows)
        self._forget()

    def _forget(self) -> None:
        while len(self._shapes) > self.capacity:
            victim = next((shape for shape, state in self._shapes.items() if not state.parked), None)
            self._shapes.pop(victim if victim is not None else next(iter(self._shapes)))
