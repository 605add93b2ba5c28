"""What a reference came to the last time: menus are the same on every page of a site.

To resolve a reference, make its key, hash it and ask the scope rules costs four microseconds, for all links
of a page as much as its parsing. But most references of a site have been judged on another of its pages, in
the same place: an absolute path means the same all over an origin, a relative one in its folder, a whole URL
everywhere.

Two generations of a stated size: when the young one is full it becomes the old one, and the old one is
forgotten, so that what is used stays and memory does not grow with the crawl.
"""

from __future__ import annotations

import re
from typing import NamedTuple, Protocol

from spiderd.config.declaration import Config
from spiderd.urls.key import key_hash, seen_key
from spiderd.urls.resolve import refusal, resolve

GENERATION = 10_000
"""References that a generation remembers, some 400 bytes each."""

_LONGEST = 300  # a longer reference hardly comes twice
_SCHEME_ALONE = re.compile(r"h[\t\n\r]*t[\t\n\r]*t[\t\n\r]*p[\t\n\r]*s?[\t\n\r]*:(?![/\\])", re.IGNORECASE)


class Judged(NamedTuple):
    """What a reference came to."""

    url: str  # fetch URL; "" where it is none
    hash: bytes  # of its seen key
    reason: str  # "" where it may be fetched (if it is not too deep), else the rule or the scheme


class Rules(Protocol):
    """What decides on fetch URLs."""

    @property
    def config(self) -> Config:
        """Section [urls] makes the key."""

    def decide_url(self, url: str) -> str:
        """Give the reason why a URL may not be fetched, or ""."""


class LinkMemory:
    """Judges references, and remembers."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._young: dict[str, dict[str, Judged]] = {}
        self._old: dict[str, dict[str, Judged]] = {}
        self._count = 0

    def at(self, base: str, encoding: str) -> PlaceMemory:
        """Return what judges the references of one page."""
        return PlaceMemory(self, base, encoding)

    def judge(self, base: str, href: str, encoding: str) -> Judged:
        """Judge a reference afresh."""
        url = resolve(base, href, encoding)
        if url is None:
            return Judged("", b"", refusal(href))
        return Judged(url, key_hash(seen_key(url, self._rules.config.urls)), self._rules.decide_url(url))

    def shelf(self, place: str) -> tuple[dict[str, Judged], dict[str, Judged]]:
        """Return what is known in a place, of the young generation and of the old."""
        young = self._young.get(place)
        if young is None:
            self.added()  # an empty shelf takes room too
            young = self._young[place] = {}
        return young, self._old.get(place, young)

    def added(self) -> None:
        """Count an entry, and let a generation pass."""
        self._count += 1
        if self._count > GENERATION:
            self._old, self._young, self._count = self._young, {}, 0


class PlaceMemory:
    """Judges the references of one page: base, its folder, its origin and its encoding are settled."""

    def __init__(self, memory: LinkMemory, base: str, encoding: str) -> None:
        self._memory = memory
        self._base = base
        self._encoding = encoding
        self._folder = memory.shelf(base[: base.rfind("/", 0, _path_end(base)) + 1])
        self._origin = memory.shelf(base[: base.find("/", 8)])
        self._anywhere = memory.shelf("*")

    def __call__(self, href: str) -> Judged:
        """Judge a reference without its fragment."""
        first = href[:1]
        if first == "/":
            young, old = self._origin
        elif href[:7] == "http://" or href[:8] == "https://":
            young, old = self._anywhere
        elif first <= " " or first == "?" or (first in "hH" and _SCHEME_ALONE.match(href)):
            # Nothing or a query, perhaps behind blanks or behind a scheme without slashes ("http:?q" is
            # relative to a http page): that goes by more of the base than its folder.
            return self._memory.judge(self._base, href, self._encoding)
        else:
            young, old = self._folder
        judged = young.get(href)
        if judged is not None:
            return judged
        judged = old.get(href)
        if judged is None:
            judged = self._memory.judge(self._base, href, self._encoding)
            if len(href) > _LONGEST or not href.isascii():
                return judged  # it depends on the encoding, too, or is not worth its room
        young[href] = judged
        self._memory.added()
        return judged


def _path_end(url: str) -> int:
    query, fragment = url.find("?"), url.find("#")
    return min(query if query >= 0 else len(url), fragment if fragment >= 0 else len(url))
