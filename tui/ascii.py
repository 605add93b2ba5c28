"""The last gate for terminals that have nothing but ASCII: whatever is drawn, by us or by Textual, passes it.

Shapes that carry meaning (bars, the graph, the symbols of states) are chosen in `glyphs`; what is left here
is punctuation, frames, scroll bars, and foreign text, of which a question mark a cell must remain.
"""

from __future__ import annotations

import unicodedata

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_SIGNS = str.maketrans(
    {
        "·": "-",
        "…": "~",
        "\u2013": "-",
        "—": "-",
        "\u2018": "'",
        "\u2019": "'",
        "“": '"',
        "”": '"',
        "↑": "^",
        "↓": "v",
        "←": "<",
        "→": ">",
        "▲": "^",
        "▼": "v",
        "▸": ">",
        "✓": "+",
        "█": "#",
        "▉": "#",
        "▊": "#",
        "▋": "#",
        "▌": "|",
        "▍": "|",
        "▎": "|",
        "▏": "|",
        "▐": "|",
        "▀": "-",
        "▁": "_",
        "▂": "_",
        "▃": "_",
        "▄": "_",
        "▅": "#",
        "▆": "#",
        "▇": "#",
        "▔": "-",
        "─": "-",
        "━": "=",
        "│": "|",
        "┃": "|",
        **dict.fromkeys("╭╮╰╯┌┐└┘├┤┬┴┼", "+"),
    }
)


def to_ascii(text: str) -> str:
    """Write text in ASCII, in as many cells."""
    if text.isascii():
        return text
    text = text.translate(_SIGNS)
    return text if text.isascii() else "".join(map(_character, text))


def _character(character: str) -> str:
    """Take an accent off; a question mark a cell stands for what has no likeness."""
    if character.isascii():
        return character
    bare = unicodedata.normalize("NFKD", character)[0]
    width = cell_len(character)
    return bare if bare.isascii() and bare.isprintable() and width == 1 else "?" * width


class AsciiFilter(LineFilter):
    """Rewrites every segment."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - Textual's signature
        """Rewrite the segments of one line."""
        return [Segment(to_ascii(text), style, control) for text, style, control in segments]
