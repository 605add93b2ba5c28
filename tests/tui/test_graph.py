from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.bars import bar, shares
from tui.glyphs import ASCII, UNICODE
from tui.graph import draw, resample, round_up

BLOCKS = UNICODE.blocks


@given(st.just(0.0) | st.floats(1e-3, 1e9))
def test_the_scale_is_round_and_not_below_the_peak(value):
    top = round_up(value)
    assert top >= value * (1 - 1e-9)
    assert f"{top:e}"[0] in "125"


@pytest.mark.parametrize(
    ("value", "top"), [(0, 1), (0.3, 0.5), (1, 1), (110, 200), (178, 200), (201, 500), (5000, 5000)]
)
def test_round_tops(value, top):
    assert round_up(value) == pytest.approx(top)


def test_a_steady_rate_looks_steady_and_full_scale_is_zero_based():
    rows = draw([110, 112, 114, 111], 4, 200, BLOCKS)
    assert rows == ["    ", "▂▂▂▂", "████", "████"]


def test_nothing_is_empty_and_a_little_is_seen():
    assert draw([0, None, 0.001], 2, 100, BLOCKS) == ["   ", "  ▁"]


@given(
    st.lists(st.floats(0, 1000) | st.none(), max_size=30),
    st.integers(1, 10),
    st.sampled_from([UNICODE, ASCII]),
)
def test_every_row_has_every_column(values, height, glyphs):
    rows = draw(values, height, 1000, glyphs.blocks)
    assert [len(row) for row in rows] == [len(values)] * height


def test_the_newest_second_is_at_the_right_and_missing_time_is_empty():
    assert resample([1, 2, 3], 6, 6) == [None, None, None, 1, 2, 3]
    assert resample([1, 1, 3, 3], 2, 4) == [1, 3]
    assert resample(list(range(100)), 2, 4) == [96.5, 98.5]
    assert resample([5], 4, 2) == [None, None, 5, 5]


@given(st.floats(0, 1), st.integers(0, 40), st.sampled_from([UNICODE, ASCII]))
def test_bars_have_their_width_and_do_not_lie_at_the_ends(share, width, glyphs):
    full, empty = bar(share, width, glyphs)
    assert len(full) + len(empty) == width
    if width and 0 < share < 1:
        assert full
        assert full != glyphs.bar_full * width


@given(st.lists(st.integers(0, 10**7), min_size=1, max_size=5), st.integers(0, 60))
def test_shares_fill_the_width_and_show_what_is_not_zero(parts, width):
    cells = shares(parts, width)
    if sum(parts) and width:
        assert sum(cells) == width
    if width >= len(parts):
        assert all(cell > 0 for cell, part in zip(cells, parts, strict=True) if part)
    assert all(cell == 0 for cell, part in zip(cells, parts, strict=True) if not part)
    assert all(cell >= 0 for cell in cells)
