"""Filter, order, details, copy, open, follow: what can be done with the lists."""

from __future__ import annotations

from functools import partial

import pytest
import trio
from msgspec.structs import replace

from spiderd.errors import StorageError
from tests.tui.piloting import attached, dashboard, line, on_asyncio, screen, told, wait_for
from tests.tui.serving import served
from tests.tui.stage import NOW, Stage


def names(table):
    return [row.host for row in table.rows]


async def hosts(pilot):
    app = await attached(pilot)
    await pilot.press("2")
    table = app.dashboard.view.main.table
    await wait_for(pilot, lambda: table.total)
    return table


@on_asyncio
async def test_twenty_thousand_hosts_are_scrolled_by_asking_for_what_is_in_view(sock_path):
    stage = Stage(hosts=20_000)
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            table = await hosts(pilot)
            assert table.total == 20_000
            assert len(table.rows) == 200
            assert "20,000 in all" in screen(pilot)
            await pilot.press("end")
            await wait_for(pilot, lambda: table.row is not None and table.cursor == 19_999)
            assert len(table.rows) <= 200
            await pilot.press("pageup", "pageup", "home")
            await wait_for(pilot, lambda: table.row is not None and table.cursor == 0)


@on_asyncio
async def test_the_daemon_filters_and_enter_goes_back_to_the_table(sock_path):
    stage = Stage(hosts=20_000)
    found = sum("docs11" in row.host for row in stage.host_rows)
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            table = await hosts(pilot)
            await pilot.press("f", *"NEWS9999")
            await wait_for(pilot, lambda: table.total == 0)
            await wait_for(pilot, lambda: "no row holds that text" in screen(pilot))
            await pilot.press(*["backspace"] * 8, *"docs11")
            await wait_for(pilot, lambda: table.total == found)
            assert f"filter docs11: {found}" in screen(pilot)
            await pilot.press("enter")
            assert table.has_focus
            await pilot.press("j", "p")  # keys again, not text
            assert table.cursor == 1
            assert pilot.app.dashboard.view.main.filter == "docs11"
            await pilot.press("escape")
            await wait_for(pilot, lambda: table.total == 20_000)
            assert not pilot.app.dashboard.view.main.filter_box.display


@on_asyncio
async def test_the_daemon_sorts_by_the_column_that_keys_and_clicks_choose(sock_path):
    with served(Stage(hosts=40), sock_path):
        async with dashboard(sock_path) as pilot:
            table = await hosts(pilot)
            assert (table.sort, table.descending) == ("waiting", True)
            await pilot.press("greater_than_sign")
            assert (table.sort, table.descending) == ("processing", True)
            await wait_for(pilot, lambda: [row.processing for row in table.rows[:5]] == [1] * 5)
            await pilot.press("less_than_sign", "less_than_sign", "less_than_sign", "I")
            assert (table.sort, table.descending) == ("host", False)
            await wait_for(pilot, lambda: names(table) == sorted(names(table)) and names(table))
            title = line(pilot, 5).index("host")
            await pilot.click(table, offset=(title - 1, 0))
            assert (table.sort, table.descending) == ("host", True)
            await wait_for(pilot, lambda: names(table) == sorted(names(table), reverse=True))


@on_asyncio
async def test_threads_are_filtered_and_sorted_here(sock_path):
    stage = Stage(threads=12)
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            table = app.dashboard.view.main.table
            await wait_for(pilot, lambda: table.total == 12)
            await pilot.press("I")
            assert [row.worker for row in table.rows][:3] == [11, 10, 9]
            await pilot.press("backslash", *"parsing", "enter")
            await wait_for(pilot, lambda: [row.worker for row in table.rows] == [8, 2])
            assert "filter parsing: 2" in screen(pilot)
            await pilot.press("escape")
            await wait_for(pilot, lambda: table.total == 12)


