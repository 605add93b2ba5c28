"""The throughput graph: columns of block characters over a baseline of zero.

A steady rate must look steady, so the scale always starts at 0 and ends at a round number above the peak. The
time axis is fixed: the newest second is at the right edge, and where there is no data yet there is nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def round_up(value: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is not below the value; 1 for nothing."""
    if value <= 0:
        return 1.0
    magnitude: float = 10.0 ** math.floor(math.log10(value))
    for step in (1, 2, 5, 10):
        if value <= step * magnitude * (1 + 1e-9):
            return step * magnitude
    return 10 * magnitude


def resample(samples: Sequence[float], columns: int, span: int) -> list[float | None]:
    """Average the last `span` samples into `columns`, newest at the right; None where none were taken."""
    result: list[float | None] = []
    last = len(samples)
    for column in range(columns):
        start = last - span + column * span // columns
        stop = max(start + 1, last - span + (column + 1) * span // columns)
        part = samples[max(0, start) : max(0, stop)]
        result.append(sum(part) / len(part) if part else None)
    return result


def draw(values: Sequence[float | None], height: int, top: float, blocks: str) -> list[str]:
    """Draw one line of text a row, the topmost first.

    Args:
        values: one a column.
        height: rows.
        top: the value of a full column.
        blocks: characters from empty to full.
    """
    steps = len(blocks) - 1
    filled = [_filled(value, height * steps, top) for value in values]
    return [
        "".join(blocks[max(0, min(steps, count - row * steps))] for count in filled)
        for row in range(height - 1, -1, -1)
    ]


def _filled(value: float | None, steps: int, top: float) -> int:
    """How many steps of a column are filled; what is not nothing shows at least one."""
    if not value or value < 0:
        return 0
    return max(1, min(steps, round(value / top * steps)))
