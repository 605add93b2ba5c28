"""Robots directives of a page: `X-Robots-Tag` headers and `<meta name=robots>`.

De facto standards, as Google and MDN describe them: names are case-insensitive, separated by commas; a
header value may begin with the name of the crawler that it is for; where several speak, the most
restrictive of all that are for us holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

_NAMES = frozenset(
    {
        "all",
        "follow",
        "index",
        "indexifembedded",
        "nofollow",
        "noindex",
        "none",
        "noarchive",
        "nocache",
        "noai",
        "noimageai",
        "noimageindex",
        "noodp",
        "nosnippet",
        "notranslate",
        "noydir",
    }
)
_VALUED = frozenset({"max-image-preview", "max-snippet", "max-video-preview", "unavailable_after"})
_AGENT = re.compile(r"\s*([A-Za-z0-9_*-]+)\s*:(.*)", re.DOTALL)


class Directives(NamedTuple):
    """What a page asks of us."""

    noindex: bool = False
    nofollow: bool = False


def together(several: Iterable[Directives]) -> Directives:
    """Return what holds where several speak: whatever any of them forbids."""
    every = list(several)
    return Directives(any(one.noindex for one in every), any(one.nofollow for one in every))


def of_meta(content: str) -> Directives:
    """Read the `content` of a robots meta element (named `robots` or after this crawler)."""
    words = {word.strip().lower() for word in content.split(",")}
    none = "none" in words
    return Directives(none or "noindex" in words, none or "nofollow" in words)


def of_headers(values: list[str], agent: str = "spiderd") -> Directives:
    """Read the values of all `X-Robots-Tag` headers of an answer.

    A value that begins with another crawler's name is not for us, and neither is what follows in it. A
    name that begins a directive with a value (`unavailable_after: 25 Jun 2030`) is no crawler's.
    """
    return together(of_meta(value) for value in map(partial(_for_us, agent=agent.lower()), values))


def _for_us(value: str, agent: str) -> str:
    """Return the directives of one header value, "" where it names another crawler."""
    named = _AGENT.match(value)
    if not named or named[1].lower() in _VALUED | _NAMES:
        return value
    return named[2] if named[1].lower() in (agent, "*", "robots") else ""