@on_asyncio
async def test_the_cursor_follows_its_row_only_if_asked_to_scroll(sock_path):
    stage = Stage(threads=60)
    with served(stage, sock_path):
        async with dashboard(sock_path, size=(100, 24)) as pilot:
            app = await attached(pilot)
            table = app.dashboard.view.main.table
            await wait_for(pilot, lambda: table.total == 60)
            await pilot.press("F")
            await wait_for(pilot, lambda: "following the row" in told(pilot))
            stage.worker_rows = [replace(row, worker=(row.worker + 40) % 60) for row in stage.worker_rows]
            stage.worker_rows.sort(key=lambda row: row.pages)
            await wait_for(pilot, lambda: table.row.worker == 0)
            await pilot.press("I")
            await wait_for(pilot, lambda: table.cursor == 59 and table.row.worker == 0)
            await wait_for(pilot, lambda: "▸      0" in screen(pilot))


@pytest.mark.parametrize(
    ("tab", "text"),
    [
        ("1", "https://news.example.com/c/2026-08-21/doc-inczf0000.html"),
        ("2", "https://news0.example.com/"),
        ("3", "/var/lib/spiderd/pages/19"),
        ("5", "https://lists.example.com/a/5"),
        ("6", "https://slow.example.net/a/0"),
    ],
)
@on_asyncio
async def test_copying_goes_to_the_clipboard_of_the_terminal_and_is_shown(sock_path, tab, text):
    with served(Stage(), sock_path) as server:
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            server.call(server._crawl.happen, 6)
            await wait_for(pilot, lambda: len(app.model.events) == 6)
            await pilot.press(tab)
            await wait_for(pilot, lambda: app.dashboard.view.main.table.row is not None)
            await pilot.press("y")
            assert app.clipboard == text
            assert f"copied {text}" in told(pilot)


@on_asyncio
async def test_opening_takes_only_urls_of_the_web(sock_path):
    with served(Stage(), sock_path):
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            opened = []
            app.open_url = opened.append
            await wait_for(pilot, lambda: app.dashboard.view.main.table.row is not None)
            await pilot.press("o")
            assert opened == ["https://news.example.com/c/2026-08-21/doc-inczf0000.html"]
            await pilot.press("3")
            await wait_for(pilot, lambda: app.dashboard.view.main.table.row is not None)
            await pilot.press("o")
            assert "this row has no URL to open" in told(pilot)
            assert len(opened) == 1


@on_asyncio
async def test_details_show_what_the_table_had_to_cut_and_which_rule_decides(sock_path):
    stage = Stage()
    stage.worker_rows[0] = replace(stage.worker_rows[0], url="https://news.example.com/" + "long/" * 60)
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            await wait_for(pilot, lambda: app.dashboard.view.main.table.row is not None)
            await pilot.press("enter")
            await wait_for(pilot, lambda: "scope.follow = site: example.com" in screen(pilot))
            assert screen(pilot).count("long/") > 60
            await pilot.press("y")
            assert app.clipboard == stage.worker_rows[0].url
            await pilot.press("q")
            assert app.screen is app.dashboard


@on_asyncio
async def test_details_without_a_daemon_tell_what_is_known_here(sock_path):
    async with dashboard(sock_path) as pilot:
        with served(Stage(), sock_path):
            app = await attached(pilot)
            await wait_for(pilot, lambda: app.dashboard.view.main.table.row is not None)
        await wait_for(pilot, lambda: not app.connection.connected)
        await pilot.press("enter")
        await wait_for(pilot, lambda: "13,812 since the daemon started" in screen(pilot))


@on_asyncio
async def test_the_log_shows_errors_only_and_follows_again_at_its_end(sock_path):
    with served(Stage(), sock_path) as server:
        async with dashboard(sock_path, size=(100, 24)) as pilot:
            app = await attached(pilot)
            await pilot.press("5")
            server.call(server._crawl.happen, 70)
            table = app.dashboard.view.main.table
            await wait_for(pilot, lambda: table.total == 70)
            assert "following" in screen(pilot)
            await pilot.press("k", "k")
            server.call(server._crawl.happen, 3)
            await wait_for(pilot, lambda: "▼ 3 new lines, End follows" in screen(pilot))
            assert table.cursor == 67
            await pilot.press("G")
            await wait_for(pilot, lambda: "following" in screen(pilot))
            await pilot.press("e")
            await wait_for(pilot, lambda: table.total == 10)
            assert "warnings and errors" in screen(pilot)
            await pilot.press("e")
            await wait_for(pilot, lambda: table.total == 73)
            await pilot.press("f", *"a/13")
            await wait_for(pilot, lambda: table.total == 1)


