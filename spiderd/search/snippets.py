"""The part of a page that shows why it was found, with the words marked.

Words are recognised as the index recognises them: a word of the text is marked if its form in the page's
language is one that was looked for. Then the window of the text is taken that holds the most different words
of the query, and a second one for those that the first one lacks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from spiderd.search.analysis import UNSPACED, has_unspaced, words

WIDTH = 200
"""Cells of a snippet; ideographs take two."""

_NEAR, _FAR = 8_000, 30_000  # characters looked at; the rest only where the first lack a word
_SECOND = 0.45  # of the width, for a second window
_LEAD = 40  # cells before the first marked word
_MOST, _TRIED = 30, 300  # places of each word, and places where one begins that may be
_ELLIPSIS = "…"
_WORD = re.compile(rf"[^\W_{UNSPACED}]+")


def _accented() -> dict[str, str]:
    """What the index folds into each letter, as far as words begin with it, as a set of an expression."""
    letters: dict[str, str] = {}
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)):
        plain = unicodedata.normalize("NFD", chr(code))[0].lower()
        if plain.isascii() and plain.isalpha():
            letters[plain] = letters.get(plain, plain) + chr(code).lower()
    letters["o"] += "ø"
    letters["s"] += "ß"
    letters["i"] += "\u0131"
    return {letter: f"[{''.join(dict.fromkeys(group))}]" for letter, group in letters.items()}


_ACCENTED = _accented()
_ACCENT = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")

Mark = tuple[int, int]


class Match(NamedTuple):
    """A place in a text, and which term of the query it is."""

    start: int
    end: int
    term: int


class Wanted(NamedTuple):
    """One term of a query: its words in all forms, and what it is in scripts without spaces."""

    words: frozenset[str] = frozenset()
    runs: tuple[str, ...] = ()


class Marker:
    """Finds the words of one query."""

    def __init__(self, wanted: Sequence[Wanted]) -> None:
        self.terms = frozenset(range(len(wanted)))
        self._term_of = {word: term for term, each in enumerate(wanted) for word in each.words}
        self._runs = {run: term for term, each in enumerate(wanted) for run in each.runs}
        longest = sorted(self._runs, key=len, reverse=True)
        self._run = re.compile("|".join(map(re.escape, longest))) if longest else None
        self._beginnings = _shortest({_beginning(word) for word in self._term_of})
        self._begin = _any_of(self._beginnings)
        self._known: dict[tuple[str, str], int | None] = {}

    def find(self, text: str, language: str) -> list[Match]:
        """Find the words in a text, in its order; of a word that is everywhere, the first places."""
        lower = text.lower()
        if len(lower) != len(text):  # of all letters, only the Turkish capital I with a dot
            lower = text
        found: list[Match] = []
        if lower.isascii() or not _ACCENT.search(lower):
            for beginning in self._beginnings:
                self._find(lower, beginning, language, found)
        else:  # several times slower
            for begun in islice(self._begin.finditer(lower), _TRIED):
                self._look(lower, begun.start(), language, found)
        if self._run is not None and not text.isascii():
            runs = islice(self._run.finditer(text), _MOST)
            found += [Match(run.start(), run.end(), self._runs[run[0]]) for run in runs]
        found.sort()
        return found

    def _find(self, text: str, beginning: str, language: str, found: list[Match]) -> None:
        """Find the words with one beginning."""
        most = len(found) + _MOST
        start = text.find(beginning)
        for _ in range(_TRIED):
            if start < 0 or len(found) >= most:
                return
            start = text.find(beginning, self._look(text, start, language, found))

    def _look(self, text: str, start: int, language: str, found: list[Match]) -> int:
        """See whether a word that is wanted begins at a place; where to go on."""
        if start and text[start - 1].isalnum() and not has_unspaced(text[start - 1]):
            return start + 1
        word = _WORD.match(text, start)
        if word is None:
            return start + 1
        term = self._term(word[0], language)
        if term is not None:
            found.append(Match(start, word.end(), term))
        return word.end()

    def _term(self, word: str, language: str) -> int | None:
        key = (word, language)
        if key not in self._known:
            forms = (*words(word, language), word)
            self._known[key] = next((self._term_of[form] for form in forms if form in self._term_of), None)
        return self._known[key]

    def marks(self, text: str, language: str) -> list[Mark]:
        """Ranges of a short text that are to be marked."""
        return _joined(self.find(text, language))


def _beginning(word: str) -> str:
    """What a word begins with whose form in the index this is: stemmers change no more than the end."""
    return word[: max(3, len(word) - 2)]


def _shortest(beginnings: set[str]) -> list[str]:
    """Leave out those that begin with another one."""
    kept: list[str] = []
    for each in sorted(beginnings):
        if not kept or not each.startswith(kept[-1]):
            kept.append(each)
    return kept


def _any_of(beginnings: Iterable[str]) -> re.Pattern[str]:
    patterns = ["".join(_ACCENTED.get(letter, re.escape(letter)) for letter in each) for each in beginnings]
    return re.compile("|".join(patterns) or "(?!)")


def snippet(marker: Marker, text: str, language: str) -> tuple[str, list[Mark]]:
    """Return the part of a text that shows the words best, on one line, and its marks."""
    matches = marker.find(text[:_NEAR], language)
    if len(text) > _NEAR and not marker.terms <= {match.term for match in matches}:
        matches = marker.find(text[:_FAR], language)
    windows = _windows(text, matches)
    line, marks = "", []
    for start, end in windows:
        piece = text[start:end]
        lead = _ELLIPSIS + " " if start > 0 else ""
        if line:
            lead = f" {lead}"
        offset = len(line) + len(lead)
        marks += [
            (match.start - start + offset, match.end - start + offset)
            for match in matches
            if start <= match.start and match.end <= end
        ]
        line += lead + piece
    if windows and windows[-1][1] < len(text):
        line += " " + _ELLIPSIS
    return line.replace("\n", " "), _merged(marks)


def _windows(text: str, matches: Sequence[Match]) -> list[Mark]:
    """Choose one window or two, in the order of the text."""
    if not matches:
        end = _reach(text, 0, WIDTH)
        return [(0, end)] if end else []
    best = _best(text, matches, WIDTH, frozenset())
    covered = {match.term for match in matches if best[0] <= match.start < best[1]}
    if covered == {match.term for match in matches}:
        return [best]
    width = int(WIDTH * _SECOND)
    first = _best(text, matches, WIDTH - width, frozenset())
    covered = {match.term for match in matches if first[0] <= match.start < first[1]}
    rest = [match for match in matches if not first[0] <= match.start < first[1]]
    second = _best(text, rest, width, frozenset(covered)) if rest else first
    if second[0] <= first[1] and first[0] <= second[1]:
        return [(min(first[0], second[0]), max(first[1], second[1]))]
    return sorted((first, second))


def _best(text: str, matches: Sequence[Match], width: int, covered: frozenset[int]) -> Mark:
    """The window that holds the most words that are not covered yet; of equals the first."""
    best, most = (0, 0), -1.0
    for index, match in enumerate(matches):
        seen: set[int] = set()
        score = 0.0
        for other in matches[index:]:
            if other.end - match.start > width - _LEAD:
                break
            new = other.term not in seen
            seen.add(other.term)
            score += (0.1 if other.term in covered else 1.0) if new else 0.05
        if score > most + 1e-9:
            best, most = (match.start, match.end), score
    start = _back(text, best[0], _LEAD)
    return start, _reach(text, start, width)


def _back(text: str, start: int, room: int) -> int:
    """Go back to where a sentence or at least a word begins."""
    low = max(0, start - room)
    before = text[low:start]
    line = before.rfind("\n")
    if line >= 0:
        return low + line + 1
    for end in (". ", "! ", "? ", "\u3002", "\uff01", "\uff1f"):
        at = before.rfind(end)
        if at >= 0:
            return low + at + len(end)
    if low == 0:
        return 0
    blank = before.find(" ")
    return low + blank + 1 if blank >= 0 else low


def _reach(text: str, start: int, width: int) -> int:
    """Go on for a number of cells, to the end of a word."""
    cells, place = 0, start
    while place < len(text) and cells < width:
        cells += 2 if "\u1100" <= text[place] <= "\uffdc" or text[place] >= "\U00020000" else 1
        place += 1
    if place < len(text) and text[place].isalnum() and text[place - 1].isalnum() and cells == place - start:
        blank = text.rfind(" ", start + (place - start) // 2, place)
        place = blank if blank > 0 else place
    return start + len(text[start:place].rstrip())


def _joined(matches: Iterable[Match]) -> list[Mark]:
    return _merged((match.start, match.end) for match in matches)


def _merged(marks: Iterable[Mark]) -> list[Mark]:
    """Marks in order; those that touch become one."""
    merged: list[Mark] = []
    for start, end in sorted(marks):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
