"""One line made of parts, some of which give way when the window is narrow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from tui.text import cut


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a line; `drop` = 0 stays, 1 goes first."""

    text: str
    role: str = ""
    drop: int = 0
    gap: int = 2  # cells before it
    command: str = ""  # given when it is clicked


def pack(parts: Sequence[Part], width: int, *, ellipsis: str = "…") -> list[Part]:
    """Keep the parts that fit in `width` cells; what may not be dropped is cut at the end."""
    kept = [part for part in parts if part.text]
    while length(kept) > width and any(part.drop for part in kept):
        kept.remove(min((part for part in kept if part.drop), key=lambda part: part.drop))
    result: list[Part] = []
    room = width
    for part in kept:
        room -= part.gap if result else 0
        if room <= 0:
            break
        text = cut(part.text, room, ellipsis=ellipsis)
        result.append(Part(text, part.role, part.drop, part.gap, part.command))
        room -= cell_len(text)
    return result


def length(parts: Sequence[Part]) -> int:
    """Cells that the parts take in a row."""
    return sum(cell_len(part.text) + part.gap for part in parts) - (parts[0].gap if parts else 0)


def spread(
    left: Sequence[Part], right: Sequence[Part], width: int, *, ellipsis: str = "…"
) -> tuple[list[Part], list[Part]]:
    """Keep what fits of two groups, one at each end of a line; drops count across both."""
    gap = 2 if left and right else 0
    both = [*left, *right]
    while length(both) + gap > width and any(part.drop for part in both):
        both.remove(min((part for part in both if part.drop), key=lambda part: part.drop))
    kept = [part for part in left if part in both]
    rest = pack([part for part in right if part in both], width, ellipsis=ellipsis)
    return pack(kept, max(0, width - length(rest) - gap), ellipsis=ellipsis), rest
