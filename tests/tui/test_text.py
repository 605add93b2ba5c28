from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tui.text import cut, fit, fold, harmless, percent, plural, short_number

ANY = st.text(max_size=60) | st.text("a漢字é🕷‍️　", max_size=60)


@given(ANY, st.integers(0, 40), st.sampled_from(["start", "end"]), st.booleans())
def test_fitted_text_has_exactly_the_width(text, width, keep, right):
    assert cell_len(fit(harmless(text), width, keep, right=right)) == width


@given(ANY, st.integers(1, 40))
def test_what_fits_is_not_touched(text, width):
    text = harmless(text)
    if cell_len(text) <= width:
        assert cut(text, width) == text
        assert cut(text, width, "end") == text


@given(st.text(max_size=200))
def test_harmless_text_steers_no_terminal(text):
    clean = harmless(text)
    assert not any(ord(character) < 32 or 127 <= ord(character) < 160 for character in clean)
    assert not set(clean) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u200d\ufe0f")


def test_both_ends_can_be_kept():
    assert cut("abcdefgh", 4) == "abc…"
    assert cut("abcdefgh", 4, "end") == "…fgh"
    assert cut("漢字漢字", 4) == "漢…"
    assert cut("漢字漢字", 4, "end") == "…字"
    assert cut("abc", 0) == ""
    assert fit("漢字漢字", 4) == "漢… "


def test_eight_kilobytes_are_cut_without_looking_at_all_of_them():
    assert cut("x" * 8192, 20) == "x" * 19 + "…"
    assert cut("x" * 8192, 20, "end") == "…" + "x" * 19


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (950, "950"),
        (999.4, "999"),
        (12_345, "12.3k"),
        (1_284_551, "1.28M"),
        (9.9e9, "9.90G"),
        (4e12, "4000G"),
    ],
)
def test_short_numbers(value, text):
    assert short_number(value) == text


def test_shares_never_claim_what_is_not_so():
    assert percent(1, 0) == "-"
    assert percent(0, 5) == "0.0 %"
    assert percent(5, 5) == "100.0 %"
    assert percent(1, 1_000_000) == "<0.1 %"
    assert percent(999_999, 1_000_000) == ">99.9 %"


def test_counts_have_their_nouns():
    assert plural(1, "page") == "1 page"
    assert plural(1200, "page") == "1,200 pages"
    assert plural(2, "directory", "directories") == "2 directories"


@given(ANY, st.integers(2, 30))
def test_folded_lines_fit_and_lose_only_spaces(text, width):
    lines = fold(harmless(text), width)
    assert lines
    assert all(cell_len(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == harmless(text).replace(" ", "")


def test_lines_are_folded_at_spaces_where_there_are_any():
    assert fold("one two three", 8) == ["one two", "three"]
    assert fold("abcdefghij", 4) == ["abcd", "efgh", "ij"]
    assert fold("", 5) == [""]
