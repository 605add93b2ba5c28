"""PageRank against the definition, worked out with plain dictionaries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.search.graph import Graph
from spiderd.search.ranking import DAMPING, page_rank

graphs = st.integers(1, 9).flatmap(
    lambda pages: st.tuples(
        st.just(pages), st.sets(st.tuples(st.integers(1, pages), st.integers(1, pages)), max_size=30)
    )
)


def graph(pages: int, links: set[tuple[int, int]]) -> Graph:
    sources = np.array([source for source, _ in links], np.uint32)
    targets = np.array([target for _, target in links], np.uint32)
    return Graph(pages, sources, targets)


def by_hand(pages: int, links: set[tuple[int, int]]) -> dict[int, float]:
    out = {page: [target for source, target in links if source == page] for page in range(1, pages + 1)}
    ranks = dict.fromkeys(out, 1 / pages)
    for _ in range(300):
        loose = sum(rank for page, rank in ranks.items() if not out[page])
        new = dict.fromkeys(out, (1 - DAMPING + DAMPING * loose) / pages)
        for page, targets in out.items():
            for target in targets:
                new[target] += DAMPING * ranks[page] / len(targets)
        ranks = new
    return ranks


@given(graphs)
def test_ranks_are_those_of_the_definition(drawn):
    pages, links = drawn
    ranks = page_rank(graph(pages, links), tolerance=1e-10)
    expected = by_hand(pages, links)
    assert ranks[0] == 0
    assert ranks.sum() == pytest.approx(1)
    assert ranks[1:] == pytest.approx([expected[page] for page in range(1, pages + 1)], abs=1e-6)


@given(graphs, st.lists(st.floats(-1, 1), max_size=12))
def test_where_it_begins_does_not_matter(drawn, start):
    cold = page_rank(graph(*drawn), tolerance=1e-10)
    warm = page_rank(graph(*drawn), np.array(start), tolerance=1e-10)
    assert warm == pytest.approx(cold, abs=1e-6)


def test_a_page_that_all_link_to_ranks_highest():
    ranks = page_rank(graph(4, {(1, 2), (3, 2), (4, 2), (2, 1)}))
    assert ranks.argmax() == 2


def test_a_crawl_without_pages_has_no_ranks():
    assert page_rank(graph(0, set())).tolist() == [0.0]
