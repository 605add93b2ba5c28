"""The table: what it draws, where its cursor stays, what it asks for."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass

from textual.app import App

from tests.tui.piloting import on_asyncio
from tui.columns import Cell, Column
from tui.ink import InkScreen
from tui.widgets.table import Table


@dataclass(frozen=True)
class Thing:
    key: int
    name: str = "thing"
    bad: bool = False


COLUMNS = (
    Column("key", "key", 5, lambda row, _: str(row.key), right=True),
    Column("name", "name", 8, lambda row, _: Cell(row.name, "bad" if row.bad else ""), grow=1),
    Column("", "age", 4, lambda _, now: f"{now:.0f}s", right=True, drop=1, sortable=False),
)


class Bench(App[None]):
    CSS_PATH = "../../tui/app.tcss"

    def __init__(self, **more):
        super().__init__()
        self.table = Table(COLUMNS, lambda row: row.key, empty="nothing here", **more)
        self.messages: list[object] = []

    def get_default_screen(self):
        return InkScreen()

    def compose(self):
        yield self.table

    def on_table_wanted(self, event):
        self.messages.append(("wanted", event.first))

    def on_table_sorted(self, event):
        self.messages.append(("sorted", event.column))

    def on_table_chosen(self, event):
        self.messages.append("chosen")


@asynccontextmanager
async def bench(size=(40, 10), **more):
    app = Bench(**more)
    async with app.run_test(size=size) as pilot:
        app.table.focus()
        await pilot.pause()
        yield app.table, pilot


def lines(pilot):
    strips = pilot.app.screen._compositor.render_strips(pilot.app.size)
    return [strip.text.rstrip() for strip in strips]


def things(*keys, **more):
    return [Thing(key, **more) for key in keys]


@on_asyncio
async def test_an_empty_table_says_so():
    async with bench() as (_, pilot):
        assert lines(pilot)[:2] == ["    key  name                       age", "  nothing here"]


@on_asyncio
async def test_rows_are_drawn_under_their_titles():
    async with bench() as (table, pilot):
        table.show(things(1, 22, 333), 7.0)
        await pilot.pause()
        assert lines(pilot)[:5] == [
            "    key  name                       age",
            "▸     1  thing                       7s",
            "     22  thing                       7s",
            "    333  thing                       7s",
            "",
        ]


@on_asyncio
async def test_columns_give_way_when_the_window_is_narrow():
    async with bench(size=(20, 5)) as (table, pilot):
        table.show(things(1), 7.0)
        await pilot.pause()
        assert lines(pilot)[0] == "    key  name"
        await pilot.resize_terminal(60, 5)
        await pilot.pause()
        assert "age" in lines(pilot)[0]


@on_asyncio
async def test_the_cursor_stays_on_its_row_when_rows_change_place():
    async with bench() as (table, pilot):
        table.show(things(1, 2, 3, 4), 0.0)
        await pilot.press("j", "j")
        assert table.row.key == 3
        table.show(things(9, 8, 3, 1), 0.0)
        assert (table.row.key, table.cursor) == (3, 2)
        table.show(things(3, 9), 0.0)
        assert (table.row.key, table.cursor) == (3, 0)


@on_asyncio
async def test_the_cursor_stays_where_it_was_when_its_row_is_gone():
    async with bench() as (table, pilot):
        table.show(things(1, 2, 3, 4), 0.0)
        await pilot.press("G")
        table.show(things(1, 2), 0.0)
        assert table.row.key == 2
        table.show([], 0.0)
        assert table.row is None
        table.show(things(7), 0.0)
        assert table.row.key == 7


@on_asyncio
async def test_all_the_ways_to_move():
    async with bench(size=(40, 11)) as (table, pilot):
        table.show(things(*range(100)), 0.0)
        for key, expected in [
            ("down", 1),
            ("j", 2),
            ("k", 1),
            ("up", 0),
            ("up", 0),
            ("pagedown", 9),
            ("pagedown", 18),
            ("pageup", 9),
            ("end", 99),
            ("down", 99),
            ("home", 0),
            ("G", 99),
            ("g", 0),
        ]:
            await pilot.press(key)
            assert table.cursor == expected, key
            await pilot.pause()
            assert any(line.startswith("▸") for line in lines(pilot)), key


@on_asyncio
async def test_only_changed_lines_are_drawn_again():
    async with bench() as (table, pilot):
        table.show(things(1, 2, 3), 7.0)
        await pilot.pause()
        drawn = []
        original = table.render_line

        def counting(y):
            drawn.append(y)
            return original(y)

        table.render_line = counting
        table.show(things(1, 2, 3), 7.0)
        await pilot.pause()
        assert drawn == []
        table.show([Thing(1), Thing(2, "changed"), Thing(3)], 7.0)
        await pilot.pause()
        assert drawn == [2]


@on_asyncio
async def test_a_click_chooses_and_a_second_one_opens():
    async with bench() as (table, pilot):
        table.show(things(1, 2, 3), 0.0)
        await pilot.click(table, offset=(5, 2))
        assert table.row.key == 2
        assert pilot.app.messages == []
        await pilot.click(table, offset=(5, 2))
        assert pilot.app.messages == ["chosen"]
        await pilot.click(table, offset=(5, 8))
        assert table.row.key == 2


@on_asyncio
async def test_a_click_on_a_title_asks_for_that_order():
    async with bench() as (table, pilot):
        table.show(things(1, 2, 3), 0.0)
        await pilot.click(table, offset=(10, 0))
        await pilot.click(table, offset=(38, 0))
        assert pilot.app.messages == [("sorted", "name")]
        table.set_sort("name", descending=True)
        await pilot.pause()
        assert lines(pilot)[0] == "    key  name ▼                     age"
        table.set_sort("key", descending=False)
        await pilot.pause()
        assert lines(pilot)[0] == "  ▲ key  name                       age"


@on_asyncio
async def test_a_window_of_a_long_list_asks_for_what_it_does_not_have():
    async with bench(size=(40, 11)) as (table, pilot):
        table.show(things(*range(50)), 0.0, first=0, total=20_000)
        await pilot.press("G")
        await pilot.pause()
        assert table.cursor == 19_999
        assert table.row is None
        assert pilot.app.messages == [("wanted", 19_980)]
        table.show(things(*range(19_980, 20_000)), 0.0, first=19_980, total=20_000)
        assert table.row.key == 19_999
        await pilot.pause()
        assert "19999" in lines(pilot)[10]


@on_asyncio
async def test_a_log_follows_its_end_until_somebody_moves():
    async with bench(size=(40, 6), tail=True) as (table, pilot):
        table.show(things(*range(20)), 0.0)
        await pilot.pause()
        assert "19" in lines(pilot)[5]
        await pilot.press("up")
        assert not table.tailing
        before = [line[:38] for line in lines(pilot)]  # without the scroll bar
        table.show(things(*range(25)), 0.0)
        await pilot.pause()
        assert [line[:38] for line in lines(pilot)] == before
        table.show(things(*range(5, 30)), 0.0)
        await pilot.pause()
        assert [line[:38] for line in lines(pilot)] == before
        await pilot.press("end")
        assert table.tailing
        table.show(things(*range(5, 31)), 0.0)
        await pilot.pause()
        assert "30" in lines(pilot)[5]


@on_asyncio
async def test_wide_and_hostile_text_keeps_the_columns_in_place():
    async with bench() as (table, pilot):
        names = [
            "漢字の長い名前がここに入りますよ",
            "[red]\x1b[31m\u202eabc",
            "x" * 8192,
            "a\x00b\tc\nd",
            "👨\u200d👩\u200d👧 family",
        ]
        table.show([Thing(index, name) for index, name in enumerate(names)], 7.0)
        await pilot.pause()
        strips = pilot.app.screen._compositor.render_strips(pilot.app.size)
        assert {strip.cell_length for strip in strips} == {40}
        text = "\n".join(lines(pilot))
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "[red]" in text
        assert all(line.endswith("7s") for line in lines(pilot)[1:6])
