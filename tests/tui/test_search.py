"""The search tab."""

from __future__ import annotations

from contextlib import asynccontextmanager

from msgspec.structs import replace

from tests.tui.piloting import attached, dashboard, line, on_asyncio, screen, told, wait_for
from tests.tui.serving import served
from tests.tui.stage import Stage


@asynccontextmanager
async def searching(sock_path, stage, *, text=""):
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            await pilot.press("slash", *text)
            await wait_for(pilot, lambda: app.dashboard.search.box.has_focus)
            if text:
                await wait_for(pilot, lambda: "14 ms" in screen(pilot))
            yield app.dashboard.search, pilot


@on_asyncio
async def test_results_come_while_one_types_and_only_after_a_pause(sock_path):
    stage = Stage()
    async with searching(sock_path, stage, text="crawl") as (view, pilot):
        assert view.hits.table.total == 34
        assert "34 pages · 14 ms · 902 pages not yet indexed" in screen(pilot)
        assert "爬虫的礼貌策略 crawl 2" in screen(pilot)
        assert len(stage.calls) < len("crawl")
        assert stage.calls[-1] == "search crawl"


@on_asyncio
async def test_the_preview_follows_the_cursor(sock_path):
    async with searching(sock_path, Stage(), text="crawl") as (view, pilot):
        await wait_for(pilot, lambda: "The crawl must keep at most one" in screen(pilot))
        await pilot.press("down")
        assert view.hits.table.has_focus
        await pilot.press("j")
        await wait_for(pilot, lambda: "links out 41" in view.preview.visual.plain)
        assert "https://docs.example.com/notes/1.html" in view.preview.visual.plain


@on_asyncio
async def test_enter_shows_the_page_with_its_text(sock_path):
    async with searching(sock_path, Stage(), text="crawl") as (_, pilot):
        await pilot.press("enter", "enter")
        await wait_for(pilot, lambda: "archived as  pages/00003/00112" in screen(pilot))
        assert "The crawl must keep at most one open connection to a host." in screen(pilot)
        await wait_for(pilot, lambda: len(pilot.app.screen.sections) == 3)
        await pilot.press("end")
        await wait_for(pilot, lambda: "Linked from" in screen(pilot))
        assert "200 https://blog.example.com/notes/112.html  Politeness" in screen(pilot)
        await pilot.press("y")
        await wait_for(pilot, lambda: pilot.app.clipboard == "https://news.example.com/notes/0.html")


@on_asyncio
async def test_escape_goes_back_step_by_step(sock_path):
    with served(Stage(), sock_path):
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            await pilot.press("2", "slash", *"crawl")
            await wait_for(pilot, lambda: "14 ms" in screen(pilot))
            box, table = app.dashboard.search.box, app.dashboard.search.hits.table
            await pilot.press("enter")
            assert table.has_focus
            await pilot.press("escape")
            assert box.has_focus
            assert box.selected_text == "crawl"
            await pilot.press("escape")
            assert box.value == ""
            await wait_for(pilot, lambda: table.total == 0)
            await pilot.press("escape")
            assert app.dashboard.tab_bar.open_tab == "hosts"


@on_asyncio
async def test_nothing_found_is_said_kindly(sock_path):
    async with searching(sock_path, Stage(), text="xyzzy") as (_, pilot):
        await wait_for(pilot, lambda: "Nothing matches xyzzy." in screen(pilot))
        assert "These do match:" in screen(pilot)


@on_asyncio
async def test_what_is_indexed_later_is_found_without_typing_again(sock_path):
    stage = Stage()
    hits, stage.hits = stage.hits, []
    async with searching(sock_path, stage, text="crawl") as (view, pilot):
        assert view.hits.table.total == 0
        stage.hits = hits
        await wait_for(pilot, lambda: view.hits.table.total == 34)


@on_asyncio
async def test_hundreds_of_results_are_reached_by_scrolling(sock_path):
    stage = Stage()
    stage.hits = [replace(stage.hits[0], id=number + 1, title=f"crawl {number}") for number in range(300)]
    async with searching(sock_path, stage, text="crawl") as (view, pilot):
        await pilot.press("enter", "end")
        await wait_for(pilot, lambda: "crawl 299" in screen(pilot))
        assert view.hits.table.row.id == 300
        await pilot.press("home")
        await wait_for(pilot, lambda: view.hits.table.row is not None and view.hits.table.row.id == 1)


@on_asyncio
async def test_letters_in_the_box_are_no_commands_and_f_says_where_to_filter(sock_path):
    stage = Stage()
    async with searching(sock_path, stage, text="pause") as (view, pilot):
        assert view.box.value == "pause"
        assert "pause" not in stage.calls
        view.box.value = "crawl"
        await wait_for(pilot, lambda: view.hits.table.total == 34)
        await pilot.press("down", "f")
        await wait_for(pilot, lambda: "the search box does this here" in told(pilot))


@on_asyncio
async def test_a_daemon_without_an_index_says_so(sock_path):
    stage = Stage()
    stage.index = None
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            await attached(pilot)
            await pilot.press("slash")
            await wait_for(pilot, lambda: "this daemon builds no search index" in told(pilot))
            assert "1 Overview" in line(pilot, 3)
