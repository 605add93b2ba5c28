from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui.parts import Part, length, pack, spread

PARTS = st.lists(
    st.builds(Part, st.text("ab漢", max_size=12), drop=st.integers(0, 4), gap=st.integers(0, 3)), max_size=8
)


@given(PARTS, st.integers(0, 60))
def test_packed_parts_fit(parts, width):
    assert length(pack(parts, width)) <= max(0, width)


@given(PARTS, PARTS, st.integers(0, 60))
def test_spread_parts_fit(left, right, width):
    kept, rest = spread(left, right, width)
    assert length(kept) + length(rest) <= max(0, width)


def test_the_lowest_drop_goes_first():
    parts = [Part("aaaa"), Part("bbbb", drop=2), Part("cccc", drop=1)]
    assert [part.text for part in pack(parts, 16)] == ["aaaa", "bbbb", "cccc"]
    assert [part.text for part in pack(parts, 15)] == ["aaaa", "bbbb"]
    assert [part.text for part in pack(parts, 9)] == ["aaaa"]
    assert [part.text for part in pack(parts, 3)] == ["aa…"]
