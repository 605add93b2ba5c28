"""Order and copies of candidates, and the fingerprints by which copies are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.search.ordering import NEAR, RANK_WEIGHT, collapse, order
from spiderd.search.schema import fingerprint, sites, url_words

TEXT = [f"word{n}" for n in range(1_000)]


def test_rank_decides_between_equals_and_no_more():
    assert [each.place for each in order([5.0, 5.0, 1.0], np.array([0.0, 1.0, 6.0]))] == [1, 0, 2]


def test_without_ranks_relevance_decides():
    assert [each.place for each in order([3.0, 2.0, 1.0], np.zeros(3))] == [0, 1, 2]
    assert order([], np.zeros(0)) == []
    assert RANK_WEIGHT * 6 < 1


def test_copies_go_with_the_best_of_them():
    ordered = order([4.0, 3.0, 2.0, 1.0], np.zeros(4))
    kept = collapse(ordered, [7, 7, 8, 7], [0b1111, 0b0001, 0b1111 << 40, 0b1111 << 20])
    assert [(each.place, each.copies) for each in kept] == [(0, [1]), (2, []), (3, [])]


def test_copies_under_other_titles_must_be_nearer():
    ordered = order([3.0, 2.0, 1.0], np.zeros(3))
    mark = 0x0123_4567_89AB_CDEF
    two, three = mark ^ (1 << 63 | 1 << 30), mark ^ (1 << 62 | 1 << 31 | 1)
    kept = collapse(ordered, [1, 2, 3], [mark, three, two])
    assert [(each.place, each.copies) for each in kept] == [(0, [2]), (1, [])]


def test_a_text_that_is_not_long_is_the_same_only_under_the_same_title():
    short = TEXT[:100]
    assert fingerprint(short, ["one"]) != fingerprint(short, ["two"])
    assert fingerprint(TEXT, ["one"]) == fingerprint(TEXT, ["two"])
    changed = [*short[:50], *short[51:]]
    assert (fingerprint(short, ["one"]) ^ fingerprint(changed, ["one"])).bit_count() < 16


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 15)), max_size=60))
def test_each_candidate_is_shown_or_is_a_copy_of_one_that_is(pages):
    ordered = order([1.0] * len(pages), np.zeros(len(pages)))
    kept = collapse(ordered, [title for title, _ in pages], [mark for _, mark in pages])
    places = [place for each in kept for place in (each.place, *each.copies)]
    assert sorted(places) == list(range(len(pages)))


def test_texts_that_differ_in_a_word_are_near_and_others_are_not():
    changed = [*TEXT[:200], "another", *TEXT[201:]]
    assert (fingerprint(TEXT) ^ fingerprint(changed)).bit_count() <= NEAR
    assert (fingerprint(TEXT) ^ fingerprint([f"x{word}" for word in TEXT])).bit_count() > 16


def test_short_texts_are_the_same_only_to_the_letter():
    assert (fingerprint(["one", "two"]) ^ fingerprint(["one", "too"])).bit_count() > NEAR
    assert fingerprint([]) == fingerprint([])


@pytest.mark.parametrize(
    ("url", "names"),
    [
        ("http://docs.example.org/x", {"*", "docs.example.org", "example.org"}),
        ("https://user@Example.org:8443/", {"*", "example.org:8443", "example.org"}),
        ("http://127.0.0.1:80/", {"*", "127.0.0.1:80", "127.0.0.1"}),
        ("http://[::1]:80/", {"*", "[::1]:80", "[::1]"}),
        ("http://localhost/", {"*", "localhost"}),
    ],
)
def test_a_page_belongs_to_its_host_and_the_domains_above(url, names):
    assert set(sites(url)) == names


def test_a_url_is_cut_into_words():
    assert url_words("http://ex.org/Some%20Path/mod_x.html?a=b") == [
        "ex",
        "org",
        "some",
        "path",
        "mod",
        "x",
        "html",
        "a",
        "b",
    ]
