from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui import kinds
from tui.columns import GAP, Column, layout
from tui.glyphs import UNICODE

KINDS = {
    "threads": kinds.THREADS,
    "hosts": kinds.HOSTS,
    "errors": kinds.ERRORS,
    "log": kinds.LOG,
    "recent": kinds.RECENT,
    "settings": kinds.SETTINGS,
    "traps": kinds.TRAPS,
    "hits": kinds.HITS,
    "directories": kinds.directories_kind(UNICODE),
    "open directories": kinds.directories_kind(UNICODE, pane=True),
}


def column(name, width, **more):
    return Column(name, name, width, lambda row, _: row, **more)


@given(
    st.lists(
        st.tuples(st.integers(1, 20), st.integers(0, 5), st.integers(0, 3), st.sampled_from([0, 30])),
        max_size=8,
    ),
    st.integers(0, 200),
)
def test_never_wider_than_the_window(columns, width):
    made = [column(str(i), w, drop=d, grow=g, most=m) for i, (w, d, g, m) in enumerate(columns)]
    chosen = layout(made, width)
    assert sum(cells for _, cells in chosen) + GAP * max(0, len(chosen) - 1) <= max(width, 0)
    assert [made.index(c) for c, _ in chosen] == sorted(made.index(c) for c, _ in chosen)
    assert all(cells > 0 for _, cells in chosen)


def test_the_lowest_drop_goes_first_and_zero_stays():
    made = [column("a", 10), column("b", 10, drop=2), column("c", 10, drop=1)]
    assert [c.name for c, _ in layout(made, 34)] == ["a", "b", "c"]
    assert [c.name for c, _ in layout(made, 33)] == ["a", "b"]
    assert [c.name for c, _ in layout(made, 21)] == ["a"]
    assert [(c.name, cells) for c, cells in layout(made, 5)] == [("a", 5)]


def test_spare_room_goes_to_those_that_grow_up_to_their_most():
    made = [column("a", 4, grow=1, most=6), column("b", 4, grow=1), column("c", 4)]
    assert [cells for _, cells in layout(made, 30)] == [6, 16, 4]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_titles_fit_their_columns(kind):
    assert [c.title for c in kind.columns if len(c.title) > c.width] == []


DROPS = {
    "threads": ["directory", "errors", "pages", "since"],
    "hosts": [
        "reason",
        "processing",
        "last_status",
        "delay",
        "robots",
        "next_allowed",
        "error",
        "complete",
    ],
    "errors": ["referrer", "detail", "at", "tries", "status"],
    "log": ["worker", "url", "name"],
    "settings": ["filed", "live"],
    "traps": ["example", "pages"],
    "hits": ["duplicates", "score", "fetched", "url"],
}


@pytest.mark.parametrize("name", DROPS)
def test_columns_give_way_in_this_order(name):
    kind = KINDS[name]
    gone: list[str] = []
    staying = [c.width for c in kind.columns if not c.drop]
    least = sum(staying) + GAP * (len(staying) - 1)
    for width in range(200, least - 1, -1):
        shown = {c.name for c, _ in layout(kind.columns, width)}
        gone += [c.name for c in kind.columns if c.name not in shown and c.name not in gone]
    assert gone == DROPS[name]