@on_asyncio
async def test_keys_act_on_the_pane_that_has_the_focus(sock_path):
    with served(Stage(), sock_path):
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            view = app.dashboard.view
            await wait_for(pilot, lambda: view.directories.table.row is not None)
            await pilot.press("tab")
            assert view.directories.table.has_focus
            await pilot.press("y")
            assert app.clipboard.startswith("/var/lib/spiderd/pages/")
            await pilot.press("shift+tab", "y")
            assert app.clipboard.startswith("https://")


@on_asyncio
async def test_a_list_that_the_daemon_refuses_says_why(sock_path):
    class Broken(Stage):
        async def hosts(self, query):
            raise StorageError("the store cannot be read")

    with served(Broken(), sock_path):
        async with dashboard(sock_path) as pilot:
            await attached(pilot)
            await pilot.press("2")
            await wait_for(pilot, lambda: "the store cannot be read" in screen(pilot))


@on_asyncio
async def test_times_count_by_the_daemons_clock(sock_path):
    stage = Stage()
    stage.worker_rows[0] = replace(stage.worker_rows[0], since=NOW - 75)
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            await attached(pilot)
            await wait_for(pilot, lambda: "1m 15s!" in screen(pilot))


@on_asyncio
async def test_long_lines_of_the_log_are_wrapped(sock_path):
    stage = Stage()
    with served(stage, sock_path) as server:
        async with dashboard(sock_path, size=(80, 24)) as pilot:
            app = await attached(pilot)
            long = " ".join(f"word{number}" for number in range(40))
            server.call(
                partial(stage.log.add, "warning", "failed", long, url="https://a.example/" + "z" * 100)
            )
            server.call(stage.happen, 3)
            await pilot.press("5")
            await wait_for(pilot, lambda: app.dashboard.view.main.table.total == 4)
            assert "word39" not in screen(pilot)
            await pilot.press("w")
            view = app.dashboard.view
            await wait_for(pilot, lambda: view.main is view.wrapped and view.wrapped.table.total > 7)
            assert "word39" in screen(pilot)
            assert screen(pilot).count("z") >= 100
            assert screen(pilot).count("warn") == 2
            await pilot.press("f", *"word39", "enter")
            await wait_for(pilot, lambda: {row.event.message for row in view.wrapped.table.rows} == {long})
            await pilot.press("y")
            await wait_for(pilot, lambda: app.clipboard == "https://a.example/" + "z" * 100)
            await pilot.press("w")
            await wait_for(pilot, lambda: view.events.table.total == 1 and view.events.filter == "word39")
            await pilot.press("escape", "w")
            server.call(stage.happen, 200)
            await wait_for(pilot, lambda: len({row.event.id for row in view.wrapped.table.rows}) == 204)
            assert view.wrapped.table.tailing
            await pilot.press("g")
            await wait_for(pilot, lambda: "word0" in screen(pilot) and "End follows" in screen(pilot))


@on_asyncio
async def test_an_answer_that_takes_its_time_is_said_to_be_on_its_way(sock_path):
    gate = trio.Event()

    class Slow(Stage):
        async def tree(self, host, prefix, query):
            await gate.wait()
            return await super().tree(host, prefix, query)

    with served(Slow(), sock_path) as server:
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            await pilot.press("3", "v")
            await wait_for(pilot, lambda: screen(pilot).count("the daemon is being asked") == 2)
            server.call(gate.set)
            await wait_for(pilot, lambda: app.dashboard.view.main.table.total == 40)
            assert "being asked" not in screen(pilot)
