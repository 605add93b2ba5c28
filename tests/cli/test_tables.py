from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from spiderd.cli.tables import GAP, LEAST, Column, laid_out

COLUMNS = [
    Column("n", lambda row: row[0], right=True),
    Column("URL", lambda row: row[1], wide=True),
    Column("remark", lambda row: row[2], wide=True, optional=True),
    Column("state", lambda row: row[3], optional=True),
]
ROWS = [("1", "http://h/a", "漢字", "ok"), ("20", "http://h/" + "x" * 60, "", "bad")]


def lines(room, rows=ROWS):
    return [(" " * GAP).join(cells).rstrip() for cells in laid_out(COLUMNS, rows, room)]


def test_without_a_limit_nothing_is_cut():
    long = "http://h/" + "x" * 60
    assert lines(None) == [
        f" n  {'URL':<69}  remark  state",
        f" 1  {'http://h/a':<69}  漢字    ok",
        f"20  {long}          bad",
    ]


def test_wide_columns_share_what_is_left():
    assert lines(40) == [
        " n  URL                    remark  state",
        " 1  http://h/a             漢字    ok",
        "20  http://h/xxxxxxxxxxx…          bad",
    ]


def test_optional_columns_go_from_the_right():
    assert lines(25)[0] == " n  URL            remark"
    assert lines(20)[0] == " n  URL"


def test_a_table_without_rows_has_its_heading():
    assert lines(80, []) == ["n  URL  remark  state"]


TEXT = st.text(max_size=40)


@given(
    st.lists(st.tuples(st.text("12", max_size=3), TEXT, TEXT, TEXT), max_size=4), st.integers(LEAST + 10, 90)
)
def test_every_line_has_the_same_width_and_fits(rows, room):
    shown = laid_out(COLUMNS, rows, room)
    assert len({tuple(map(cell_len, cells)) for cells in shown}) == 1
    assert sum(map(cell_len, shown[0])) + GAP * (len(shown[0]) - 1) <= room
