"""What to search instead, where nothing matches: a near spelling, or fewer words.

A near spelling is sought in the index itself: pages that hold a word within one or two letters of the one
that was typed are opened, and their words are compared. Whatever is suggested has been tried: it matches.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from tantivy import Occur, Query

from spiderd.search.analysis import has_unspaced
from spiderd.search.matching import Matcher
from spiderd.search.opened import View
from spiderd.search.query import Clause, ParsedQuery, Words

MOST = 3
"""Suggestions."""

_TRIED = 12  # queries at most
_RESPELLED = 4  # words
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
    """Spelled otherwise; without the words that no page has; without one word; the phrases as words."""
    unknown = [clause for clause in clauses if _is_word(clause) and not matcher.is_known(clause)]
    respelled = {
        clause: Clause((spelled,))
        for clause in list(dict.fromkeys(unknown))[:_RESPELLED]
        if (spelled := _respelled(view, clause))
    }
    if respelled:
        yield [respelled.get(clause, clause) for clause in clauses]
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


def _respelled(view: View, clause: Clause) -> Words | None:
    """The word that most pages have of those that are nearest to one that none has."""
    term = clause.terms[0]
    if not isinstance(term, Words) or len(term.words) != 1 or has_unspaced(term.words[0]):
        return None
    typed = term.words[0].lower()
    if not _WORD.fullmatch(typed):
        return None
    for distance in (1, 2) if len(typed) > 4 else (1,):
        near = _near(view, typed, distance)
        if near:
            return Words((near,), term.part)
    return None


def _near(view: View, typed: str, distance: int) -> str:
    query = Query.boolean_query(
        [
            (Occur.Should, Query.fuzzy_term_query(view.schema, field, typed, distance))
            for field in ("title", "body")
        ]
    )
    seen: Counter[str] = Counter()
    for _, address in view.searcher.search(query, limit=_PAGES, count=False).hits:
        kept = view.kept(address)
        text = f"{kept.title} {kept.body[:_TEXT]}".lower()
        seen.update({word for word in _WORD.findall(text) if abs(len(word) - len(typed)) <= 2})
    near = [(edits, -count, word) for word, count in seen.items() if (edits := _edits(typed, word)) <= 2]
    return min(near)[2] if near else ""


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
