"""Traps that show in the URL alone: paths without end, and paths that bite their own tail.

A relative link that should have been absolute, on a server that answers anything, makes
`/a/b/a/b/a/b/...`. Some sites do repeat a segment (`/2024/01/01/`, `/en/en/`), so a run may follow itself
a few times before it counts.
"""

from __future__ import annotations

from collections import Counter


def is_trap(target: str, max_segments: int, max_repeats: int) -> bool:
    """Say whether a path looks like a trap.

    Args:
        target: Path and query of a URL.
        max_segments: More path segments than this are a trap.
        max_repeats: A run of segments that stands there more often than this, one after the other, is a trap;
            so is one and the same parameter that does, wherever it stands in the query.
    """
    path, _, query = target.partition("?")
    count = path.count("/")
    if count > max_segments:
        return True
    if count > max_repeats:
        segments = path.split("/")[1:]
        if len(set(segments)) <= count - max_repeats and _repeats(segments, max_repeats):
            return True
    if query.count("&") >= max_repeats:
        return max(Counter(query.split("&")).values()) > max_repeats
    return False


def _repeats(segments: list[str], max_repeats: int) -> bool:
    """Whether some run of segments follows itself more than `max_repeats` times.

    A run of length p that stands n times in a row shows as (n - 1) * p neighbours at distance p that are
    equal. Cost: segments squared at the most, and their number is bounded by the caller.
    """
    count = len(segments)
    for period in range(1, count // (max_repeats + 1) + 1):
        equal = 0
        for left, right in zip(segments, segments[period:], strict=False):
            equal = equal + 1 if left == right else 0
            if equal >= period * max_repeats:
                return True
    return False
