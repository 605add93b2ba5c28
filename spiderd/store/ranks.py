"""The rank of a waiting URL: 8 bytes whose order is the order of the crawl. Lower is sooner.

    bit 63     tail: set for retries, which wait behind everything that has not been tried yet
    bits 62-48 level: 15 bits, what the chosen order goes by; level 0 is for seeds (depth 0) in any order
    bits 47-0  sequence number of the URL, or its complement where the latest goes first

The sequence number makes each rank unique within an order and is enough for 2.8e14 URLs. A level saturates:
depths beyond 32,766 are one level, and so are URLs with more than 32,766 known in-links. In the tail there
is no level: retries go in the order of the numbers they are given.

A rank lies in the key of a frontier row, so that the next URL of a host is the first key of the host.
Changing the order is changing how a rank is computed, nothing else; ranks of different orders may lie in one
queue (after the order was changed) and are unique all the same, since numbers stay far below 2^47.
"""

from __future__ import annotations

from collections.abc import Callable

from spiderd.config.declaration import Order

SEQUENCE_BITS = 48
SEQUENCES = 1 << SEQUENCE_BITS
TOP_LEVEL = (1 << 15) - 1
MIXED_BREADTH = 3
"""Order `mixed` goes breadth-first down to this depth and depth-first below."""

_TAIL = 1 << 63


def rank(order: Order, depth: int, sequence: int, inlinks: int = 0, *, tail: bool = False) -> bytes:
    """Compute the rank of a waiting URL.

    Args:
        order: `breadth` (shallow first, then first seen), `depth` (deepest first, then latest seen), `mixed`
            (the first levels breadth-first, the rest depth-first) or `best` (most in-links first, then
            first seen).
        depth: links from a seed; 0 for seeds.
        sequence: number of the URL, of 48 bits; later seen is greater.
        inlinks: links to the URL that are known now.
        tail: the URL failed and is to be tried again.

    Raises:
        ValueError: if the sequence number is negative or does not fit.
    """
    if not 0 <= sequence < SEQUENCES:
        raise ValueError(f"sequence number {sequence} is not of {SEQUENCE_BITS} bits")
    if tail:
        return (_TAIL | sequence).to_bytes(8)
    level, latest_first = _level(order, depth, inlinks) if depth > 0 else (0, False)
    return (level << SEQUENCE_BITS | (SEQUENCES - 1 - sequence if latest_first else sequence)).to_bytes(8)


def is_tail(rank: bytes) -> bool:
    """Tell whether a rank is one of the tail; those are the same in every order."""
    return rank[0] >= 0x80


def ranking(order: Order) -> Callable[[int, int, int, bool], bytes]:
    """Return how URLs are ranked in an order: a function of depth, sequence number, in-links, tail."""

    def ranked(depth: int, sequence: int, inlinks: int, tail: bool) -> bytes:  # noqa: FBT001  # hot
        return rank(order, depth=depth, sequence=sequence, inlinks=inlinks, tail=tail)

    return ranked


def _level(order: Order, depth: int, inlinks: int) -> tuple[int, bool]:
    """Return the level of a URL that is no seed (1 to TOP_LEVEL), and whether the latest goes first in it."""
    if order == "breadth":
        return min(depth, TOP_LEVEL), False
    if order == "best":
        return TOP_LEVEL - min(max(inlinks, 0), TOP_LEVEL - 1), False
    if order == "mixed" and depth <= MIXED_BREADTH:
        return depth, False
    # Deepest first. In `mixed` the levels of the breadth-first part stay below: depth d > 3 maps to
    # TOP_LEVEL + 4 - d >= 4 at most TOP_LEVEL.
    floor = MIXED_BREADTH + 1 if order == "mixed" else 1
    return max(TOP_LEVEL + floor - depth, floor), True
