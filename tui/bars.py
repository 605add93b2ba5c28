"""Bars of one line: how full something is, and how a whole is made up."""

from __future__ import annotations

from collections.abc import Sequence

from tui.glyphs import Glyphs


def bar(share: float, width: int, glyphs: Glyphs) -> tuple[str, str]:
    """Return the full and the empty part of a bar; what is neither empty nor full does not look so."""
    if width <= 0:
        return "", ""
    share = max(0.0, min(1.0, share))
    halves = round(share * width * 2)
    if 0 < share < 1:
        halves = max(1, min(width * 2 - 1, halves))
    full = glyphs.bar_full * (halves // 2) + glyphs.bar_half * (halves % 2)
    return full, glyphs.bar_empty * (width - len(full))


def shares(parts: Sequence[float], width: int) -> list[int]:
    """Split `width` cells in proportion; whatever is not zero gets a cell as long as there are enough."""
    total = sum(parts)
    if total <= 0 or width <= 0:
        return [0] * len(parts)
    largest = sorted(range(len(parts)), key=lambda index: -parts[index])
    cells = [0] * len(parts)
    for index in largest[:width]:
        cells[index] = int(parts[index] > 0)
    exact = [part / total * width for part in parts]
    for index in largest:
        cells[index] += max(0, min(int(exact[index]) - cells[index], width - sum(cells)))
    while sum(cells) < width:
        cells[max(largest, key=lambda index: exact[index] - cells[index])] += 1
    return cells
