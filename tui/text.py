"""Text as it goes on the screen: foreign text made harmless, cut and padded to a width, times and shares.

All widths are terminal cells, not characters: a Chinese character takes two.
"""

from __future__ import annotations

import time
from typing import Literal

from rich.cells import cell_len, set_cell_size

from spiderd.printable import printable

UNKNOWN = "-"

Keep = Literal["start", "end"]

# Terminals disagree on the width of what these join or restyle, and a table must not depend on that.
_WIDTH_CHANGERS = dict.fromkeys([0x200C, 0x200D, 0xFE0E, 0xFE0F])


def harmless(text: str) -> str:
    """Return foreign text on one line, without anything that steers a terminal or has no sure width."""
    return text if text.isascii() and text.isprintable() else printable(text).translate(_WIDTH_CHANGERS)


def harmless_lines(text: str) -> str:
    """Return foreign text of several lines, each made harmless."""
    return "\n".join(map(harmless, text.splitlines()))


def short_number(value: float) -> str:
    """Write a number in at most five characters: 950, 12.3k, 1.28M."""
    unit = ""
    for unit in ("", "k", "M", "G"):
        if abs(value) < 999.5 or unit == "G":
            break
        value /= 1000
    if not unit:
        return f"{value:.0f}"
    digits = 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
    return f"{value:.{digits}f}{unit}"


def percent(part: float, whole: float) -> str:
    """Write a share; never rounds to 0 % or 100 % what is neither."""
    if whole <= 0:
        return UNKNOWN
    share = 100 * part / whole
    if 0 < share < 0.1:
        return "<0.1 %"
    if 99.9 < share < 100:
        return ">99.9 %"
    return f"{share:.1f} %"


def clock(at: float) -> str:
    """Write the local time of day of a unix time."""
    return time.strftime("%H:%M:%S", time.localtime(at)) if at > 0 else UNKNOWN


def date(at: float) -> str:
    """Write the local date and time of a unix time."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at)) if at > 0 else UNKNOWN


def plural(count: int, one: str, many: str = "") -> str:
    """Write a count with its noun."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def cut(text: str, width: int, keep: Keep = "start", *, ellipsis: str = "…") -> str:
    """Shorten text to `width` cells, with an ellipsis where something is left out."""
    if width <= 0:
        return ""
    # No more than a few characters a cell are looked at: measuring 8 KiB of URL in each cell would cost.
    window = text[: 4 * width + 4] if keep == "start" else text[-4 * width - 4 :]
    if len(window) == len(text) and cell_len(text) <= width:
        return text
    room = width - cell_len(ellipsis)
    if room <= 0:
        return set_cell_size(ellipsis, width)
    if keep == "start":
        return _head(window, room) + ellipsis
    return ellipsis + _head(window[::-1], room)[::-1]


def fit(text: str, width: int, keep: Keep = "start", *, right: bool = False, ellipsis: str = "…") -> str:
    """Cut or pad text to exactly `width` cells."""
    text = cut(text, width, keep, ellipsis=ellipsis)
    space = " " * (width - cell_len(text))
    return space + text if right else text + space


def fold(text: str, width: int) -> list[str]:
    """Break text into lines of at most `width` cells, at spaces where there are any; at least one line."""
    lines: list[str] = []
    rest = text
    while cell_len(rest) > width > 1:
        head = _head(rest, width)
        space = head.rfind(" ")
        if space > width // 2:
            head = head[:space]
        lines.append(head)
        rest = rest[len(head) :].lstrip(" ")
    return [*lines, rest] if rest or not lines else lines


def _head(text: str, width: int) -> str:
    """Take as many whole characters as fit."""
    used = 0
    for index, character in enumerate(text):
        used += cell_len(character)
        if used > width:
            return text[:index]
    return text
