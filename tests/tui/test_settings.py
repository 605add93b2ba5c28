"""Settings that are changed while the crawl runs; traps and hosts that are let go."""

from __future__ import annotations

import pytest

from tests.tui.piloting import attached, dashboard, on_asyncio, screen, told, wait_for
from tests.tui.serving import served
from tests.tui.stage import Stage
from tui.settings import value_of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("24", 24),
        (" 0.5 ", 0.5),
        ("true", True),
        ('"2s"', "2s"),
        ("2s", "2s"),
        ("500ms", "500ms"),
        ("breadth", "breadth"),
        ("", ""),
        ("[]", []),
        ('["/a", "/b"]', ["/a", "/b"]),
        ("'literal \\d'", "literal \\d"),
        ("1 = 2", "1 = 2"),
        ("1\nother = 2", "1\nother = 2"),
        ("2026-01-01", "2026-01-01"),
    ],
)
def test_values_are_read_as_in_the_file_and_text_needs_no_quotes(text, value):
    assert value_of(text) == value


@pytest.mark.parametrize("text", ['["a"', "[1, 2]", '"open', "[[]]"])
def test_what_cannot_be_meant_is_refused(text):
    with pytest.raises(ValueError, match=r"cannot be read|holds text"):
        value_of(text)


async def settings(pilot):
    app = await attached(pilot)
    await pilot.press("7")
    await wait_for(pilot, lambda: app.dashboard.view.main.table.total)
    return app, app.dashboard.view.main.table


@on_asyncio
async def test_what_differs_from_the_file_is_shown(sock_path):
    with served(Stage(), sock_path):
        async with dashboard(sock_path) as pilot:
            await attached(pilot)
            await wait_for(pilot, lambda: "1 setting made live · 7" in screen(pilot))
            await settings(pilot)
            assert "1 setting differing from it" in screen(pilot)
            row = next(line for line in screen(pilot).splitlines() if "crawl.threads" in line)
            assert row.split()[2:6] == ["24", "8", "made", "live"]


@on_asyncio
async def test_a_setting_is_changed_and_taken_back(sock_path):
    stage = Stage()
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            app, table = await settings(pilot)
            await pilot.press("f", *"delay", "enter", "enter")
            await wait_for(
                pilot, lambda: "politeness.delay" in screen(pilot) and app.screen is not app.dashboard
            )
            assert app.screen.query_one("#unset").disabled
            await pilot.press("ctrl+u", *"[2", "enter")
            await wait_for(pilot, lambda: "this cannot be read" in screen(pilot))
            app.screen.query_one("#value").value = "2s"
            await pilot.press("enter")
            await wait_for(pilot, lambda: stage.calls == ["set politeness.delay 2s"])
            await wait_for(pilot, lambda: 'politeness.delay is now "2s"' in told(pilot))
            await wait_for(pilot, lambda: table.row.override and app.screen is app.dashboard)
            await pilot.press("enter")
            await wait_for(pilot, lambda: app.screen is not app.dashboard)
            await pilot.click("#unset")
            await wait_for(pilot, lambda: stage.calls[-1] == "set politeness.delay None")


@on_asyncio
async def test_what_the_daemon_refuses_stays_in_the_box(sock_path):
    stage = Stage()
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            app, _ = await settings(pilot)
            await pilot.press("down", "enter")
            await wait_for(pilot, lambda: app.screen is not app.dashboard)
            stage.setting_rows[1].live = False
            await pilot.press("enter")
            await wait_for(pilot, lambda: "cannot be changed while the crawl runs" in screen(pilot))
            assert app.screen is not app.dashboard


@on_asyncio
async def test_settings_of_the_start_and_read_only_screens_are_only_shown(sock_path):
    with served(Stage(), sock_path):
        async with dashboard(sock_path, read_only=True) as pilot:
            await settings(pilot)
            await pilot.press("enter")
            await wait_for(pilot, lambda: "while the crawl runs" in screen(pilot))
            await pilot.press("escape", "end", "enter")
            await wait_for(pilot, lambda: "only when the daemon starts" in screen(pilot))


@on_asyncio
async def test_hosts_and_traps_are_let_go(sock_path):
    stage = Stage()
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            await pilot.press("L")
            await wait_for(pilot, lambda: "only for hosts and traps" in told(pilot))
            await pilot.press("2")
            traps = app.dashboard.view.traps
            await wait_for(pilot, lambda: traps.table.total == 3 and traps.region.height)
            await pilot.press("L")
            await wait_for(pilot, lambda: stage.calls == ["release news0.example.com"])
            await wait_for(
                pilot, lambda: "news0.example.com goes on: 81,204 URLs may be fetched again" in told(pilot)
            )
            await pilot.press("tab", "L")
            await wait_for(pilot, lambda: traps.table.total == 2)
            assert stage.calls[-1] == "release https://shop.example.com/list/2/N"


@on_asyncio
async def test_one_error_is_tried_again(sock_path):
    stage = Stage()
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            await pilot.press("6")
            await wait_for(pilot, lambda: app.dashboard.view.main.table.row is not None)
            await pilot.press("t")
            await wait_for(pilot, lambda: stage.calls == ["retry https://slow.example.net/a/0"])
            await pilot.press("R")
            await wait_for(pilot, lambda: stage.calls[-1] == "retry")
