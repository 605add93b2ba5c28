from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from spiderd.printable import printable

ANYTHING = st.text(st.characters(), max_size=60)  # surrogates too


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain /path?q=1", "plain /path?q=1"),
        ("\x1b[2Jx\x07", "[2Jx"),
        ("\x9b31mred", "31mred"),
        ("abc\u202egnp.exe", "abcgnp.exe"),
        ("a\u2066b\u2069c\u200fd\ufeff", "abcd"),
        ("one\r\ntwo\tthree\u2028four", "one  two three four"),
        ("\ud800\ue000", "\ufffd\ufffd"),
        ("[bold]not markup[/]", "[bold]not markup[/]"),
        ("क्\u200dष 漢字", "क्\u200dष 漢字"),
        ("e" + "\u0301" * 500, "e" + "\u0301" * 4),
    ],
)
def test_what_steers_a_terminal_goes_and_the_rest_stays(text, shown):
    assert printable(text) == shown


@pytest.mark.parametrize(
    ("text", "cells", "shown"),
    [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("漢字漢字", 7, "漢字漢…"), ("漢字", 2, "…"), ("abc", 0, "")],
)
def test_text_is_cut_by_cells(text, cells, shown):
    assert printable(text, cells) == shown


@given(ANYTHING)
def test_nothing_unprintable_passes(text):
    shown = printable(text)
    assert not {c for c in shown if unicodedata.category(c) in {"Cc", "Cs", "Zl", "Zp"}}
    assert not {
        c for c in shown if unicodedata.bidirectional(c) in {"LRO", "RLO", "LRE", "RLE", "PDF", "LRI", "RLI"}
    }
    shown.encode()


@given(ANYTHING)
def test_making_printable_twice_changes_nothing(text):
    assert printable(printable(text)) == printable(text)


@given(ANYTHING, st.integers(min_value=0, max_value=30))
def test_cut_text_fits(text, cells):
    assert cell_len(printable(text, cells)) <= cells
