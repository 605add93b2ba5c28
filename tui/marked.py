"""Foreign text in which words are marked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from textual.content import Content

from tui.text import harmless

MARK = "bold underline"  # seen without colours as well


def marked(text: str, marks: Iterable[tuple[int, int]]) -> Content:
    """Return a text with ranges [from, to) of its characters marked, on one line and harmless."""
    # Cut first and made harmless afterwards: that drops characters, and the ranges count them.
    pieces = [
        (harmless(piece), MARK) if is_marked else harmless(piece) for piece, is_marked in split(text, marks)
    ]
    return Content.assemble(*pieces)


def split(text: str, marks: Iterable[tuple[int, int]]) -> Iterator[tuple[str, bool]]:
    """Cut a text at its marks; ranges that make no sense are put right or left out."""
    at = 0
    for first, last in sorted(marks):
        start, stop = max(at, first), min(len(text), last)
        if start >= stop:
            continue
        if start > at:
            yield text[at:start], False
        yield text[start:stop], True
        at = stop
    if at < len(text):
        yield text[at:], False
