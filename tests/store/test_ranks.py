"""The order of the crawl is the order of the ranks."""

from __future__ import annotations

from operator import itemgetter
from typing import NamedTuple, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.config.declaration import Order
from spiderd.store.ranks import SEQUENCES, TOP_LEVEL, rank

ORDERS: tuple[Order, ...] = get_args(Order)


class Url(NamedTuple):
    depth: int
    inlinks: int
    sequence: int


URLS = st.lists(
    st.builds(Url, st.integers(0, 40), st.integers(0, 50), st.integers(0, 10_000)),
    unique_by=itemgetter(2),
    max_size=40,
)


def in_order(order: Order, urls: list[Url]) -> list[Url]:
    return sorted(urls, key=lambda url: rank(order, url.depth, url.sequence, url.inlinks))


@given(URLS)
def test_breadth_is_shallow_first_then_first_seen(urls):
    assert in_order("breadth", urls) == sorted(urls, key=lambda url: (url.depth, url.sequence))


@given(URLS)
def test_depth_is_deep_first_then_last_seen(urls):
    seeds = sorted((url for url in urls if not url.depth), key=lambda url: url.sequence)
    rest = sorted((url for url in urls if url.depth), key=lambda url: (-url.depth, -url.sequence))
    assert in_order("depth", urls) == seeds + rest


@given(URLS)
def test_mixed_is_three_levels_of_breadth_and_then_depth(urls):
    upper = sorted((url for url in urls if url.depth <= 3), key=lambda url: (url.depth, url.sequence))
    lower = sorted((url for url in urls if url.depth > 3), key=lambda url: (-url.depth, -url.sequence))
    assert in_order("mixed", urls) == upper + lower


@given(URLS)
def test_best_is_most_linked_first_then_first_seen(urls):
    seeds = sorted((url for url in urls if not url.depth), key=lambda url: url.sequence)
    rest = sorted((url for url in urls if url.depth), key=lambda url: (-url.inlinks, url.sequence))
    assert in_order("best", urls) == seeds + rest


DEPTHS = st.one_of(st.integers(0, 50), st.integers(0, 1 << 40))
SEQUENCE = st.one_of(st.integers(0, 100), st.integers(SEQUENCES - 100, SEQUENCES - 1))


@given(st.sampled_from(ORDERS), DEPTHS, SEQUENCE, DEPTHS, st.booleans())
def test_a_rank_is_8_bytes_whatever_saturates(order, depth, sequence, inlinks, tail):
    assert len(rank(order, depth, sequence, inlinks, tail=tail)) == 8


@given(
    st.sampled_from(ORDERS),
    st.tuples(DEPTHS, DEPTHS, st.booleans()),
    st.tuples(DEPTHS, DEPTHS, st.booleans()),
    SEQUENCE,
    SEQUENCE,
)
def test_two_numbers_never_make_one_rank(order, one, other, first, second):
    ranks = [
        rank(order, depth, sequence, inlinks, tail=tail)
        for (depth, inlinks, tail), sequence in ((one, first), (other, second))
    ]
    if first != second and one[2] == other[2]:
        assert ranks[0] != ranks[1]


@given(
    st.sampled_from(ORDERS), st.lists(st.tuples(DEPTHS, SEQUENCE, DEPTHS), min_size=1, max_size=20), st.data()
)
def test_the_tail_is_behind_everything_and_in_order(order, urls, data):
    last = max(rank(order, depth, sequence, inlinks) for depth, sequence, inlinks in urls)
    numbers = data.draw(st.lists(SEQUENCE, min_size=1, max_size=10))
    tails = [rank(order, 0, number, 9, tail=True) for number in numbers]
    assert min(tails) > last
    assert sorted(tails) == [rank(order, 7, number, tail=True) for number in sorted(numbers)]


@given(st.sampled_from(ORDERS), st.integers(1, 1 << 20), SEQUENCE, SEQUENCE, DEPTHS)
def test_seeds_come_first_and_in_the_order_given(order, depth, sequence, other, inlinks):
    assert rank(order, 0, sequence) < rank(order, depth, other, inlinks)
    if sequence < other:
        assert rank(order, 0, sequence) < rank(order, 0, other, inlinks)


@pytest.mark.parametrize("order", ORDERS)
def test_levels_saturate_without_running_into_the_tail(order):
    beyond = rank(order, TOP_LEVEL + 5, 1, TOP_LEVEL + 5)
    assert beyond[0] < 0x80
    assert beyond[:2] == rank(order, 1 << 60, 1, 1 << 60)[:2]


@pytest.mark.parametrize("sequence", [-1, SEQUENCES])
def test_a_number_that_does_not_fit_is_refused(sequence):
    with pytest.raises(ValueError, match="48 bits"):
        rank("breadth", 0, sequence)
