"""Why a URL is outside of the scope, in words: with the very key, pattern or number that decides."""

from __future__ import annotations

import re
from collections.abc import Sequence

from spiderd.config import Config
from spiderd.config.rendering import value_as_written
from spiderd.urls import host_key


def in_words(reason: str, url: str, config: Config) -> str:
    """Say what a reason of `ScopeRules` means for a URL; what comes after "it is refused:"."""
    match reason:
        case "exclude":
            pattern = value_as_written(first_match(config.scope.exclude, url))
            return f"matches the pattern {pattern} of scope.exclude"
        case "include":
            return f"matches no pattern of scope.include ({value_as_written(config.scope.include)})"
        case "length":
            return f"has {len(url)} characters, more than urls.max_length = {config.urls.max_length}"
        case "trap":
            return _trap(url, config)
        case "depth":
            return f"is deeper than crawl.max_depth = {config.crawl.max_depth}"
        case "scope":
            return _follow(url, config)
        case "scheme":
            return "is not http or https"
        case _:
            return reason


def in_scope(url: str, depth: int, config: Config) -> str:
    """Say by which rules a URL is in scope.

    Args:
        url: that is.
        depth: links from the nearest seed; 0 is a seed, -1 is not known.
        config: the rules.
    """
    said = "a seed" if depth == 0 else f'scope.follow = "{config.scope.follow}"'
    if depth != 0 and (pattern := first_match(config.scope.include, url)):
        said += f" and the pattern {value_as_written(pattern)} of scope.include"
    if depth < 0 and config.crawl.max_depth:
        said += f"; its depth is not known, and crawl.max_depth = {config.crawl.max_depth}"
    return f"in scope: {said}"


def first_match(patterns: Sequence[str], url: str) -> str:
    """The first of these regular expressions that is found in a URL; "" if none is."""
    return next((pattern for pattern in patterns if re.search(pattern, url, re.IGNORECASE)), "")


def _trap(url: str, config: Config) -> str:
    segments = url.partition("?")[0].count("/") - 2
    if segments > config.traps.max_segments:
        return f"has {segments} path segments, more than traps.max_segments = {config.traps.max_segments}"
    return f"repeats itself more than traps.max_repeats = {config.traps.max_repeats} times, as traps do"


def _follow(url: str, config: Config) -> str:
    follow = config.scope.follow
    what = {
        "page": "is not one of the seeds",
        "prefix": "does not begin as a seed does",
        "host": f"is on {host_key(url)}, which is the host of no seed",
        "site": f"is on {host_key(url)}, which belongs to the site of no seed",
    }.get(follow, "is out of reach")
    return f'{what} (scope.follow = "{follow}")'
