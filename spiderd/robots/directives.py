"""Robots directives of a page: `X-Robots-Tag` headers and `<meta name=robots>`.

De facto standards, as Google and MDN describe them: names are case-insensitive and separated by commas; a
name of a crawler with a colon makes what follows hold for that crawler only, up to the next such name (a
proxy may have joined several headers with commas); where several speak to us, whatever any of them forbids
is forbidden. `unavailable_after` forbids once its time is past. What only a search engine's result page
cares about (noarchive, nosnippet, max-snippet..) means nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from spiderd.robots.rules import product_token
from spiderd.sitemaps.times import lastmod_time

_VALUED = frozenset({"max-image-preview", "max-snippet", "max-video-preview", "unavailable_after"})
_NAMED = re.compile(r"\s*([A-Za-z_*][A-Za-z0-9_.*/-]*)\s*:(.*)", re.DOTALL)
_DATE = re.compile(r"unavailable_after\s*:\s*((?:[A-Za-z]{3,9},)?[^,]*)", re.IGNORECASE)


class Directives(NamedTuple):
    """What a page asks of us."""

    noindex: bool = False
    nofollow: bool = False


def together(several: Iterable[Directives]) -> Directives:
    """Return what holds where several speak: whatever any of them forbids."""
    every = list(several)
    return Directives(any(one.noindex for one in every), any(one.nofollow for one in every))


def speaks_to_us(name: str, agent: str = "spiderd") -> bool:
    """Tell whether a meta element of this name holds robots directives for us."""
    return name.strip().lower() in ("robots", agent.lower())


def of_meta(content: str, now: float | None = None) -> Directives:
    """Read the `content` of a robots meta element.

    Args:
        content: the attribute as written.
        now: unix time, for `unavailable_after`; without it, that directive is not looked at.
    """
    words = {word.strip().lower() for word in content.split(",")}
    none = "none" in words
    gone = now is not None and any((lastmod_time(date) or now) < now for date in _DATE.findall(content))
    return Directives(none or "noindex" in words or gone, none or "nofollow" in words)


def of_headers(values: Iterable[str], agent: str = "spiderd", now: float | None = None) -> Directives:
    """Read the values of all `X-Robots-Tag` headers of an answer."""
    return together(of_meta(_for_us(value, agent.lower()), now) for value in values)


def _for_us(value: str, agent: str) -> str:
    """Return the directives of one header value without those for other crawlers."""
    ours: list[str] = []
    listening = True
    for item in value.split(","):
        named = _NAMED.match(item)
        if named and named[1].lower() not in _VALUED:
            listening = named[1] == "*" or product_token(named[1]).lower() in (agent, "robots")
            item = named[2]  # noqa: PLW2901 - the rest of the item
        if listening:
            ours.append(item)
    return ",".join(ours)
