"""Spider traps: parts of a site that give ever new URLs and nothing new on them.

Calendars, session ids in paths, faceted search and relative links that nest without end have one thing in
common: their URLs have the same *shape* once numbers, dates, ids and titles are taken out, and after a
while their pages hold nothing that has not been seen. So each (host, path shape, query keys) is put to a
yield test: when the last `traps.shape_window` pages of a shape brought no new content in a row, the shape is
parked with an example; its waiting URLs wait until somebody releases it.

A part of a site that does not grow is no trap, however dull: only a page that leads on, to URLs that had
never been seen, counts against its shape. A thousand copies under a thousand URLs that are all known are
fetched to the end; the copy that names the next copy is what a trap is made of.

A shape costs a few counters. The table is bounded: beyond `capacity` the open shapes least recently fetched
are forgotten, and parked ones where they are more than half of it; a forgotten shape starts anew.

A page whose content is known has links all the same, and they may lead to new pages: the Apache manual keeps
the same file under ten language paths, and dropping the links of duplicates loses 403 of its 2,658 pages
(15%); near-duplicates are worse to go by (735 of 3,303 pages of the Debian handbook are nearly an earlier
one, being translations that are not finished). So what is not new counts against its shape, and only a
parked shape's links are dropped. In the Rust documentation 94 pages in a row of one shape are nearly the
same text about 94 things, and pages that a program writes (shops, archives, measurements) may differ in
their numbers and in nothing else. A page that is not fetched is a loss while a request too many is a request;
so a near-duplicate counts little, and less the less its place looks like that of an endless site:

    1/4     its URL speaks of dates: an endless calendar ends after 200 pages
    1/32    it is many links away from any seed, as what leads from one page to the next for ever gets: 1,600
    1/256   elsewhere: 12,800

With that, the yield test loses none of the 36,000 pages of these three and of the Boost, libstdc++ and SQLite
manuals. Comparing a page costs more than storing it, so it begins where it can matter: the first pages of a
shape whose URLs do not speak of dates are not compared, since all of them together would weigh what one
barren page does.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from functools import lru_cache

from msgspec import Struct

CAPACITY = 20_000
NEAR_WEIGHT = 1 / 256  # of a near-duplicate
NEAR_WEIGHT_FAR = 1 / 32  # where it is more than `FAR` links from any seed
NEAR_WEIGHT_DATED = 1 / 4  # where its URL speaks of dates
ALONE = 32  # pages of a shape without dates that are not compared with others
FAR = 30  # a million pages that each lead to two others are 20 links deep
MAX_SEGMENTS = 12  # a deeper path has the shape of its beginning
MAX_KEYS = 12

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_DATE = re.compile(r"(?:19|20)\d\d([-_.])\d\d?\1\d\d?|\d\d?([-_.])\d\d?\2(?:19|20)\d\d", re.ASCII)
_HEX = re.compile(
    r"(?<![a-z0-9])(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{8,}(?![a-z0-9])", re.IGNORECASE | re.ASCII
)
_TOKEN = re.compile(r"(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{16,}", re.ASCII)
_DIGITS = re.compile(r"\d+", re.ASCII)
_DATED = re.compile(
    r"(?<![a-z])(?:cal(?:endar)?s?|kalender|calendrier|calendario|agenda|events?|termine|schedule|date|days?|tag"
    r"|weeks?|woche|months?|monat|mois|mes|years?|jahr|annee|ano)(?![a-z])"
    r"|(?<![0-9])(?:19|20|21)[0-9]{2}[-/_.](?:0?[1-9]|1[0-2])(?![0-9])",
    re.IGNORECASE | re.ASCII,
)
_VARIABLE = re.compile(r"[#?]|\{(?:id|date)\}")  # machines make numbers, dates, ids and queries
_WORD_BREAK = re.compile(r"[-_+]|%20")


class ShapeState(Struct, array_like=True, gc=False):
    """What is remembered of one shape."""

    pages: int = 0
    barren: float = 0.0  # pages in a row that lead on and have no new content; see `near_weight`
    example: str = ""  # URL of the page that parked it
    waiting: int = 0  # URLs that were parked with it


@lru_cache(maxsize=1024)  # it is asked for when a URL is handed out, and when its page is there
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
        if segments[-3:] == [folded] * 3:  # /a/a/a/a/a grows without end in one shape
            continue
        segments.append(folded)
    return "/" + "/".join(segments)


@lru_cache(maxsize=1024)  # folders come again with each of their files
def _fold(segment: str) -> str:
    """Take what varies out of one path segment."""
    name, mark, parameters = segment.partition(";")
    stem, dot, suffix = name.rpartition(".")
    if not dot or not 0 < len(suffix) < 6:
        stem, dot, suffix = name, "", ""
    if _UUID.fullmatch(stem) or _TOKEN.fullmatch(stem):
        folded = "{id}"
    elif _DATE.fullmatch(stem):
        folded = "{date}"
    elif len(_WORD_BREAK.split(stem)) > 3 or len(stem) > 40:
        folded = "{title}"
    else:
        folded = _DIGITS.sub("#", _HEX.sub("{id}", stem))
    return folded + dot + suffix.lower() + mark + (_keys(parameters) if mark else "")


def _keys(query: str) -> str:
    parts = query.replace(";", "&").split("&")[:200]
    keys = sorted({_DIGITS.sub("#", part.partition("=")[0])[:40] for part in parts if part})
    return "&".join(keys[:MAX_KEYS])


def _is_dated(url: str) -> bool:
    return _DATED.search(url.partition("//")[2].partition("/")[2]) is not None


def near_weight(url: str, depth: int) -> float:
    """Return what a near-duplicate with this URL, so many links from a seed, counts of a barren page."""
    if _is_dated(url):
        return NEAR_WEIGHT_DATED
    return NEAR_WEIGHT_FAR if depth > FAR else NEAR_WEIGHT


class Shapes:
    """The yield test over all shapes of a crawl."""

    def __init__(self, window: int, capacity: int = CAPACITY) -> None:
        self.window = window
        self.capacity = capacity
        self._open: OrderedDict[str, ShapeState] = OrderedDict()
        self._parked: OrderedDict[str, ShapeState] = OrderedDict()

    def __len__(self) -> int:
        return len(self._open) + len(self._parked)

    def judge(self, shape: str) -> bool:
        """Tell whether a shape is parked."""
        return shape in self._parked

    def compares(self, shape: str, url: str) -> bool:
        """Tell whether the next page of a shape, this one, is to be compared with others."""
        if _VARIABLE.search(shape) is None:
            return False
        state = self._open.get(shape)
        return (state is not None and state.pages >= ALONE) or _is_dated(url)

    def record(
        self,
        shape: str,
        url: str,
        *,
        new_content: bool,
        nearly_known: bool = False,
        leads_on: bool = True,
        depth: int = 0,
    ) -> bool:
        """Note a page of a shape.

        Args:
            shape: of the page's URL.
            url: the page, an example where it parks the shape.
            new_content: no page with this very content was known.
            nearly_known: a near-duplicate was known; means nothing where the content is not new anyway.
            leads_on: it brought URLs that had never been seen.
            depth: links from the nearest seed.

        Returns:
            True where this page has parked the shape.
        """
        state = self._parked.get(shape)
        if state is not None:  # a page that was on its way
            state.pages += 1
            return False
        state = self._open.setdefault(shape, ShapeState())
        self._open.move_to_end(shape)
        state.pages += 1
        if new_content and not nearly_known:
            state.barren = 0.0
        elif leads_on:
            state.barren += near_weight(url, depth) if new_content else 1.0
        parks = state.barren >= self.window
        if parks:
            state.example = url
            self._parked[shape] = self._open.pop(shape)
        self._forget()
        return parks

    def credit(self, shape: str) -> bool:
        """Something new was found by way of a shape's pages: it starts anew; returns whether it is parked."""
        state = self._open.get(shape)
        if state is not None:
            state.barren = 0.0
        return shape in self._parked

    def set_aside(self, shape: str) -> ShapeState | None:
        """Count a URL that is parked with its shape; returns its state, None where that is not parked."""
        state = self._parked.get(shape)
        if state is not None:
            state.waiting += 1
        return state

    def release(self, shape: str) -> bool:
        """Let a parked shape go on for another window; returns whether it was parked."""
        state = self._parked.pop(shape, None)
        if state is None:
            return False
        state.barren, state.waiting = 0.0, 0
        self._open[shape] = state
        return True

    def parked(self) -> dict[str, ShapeState]:
        """Return the parked shapes, the first parked first."""
        return dict(self._parked)

    def dump(self) -> tuple[list[tuple[str, ShapeState]], list[tuple[str, ShapeState]]]:
        """Return everything for the store: the open shapes, least recently fetched first, and the parked."""
        return list(self._open.items()), list(self._parked.items())

    def restore(self, still_open: list[tuple[str, ShapeState]], parked: list[tuple[str, ShapeState]]) -> None:
        """Take in what `dump` has returned."""
        self._open, self._parked = OrderedDict(still_open), OrderedDict(parked)
        self._forget()

    def _forget(self) -> None:
        while len(self._parked) > self.capacity // 2:
            self._parked.popitem(last=False)
        while len(self) > self.capacity:
            self._open.popitem(last=False)
