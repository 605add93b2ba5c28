"""Bar charts: where their bars and texts stand. The template draws them as SVG, and escapes the texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

WIDTH = 720
BAR, GAP = 18, 6  # heights in pixels
LABEL, VALUE = 190, 90  # widths of what stands beside the bars
MOST = 30  # bars
LONGEST = 28  # characters of a label


class Bar(NamedTuple):
    """One bar with its texts."""

    y: int
    base: int  # of the texts
    length: float
    after: float  # where the value stands
    label: str  # cut
    whole: str
    value: str


class Chart(NamedTuple):
    """Horizontal bars, in pixels."""

    width: int
    height: int
    bar: int  # height of a bar
    start: int  # where bars begin
    bars: list[Bar]


def chart_of(rows: Sequence[tuple[str, float, str]]) -> Chart:
    """Lay a chart out; beyond `MOST` rows are left out.

    Args:
        rows: label, value, and the value as people read it.
    """
    shown = rows[:MOST]
    most = max((value for _, value, _ in shown), default=0) or 1
    bars = []
    for place, (label, value, written) in enumerate(shown):
        y = GAP + place * (BAR + GAP)
        length = max(1.0, round((WIDTH - LABEL - VALUE) * value / most, 1))
        cut = label if len(label) <= LONGEST else label[: LONGEST - 1] + "…"
        bars.append(Bar(y, y + BAR - 5, length, LABEL + length + 6, cut, label, written))
    return Chart(WIDTH, len(shown) * (BAR + GAP) + GAP, BAR, LABEL, bars)
