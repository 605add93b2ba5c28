"""Answers searches from the index.

The best thousand pages by relevance are put in the order of relevance and PageRank together, copies are
collapsed, and ten are shown. Only those are unpacked; all else is decided from columns.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tantivy import DocAddress

from spiderd.protocol import Hit, SearchReply
from spiderd.search import anchors, suggesting
from spiderd.search.matching import Matcher
from spiderd.search.opened import Opened, View
from spiderd.search.ordering import Candidate, collapse, order
from spiderd.search.query import Clause, ParsedQuery, parse
from spiderd.search.schema import site_of
from spiderd.search.snippets import Marker, snippet

CANDIDATES = 1_000
"""The most results there are, and those whose order PageRank has a say in."""

ANCHORED = 100
"""Pages whose link texts take part in a search."""

ANCHOR_WEIGHT = 3.0


class Found(list[tuple[Candidate, DocAddress]]):
    """Results, best first."""

    total = 0  # pages that match
    exact = True  # all of them are among the candidates


class Engine:
    """The search engine over one data directory. For one thread."""

    def __init__(self, data_dir: Path) -> None:
        self._opened = Opened(data_dir)

    def search(self, text: str, page: int = 1, limit: int = 10, *, typing: bool = False) -> SearchReply:
        """Answer one page of results.

        Args:
            text: the query, any text.
            page: which page of results, from 1.
            limit: results on a page.
            typing: somebody is still at it: the last word may be the beginning of others.

        Raises:
            Unavailable: there is no index.
        """
        began = time.perf_counter()
        view = self._opened.view()
        query = parse(text, typing=typing)
        matcher = Matcher(view.schema, view.languages, view.frequency, view.completions)
        found = find(view, matcher, query.clauses)
        shown = found[(page - 1) * limit : page * limit]
        marker = Marker(matcher.wanted(query.clauses))
        reply = SearchReply(
            query=text,
            page=page,
            pages=-(-len(found) // limit),
            limit=limit,
            total=found.total,
            exact=found.exact,
            elapsed=0.0,
            hits=[*_hits(view, marker, shown)],
            message=_message(query, found, shown),
        )
        if not found:
            reply.suggestions = suggesting.suggestions(view, matcher, query)
        reply.elapsed = time.perf_counter() - began
        return reply


def find(view: View, matcher: Matcher, clauses: Sequence[Clause]) -> Found:
    """Find what matches, in its order, copies collapsed."""
    found = Found()
    query = matcher.query(clauses, _anchored(view, matcher, clauses))
    if query is None:
        return found
    result = view.searcher.search(query, limit=CANDIDATES, count=True)
    count = int(result.count or 0)  # type: ignore[attr-defined]  # it is there, the stub forgot it
    addresses = [address for _, address in result.hits]
    if not addresses:
        return found
    numbers = view.column("number", addresses)
    ordered = order([score for score, _ in result.hits], view.linkage.priors(numbers))
    kept = collapse(ordered, view.column("named", addresses), view.column("print", addresses))
    found.extend((candidate, addresses[candidate.place]) for candidate in kept)
    copies = len(ordered) - len(kept)
    found.total = count - copies
    found.exact = count <= CANDIDATES
    return found


def _anchored(view: View, matcher: Matcher, clauses: Sequence[Clause]) -> dict[int, float]:
    """Pages to which links with the words lead, and how well those match."""
    index = view.linkage.texts
    if index is None:
        return {}
    searcher = index.searcher()
    query = matcher.anchors(anchors.make_schema(), clauses, searcher.doc_freq)
    if query is None:
        return {}
    hits = searcher.search(query, limit=ANCHORED, count=False).hits
    numbers = searcher.fast_field_values("number", [address for _, address in hits])
    return {
        int(number or 0): ANCHOR_WEIGHT * float(score)
        for number, (score, _) in zip(numbers, hits, strict=True)
    }


def _hits(view: View, marker: Marker, shown: Sequence[tuple[Candidate, DocAddress]]) -> Iterator[Hit]:
    addresses = [address for _, address in shown]
    numbers, times = view.column("number", addresses), view.column("fetched", addresses)
    for (candidate, address), number, fetched in zip(shown, numbers, times, strict=True):
        kept = view.kept(address)
        text, marks = snippet(marker, kept.body, kept.language)
        if not marks and kept.rest:
            other = snippet(marker, kept.rest, kept.language)
            text, marks = other if other[1] or not text else (text, marks)
        title = kept.title or kept.url
        yield Hit(
            id=number,
            url=kept.url,
            title=title,
            site=site_of(kept.url),
            fetched=float(fetched),
            language=kept.language,
            snippet=text,
            marks=marks,
            title_marks=marker.marks(title, kept.language),
            duplicates=len(candidate.copies),
            score=round(candidate.score, 3),
        )


def _message(query: ParsedQuery, found: Found, shown: Sequence[object]) -> str:
    said = [*query.remarks]
    if not query.clauses:
        said.append("Type some words to search what was crawled.")
    elif not found:
        said.append(f"Nothing that was crawled matches {query}.")
    elif not shown:
        said.append("There are no more results.")
    return " ".join(said)
