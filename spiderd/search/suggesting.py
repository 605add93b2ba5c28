"""What to search instead, where nothing matches: a near spelling, or fewer words.

A near spelling is sought in the index itself: pages that hold a word within one or two letters of the one
that was typed are opened, and their words are compared. Whatever is suggested has been tried: it matches.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from tantivy import Occur, Query

from spiderd.search.analysis import has_unspaced, rows
from spiderd.search.matching import Matcher
from spiderd.search.opened import View
from spiderd.search.query import Clause, ParsedQuery, Words

MOST = 3
"""Suggestions."""

_TRIED = 12  # queries at most
_RESPELLED = 4  # words
_LONG = 5  # letters of a word in which two may be wrong
_RARER = 20  # times as common a spelling must be, to be suggested for one that there is
_PAGES = 20  # opened for their words
_TEXT = 20_000  # characters of each
_WORD = re.compile(r"[^\W\d_]{3,40}")


def suggestions(view: View, matcher: Matcher, query: ParsedQuery) -> list[str]:
    """Return queries like this one that match something, the nearest first."""
    found: list[str] = []
    for clauses in [*_variants(view, matcher, query.clauses)][:_TRIED]:
        text = str(ParsedQuery(list(clauses)))
        asked = matcher.query(clauses)
        if text not in found and asked is not None and view.searcher.search(asked, limit=1, count=False).hits:
            found.append(text)
            if len(found) == MOST:
                break
    return found


def _variants(view: View, matcher: Matcher, clauses: Sequence[Clause]) -> Iterator[Sequence[Clause]]:
    """Spelled otherwise; the phrases as words; without the words that no page has; without one word."""
    words = list(dict.fromkeys(clause for clause in clauses if _is_word(clause)))
    unknown = [clause for clause in words if not matcher.is_known(clause)]
    respelled = _respellings(view, unknown)
    if respelled:
        yield [respelled.get(clause, clause) for clause in clauses]
    rare = _respellings(view, [clause for clause in words if clause not in unknown], known=True)
    if rare:
        yield [respelled.get(clause) or rare.get(clause, clause) for clause in clauses]
    loose = [*_loosened(clauses)]
    if loose != list(clauses):
        yield loose
    known = [clause for clause in loose if not _is_word(clause) or matcher.is_known(clause)]
    if known and known != loose:
        yield known
    for index in reversed(range(len(known))):
        if len(known) > 1 and not known[index].excluded:
            yield known[:index] + known[index + 1 :]


def _loosened(clauses: Sequence[Clause]) -> Iterator[Clause]:
    for clause in clauses:
        term = clause.terms[0]
        if isinstance(term, Words) and len(term.words) > 1 and not clause.excluded and len(clause.terms) == 1:
            yield from (Clause((Words((word,), term.part),)) for word in term.words)
        else:
            yield clause


def _is_word(clause: Clause) -> bool:
    return not clause.excluded and len(clause.terms) == 1 and isinstance(clause.terms[0], Words)


def _respellings(view: View, clauses: Sequence[Clause], *, known: bool = False) -> dict[Clause, Clause]:
    """Near spellings of words; for one that some page has, only a spelling that is far more common."""
    found = {}
    for clause in clauses[:_RESPELLED]:
        term = clause.terms[0]
        if isinstance(term, Words) and len(term.words) == 1 and _WORD.fullmatch(term.words[0]):
            near = _near(view, term.words[0].lower(), known=known)
            if near:
                found[clause] = Clause((Words((near,), term.part),))
    return found


def _near(view: View, typed: str, *, known: bool) -> str:
    """The word that is nearest to the one that was typed, and of those the most common."""
    if has_unspaced(typed):
        return ""
    for distance in (1,) if known or len(typed) < _LONG else (1, 2):
        near = [
            (edits, -count, word)
            for word, count in _like(view, typed, distance).items()
            if (edits := _edits(typed, word)) and edits <= distance
        ]
        if known:
            usual = _RARER * _pages_with(view, typed)
            near = [each for each in near if _pages_with(view, each[2]) >= usual]
        if near:
            return min(near)[2]
    return ""


def _like(view: View, typed: str, distance: int) -> Counter[str]:
    """Words of pages that have one like it, and on how many of those they are."""
    fuzzy = [Query.fuzzy_term_query(view.schema, field, typed, distance) for field in ("title", "body")]
    query = Query.boolean_query([(Occur.Should, each) for each in fuzzy])
    seen: Counter[str] = Counter()
    for _, address in view.searcher.search(query, limit=_PAGES, count=False).hits:
        kept = view.kept(address)
        text = f"{kept.title} {kept.body[:_TEXT]}".lower()
        seen.update({word for word in _WORD.findall(text) if abs(len(word) - len(typed)) <= distance})
    return seen


def _pages_with(view: View, word: str) -> int:
    return max(view.frequency("body", form.parts[0][0]) for form in rows((word,), view.languages))


def _edits(one: str, other: str) -> int:
    """Edits between two words: letters put in, left out, changed, or two neighbours exchanged."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        last, before, row = before, row, [i] + [0] * len(other)
        for j, another in enumerate(other, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != another))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == another:
                row[j] = min(row[j], last[j - 2] + 1)
    return row[-1]
