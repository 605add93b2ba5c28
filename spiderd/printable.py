"""Text from the web, made safe for a terminal.

What a page calls its title may hold escape sequences, bidirectional overrides that turn a line around, and
characters that have no width and never end. `printable` is the one gate: everything crawled passes it before
it is shown, on the command line and on the dashboard. It makes no markup harmless: hand the result to
`rich.text.Text` or to a widget with markup off, never to a markup string.

A leaf module: the standard library, and rich's table of cell widths where a width is asked for.
"""

from __future__ import annotations

import re
import unicodedata

ELLIPSIS = "…"
_MARKS = 4  # combining characters on one base; real scripts need no more, and terminals choke on hundreds
_FLOOD = re.compile(
    r"[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]" + f"{{{_MARKS},}}"
)
_JOINERS = "\u200c\u200d"  # format characters that Persian, Indic scripts and emoji are written with


def printable(text: str, max_cells: int | None = None) -> str:
    """Return `text` on one line, without anything that steers a terminal.

    White space of every kind (line ends, tabs, no-break spaces) becomes a space each; control and format
    characters (escape, C1, bidirectional overrides, tags, zero-width) are dropped; lone surrogates, private
    and unassigned characters become U+FFFD.

    Args:
        text: anything.
        max_cells: cut to this many terminal cells, with an ellipsis where something is left out.
    """
    if max_cells is not None:
        # No more than 8 characters a cell are ever looked at: 100 MB of zero-width characters cost nothing.
        text = text[: 8 * max_cells + 8]
    if not text.isprintable():
        text = "".join(map(_safe, text))
    if not text.isascii():
        text = _FLOOD.sub(lambda flood: flood[0][:_MARKS], text)
    return text if max_cells is None else _cut(text, max_cells)


def _safe(character: str) -> str:
    if character.isprintable() or character in _JOINERS:
        return character
    if character.isspace():
        return " "
    return "" if unicodedata.category(character) in {"Cc", "Cf"} else "\ufffd"


def _cut(text: str, cells: int) -> str:
    if text.isascii():
        return text if len(text) <= cells else text[: max(0, cells - 1)] + ELLIPSIS[:cells]
    from rich.cells import cell_len, set_cell_size  # noqa: PLC0415 - plain output does not need it

    if cell_len(text) <= cells:
        return text
    return set_cell_size(text, max(0, cells - 1)).rstrip() + ELLIPSIS[:cells]
