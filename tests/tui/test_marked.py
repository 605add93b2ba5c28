from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui.marked import marked, split

RANGES = st.lists(st.tuples(st.integers(-5, 60), st.integers(-5, 60)), max_size=6)


@given(st.text(max_size=50), RANGES)
def test_nothing_is_lost_and_nothing_is_said_twice(text, marks):
    assert "".join(piece for piece, _ in split(text, marks)) == text


def test_marks_are_ranges_of_characters():
    assert list(split("one two three", [(4, 7)])) == [("one ", False), ("two", True), (" three", False)]
    assert list(split("ab", [(0, 1), (1, 2)])) == [("a", True), ("b", True)]
    assert list(split("ab", [(0, 9)])) == [("ab", True)]
    assert list(split("", [(0, 3)])) == []


def test_what_is_dropped_before_a_mark_does_not_move_it():
    content = marked("\u202e\x1b\x1bone [b]two[/b]", [(7, 13)])
    assert content.plain == "one [b]two[/b]"
    assert [content.plain[span.start : span.end] for span in content.spans] == ["[b]two"]
