"""From an understood query to one that the index answers.

Each word must be on the page, in whichever field; a page's relevance is the weighted sum of the BM25 scores
of the fields that hold it, so a word in the title counts more than one in the text and a word in the
navigation less (BM25F in spirit: one saturation a field, not one for all). Words that say nothing
(`the`, `how`) need not be there, unless there are no others. Words of the query that follow each other in a
title or text earn a bonus.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from tantivy import FieldType, Occur, Query, Schema

from spiderd.search.analysis import Form, forms, has_unspaced, is_idle, rows, segments, split
from spiderd.search.query import Clause, Language, Site, Span, Term, Words
from spiderd.search.schema import EVERY
from spiderd.search.snippets import Wanted

FIELDS: Mapping[str, float] = {"title": 2.0, "headings": 2.0, "body": 1.0, "rest": 0.6, "url": 0.5}
"""Fields in which a word is looked for, and what it is worth there (tuned: `bench/search_quality.py`)."""

PAIRS_WEIGHT = 0.5  # of Chinese pairs, beside the words
TITLE_BONUS = 3.0  # for a title that has the words of the query in a row
BODY_BONUS = 0.5  # for a text that has them close together
LEAST_BEGUN = 2  # letters of a word that is being typed, from which on it may be the beginning of others
BEGUN_WEIGHT = 0.5  # of those
_SLOP = 3  # words between them
_TEXT: Mapping[str, float] = {"text": 1.0}  # the field of the index of link texts


class Matcher:
    """Makes queries for one state of an index."""

    def __init__(
        self,
        schema: Schema,
        languages: Iterable[str],
        frequency: Callable[[str, str], int],
        completions: Callable[[str, str], list[str]] = lambda *_: [],
    ) -> None:
        """Bind to an index.

        Args:
            schema: of the index.
            languages: that its pages are written in.
            frequency: pages whose field (first) holds a word (second).
            completions: words of a field (first) that begin with something (second), common ones first.
        """
        self._schema = schema
        self._languages = tuple(languages)
        self._frequency = frequency
        self._completions = completions

    def query(
        self, clauses: Sequence[Clause], named: Mapping[int, float] = MappingProxyType({})
    ) -> Query | None:
        """Make a query of clauses; None where they ask for nothing that could be found.

        Args:
            clauses: of the user's query.
            named: pages that count as if they held all words, since links to them do; with their scores.
        """
        must = [
            query
            for clause in clauses
            if not clause.excluded and not _is_text(clause)
            if (query := self._clause(clause))
        ]
        texts = [clause for clause in clauses if not clause.excluded and _is_text(clause)]
        excluded = [query for clause in clauses if clause.excluded if (query := self._clause(clause))]
        if texts:
            text = self._text(texts)
            if text is None and not must:
                return None
            must += [] if text is None else [_either([text, *self._named(named)])]
        elif not must:
            if not excluded:
                return None
            must.append(self._term("site", EVERY))
        return Query.boolean_query(
            [(Occur.Must, query) for query in must] + [(Occur.MustNot, query) for query in excluded]
        )

    def _text(self, clauses: list[Clause]) -> Query | None:
        """Pages that hold the words."""
        made = [(clause, query) for clause in clauses if (query := self._clause(clause)) is not None]
        if not made:
            return None
        idle = [self._is_idle(clause) for clause, _ in made]
        if all(idle):
            idle = [False] * len(made)
        parts = [
            (Occur.Should if lazy else Occur.Must, query) for lazy, (_, query) in zip(idle, made, strict=True)
        ]
        return Query.boolean_query(parts + [(Occur.Should, bonus) for bonus in self._bonuses(clauses)])

    def is_known(self, clause: Clause) -> bool:
        """Whether some page holds the words of a clause by themselves."""
        return any(
            self._frequency(field, part[0])
            for term in clause.terms
            if isinstance(term, Words)
            for word in term.words
            for piece in split(word)
            for form in forms(piece, self._languages)
            for part in form.parts
            for field in FIELDS
        )

    def wanted(self, clauses: Sequence[Clause]) -> list[Wanted]:
        """What is to be marked in the text of a page."""
        asked = [clause for clause in clauses if not clause.excluded]
        spoken = [clause for clause in asked if not self._is_idle(clause)] or asked
        terms = [term for clause in spoken for term in clause.terms]
        return [
            each
            for term in terms
            if isinstance(term, Words) and term.part != "url"
            for each in self._marked(term)
        ]

    def _marked(self, term: Words) -> Iterable[Wanted]:
        """Each word by itself, so that a snippet can show all of them."""
        for piece in (piece for word in term.words for piece in split(word)):
            if has_unspaced(piece):
                yield Wanted(runs=(piece,))
                yield from (Wanted(runs=(word,)) for word in segments(piece))
            else:
                found = rows((piece,), self._languages)
                completed = {form.parts[0][0] for form in self._completed(piece)} if term.begun else set()
                for each in zip(*(form.parts[0] for form in found), strict=False):
                    yield Wanted(words=frozenset(each) | completed)

    def _named(self, named: Mapping[int, float]) -> Iterable[Query]:
        for number, score in named.items():
            yield Query.const_score_query(Query.term_query(self._schema, "number", number), score)

    def anchors(
        self, schema: Schema, clauses: Sequence[Clause], frequency: Callable[[str, str], int]
    ) -> Query | None:
        """Make the query for link texts: all words that say something; None where there are none."""
        asked = Matcher(schema, self._languages, frequency)
        made = []
        for clause in clauses:
            if clause.excluded or not _is_text(clause) or self._is_idle(clause):
                continue
            either = [
                query
                for term in clause.terms
                if isinstance(term, Words)
                if (query := asked._words(term, strict=False, fields=_TEXT)) is not None
            ]
            if either:
                made.append((Occur.Must, _either(either)))
        return Query.boolean_query(made) if made else None

    def _is_idle(self, clause: Clause) -> bool:
        return all(
            isinstance(term, Words)
            and not term.required
            and not term.part
            and all(is_idle(word, ("en",)) for word in term.words)
            for term in clause.terms
        )

    def _clause(self, clause: Clause) -> Query | None:
        made = [
            query for term in clause.terms if (query := self._of(term, strict=clause.excluded)) is not None
        ]
        return _either(made) if made else None

    def _of(self, term: Term, *, strict: bool) -> Query | None:
        match term:
            case Words():
                return self._words(term, strict=strict)
            case Site(name):
                return self._term("site", name)
            case Language(tag):
                return self._term("language", tag)
            case Span(_, since, until):
                return Query.range_query(
                    self._schema,
                    "fetched",
                    FieldType.Unsigned,
                    lower_bound=None if since is None else max(0, since),
                    upper_bound=None if until is None else max(0, until - 1),
                )

    def _words(self, term: Words, *, strict: bool, fields: Mapping[str, float] = FIELDS) -> Query | None:
        """A word, or words in a row; None where the index would not take it for words at all."""
        if len(term.words) > 1 or term.required or strict:
            groups = [rows(term.words, self._languages)]
        else:
            groups = [forms(piece, self._languages) for piece in split(term.words[0])]
            if term.begun:
                groups[-1] += self._completed(split(term.words[0])[-1])
        if term.part:
            fields = {term.part: 1.0}
        made = [self._group(group, fields) for group in groups if group]
        if not made:
            return None
        return made[0] if len(made) == 1 else Query.boolean_query([(Occur.Must, query) for query in made])

    def _completed(self, piece: str) -> list[Form]:
        """What a piece may be the beginning of."""
        begun = rows((piece,), ())[:1]
        if not begun or len(begun[0].parts[0]) > 1 or len(begun[0].parts[0][0]) < LEAST_BEGUN:
            return []
        start = begun[0].parts[0][0]
        found = [word for field in ("title", "body") for word in self._completions(field, start)]
        return [Form(((word,),), 1, BEGUN_WEIGHT) for word in dict.fromkeys(found)]

    def _group(self, group: Sequence[Form], fields: Mapping[str, float]) -> Query:
        """Any of the forms in any of the fields."""
        made = []
        for form in group:
            places = [*fields.items()]
            if form.paired and fields is FIELDS:
                places.append(("pairs", PAIRS_WEIGHT))
            for field, weight in places:
                query = self._form(field, form)
                if query is not None:
                    made.append(Query.boost_query(query, weight * form.weight))
        return _either(made) if made else Query.empty_query()

    def _form(self, field: str, form: Form) -> Query | None:
        """One form in one field; None where no page has enough of it."""
        parts = [self._part(field, part) for part in form.parts]
        there = [part for part in parts if part is not None]
        if len(there) < form.least:
            return None
        if len(there) == 1:
            return there[0]
        if form.least == len(there):
            return Query.boolean_query([(Occur.Must, part) for part in there])
        return Query.boolean_query([(Occur.Should, part) for part in there], form.least)

    def _part(self, field: str, part: Sequence[str]) -> Query | None:
        if not all(self._frequency(field, word) for word in part):
            return None
        if len(part) == 1:
            return self._term(field, part[0])
        return Query.phrase_query(self._schema, field, list(part))

    def _term(self, field: str, word: str) -> Query:
        return Query.term_query(self._schema, field, word)

    def _bonuses(self, clauses: list[Clause]) -> Iterable[Query]:
        """Words of the query in a row."""
        words = [
            term.words[0]
            for clause in clauses
            for term in clause.terms[:1]
            if isinstance(term, Words) and len(term.words) == 1 and not term.part
        ]
        if len(words) < 2:
            return
        for form in rows(words, self._languages):
            for field, bonus, slop in (("title", TITLE_BONUS, 1), ("body", BODY_BONUS, _SLOP)):
                row: list[str | tuple[int, str]] = [*form.parts[0]]
                if len(row) > 1 and all(self._frequency(field, word) for word in form.parts[0]):
                    yield Query.boost_query(Query.phrase_query(self._schema, field, row, slop), bonus)


def _is_text(clause: Clause) -> bool:
    """Whether a clause is about words that may stand anywhere."""
    return any(isinstance(term, Words) and not term.part for term in clause.terms)


def _either(queries: Sequence[Query]) -> Query:
    if len(queries) == 1:
        return queries[0]
    return Query.boolean_query([(Occur.Should, query) for query in queries])
