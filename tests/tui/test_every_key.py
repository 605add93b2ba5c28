"""Every key of the table, pressed on a real daemon. A key that no check here presses is an error."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from textual.command import CommandPalette

from spiderd.states import CrawlState
from tests.tui.daemons import daemon, site
from tests.tui.piloting import attached, dashboard, line, on_asyncio, screen, told, wait_for
from tui import keys
from tui.app import SpiderApp
from tui.widgets.tabs import TABS

Check = Callable[..., Awaitable[None]]
SLOWLY = ("--delay", "100ms")

FINISHED: dict[str, Check] = {}  # command -> check on a crawl that has come to its end
RUNNING: dict[str, Check] = {}  # and on one that runs, in this order
ALONE: dict[str, Check] = {}  # and where there is no daemon


def check(place: dict[str, Check], *commands: str) -> Callable[[Check], Check]:
    def register(function: Check) -> Check:
        place.update(dict.fromkeys(commands, function))
        return function

    return register


@pytest.fixture
def data_dir() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="spiderd-", ignore_cleanup_errors=True) as directory:
        yield Path(directory)


def table(app):
    return app.dashboard.view.main.table


async def rows(pilot, app, digit):
    """Open a tab, and wait for its rows."""
    await pilot.press("escape", digit)
    await wait_for(pilot, lambda: table(app).row is not None)
    return table(app)


@check(FINISHED, *(f"tab:{tab.name}" for tab in TABS))
async def tabs(pilot, app):
    for tab in (*TABS, TABS[0]):
        await pilot.press("escape", tab.digit)
        await wait_for(pilot, lambda tab=tab: app.dashboard.tab_bar.open_tab == tab.name)
        await wait_for(
            pilot, lambda: app.dashboard.query_one("#views").current == app.dashboard.tab_bar.open_tab
        )
        if tab.name == "search":
            await pilot.press("escape")  # out of its box, where a digit is a letter


@check(FINISHED, "search")
async def search(pilot, app):
    await pilot.press("slash", *"page 3")
    await wait_for(pilot, lambda: " ms · " in screen(pilot) and "This is page 3" in screen(pilot))
    await pilot.press("escape", "escape")


@check(FINISHED, "help")
async def show_help(pilot, app):
    for key in ("question_mark", "f1"):
        await pilot.press(key)
        await wait_for(pilot, lambda: "Open the overview" in screen(pilot))
        await pilot.press("escape")
        await wait_for(pilot, lambda: app.screen is app.dashboard)


@check(FINISHED, "palette", "reload")
async def palette(pilot, app):
    await pilot.press("ctrl+p")
    await wait_for(pilot, lambda: CommandPalette.is_open(app))
    await pilot.press(*"configuration")
    await wait_for(pilot, lambda: "Have the daemon read its configuration" in screen(pilot))
    await pilot.press("enter")
    await wait_for(pilot, lambda: "nothing has changed" in told(pilot))


@check(FINISHED, "figures")
async def figures(pilot, app):
    await pilot.press("i")
    await wait_for(pilot, lambda: "answers by status" in screen(pilot))
    await pilot.press("escape")


@check(FINISHED, "freeze")
async def freeze(pilot, app):
    await pilot.press("space")
    await wait_for(pilot, lambda: "FROZEN" in line(pilot, 0))
    await pilot.press("space")
    await wait_for(pilot, lambda: "COMPLETE" in line(pilot, 0))


@check(FINISHED, "refresh")
async def refresh(pilot, app):
    before = app.model.snapshot.now
    await pilot.press("r")
    await wait_for(pilot, lambda: app.model.snapshot.now > before)


@check(FINISHED, "next_focus")
async def next_focus(pilot, app):
    await rows(pilot, app, "1")
    await pilot.press("tab")
    await wait_for(pilot, lambda: app.dashboard.view.directories.table.has_focus)
    await pilot.press("shift+tab")
    await wait_for(pilot, lambda: app.dashboard.view.threads.table.has_focus)


@check(FINISHED, "move")
async def move(pilot, app):
    threads = await rows(pilot, app, "1")
    for key, place in (("j", 1), ("down", 2), ("up", 1), ("k", 0), ("pagedown", 2), ("pageup", 0)):
        await pilot.press(key)
        assert threads.cursor == place, key
    for key, place in (("G", 2), ("g", 0), ("end", 2), ("home", 0)):
        await pilot.press(key)
        assert threads.cursor == place, key


@check(FINISHED, "details")
async def details(pilot, app):
    for digit, text in (("1", "since the daemon started"), ("2", "Next of its queue"), ("6", "seen key")):
        await rows(pilot, app, digit)
        await pilot.press("enter")
        await wait_for(pilot, lambda text=text: text in screen(pilot))
        await pilot.press("escape")
        await wait_for(pilot, lambda: app.screen is app.dashboard)


@check(FINISHED, "filter", "back")
async def filter_(pilot, app):
    threads = await rows(pilot, app, "1")
    for key in ("f", "backslash"):
        await pilot.press(key, *"2", "enter")
        await wait_for(pilot, lambda: [row.worker for row in threads.rows] == [2])
        await pilot.press("escape")
        await wait_for(pilot, lambda: threads.total == 3)


@check(FINISHED, "sort:1", "sort:-1", "invert")
async def sort(pilot, app):
    directories = await rows(pilot, app, "3")
    await pilot.press("less_than_sign")
    first = directories.sort
    await pilot.press("greater_than_sign")
    assert (first, directories.sort) == ("path", "directory")
    await pilot.press("I")
    await wait_for(pilot, lambda: [row.directory for row in directories.rows] == [1, 2, 3])


@check(FINISHED, "follow")
async def follow(pilot, app):
    threads = await rows(pilot, app, "1")
    await pilot.press("g", "F", "I")
    await wait_for(pilot, lambda: threads.follow and threads.row.worker == 0 and threads.cursor == 2)
    await pilot.press("F", "I")
    assert not threads.follow


@check(FINISHED, "copy", "open")
async def copy(pilot, app):
    errors = await rows(pilot, app, "6")
    opened: list[str] = []
    app.open_url = lambda url, **_: opened.append(url)  # no browser is to open while tests run
    await pilot.press("y", "o")
    await wait_for(pilot, lambda: app.clipboard == errors.row.url and opened == [errors.row.url])


@check(FINISHED, "switch", "up")
async def site_tree(pilot, app):
    await rows(pilot, app, "3")
    await pilot.press("v")
    await wait_for(pilot, lambda: table(app).total == 1)
    await pilot.press("enter")
    await wait_for(pilot, lambda: "(right here)" in screen(pilot))
    for key in ("backspace", "left"):
        await pilot.press(key)
    await wait_for(pilot, lambda: table(app).row is not None and table(app).row.kind == "host")
    await pilot.press("v")
    await wait_for(pilot, lambda: "filled" in screen(pilot))


@check(FINISHED, "errors_only", "wrap", "tail")
async def log(pilot, app):
    events = await rows(pilot, app, "5")
    await pilot.press("g")
    await wait_for(pilot, lambda: "End follows" in screen(pilot))
    await pilot.press("end")
    await wait_for(pilot, lambda: "following" in screen(pilot))
    await pilot.press("e")
    await wait_for(pilot, lambda: {row.level for row in events.rows} == {"warning"})
    await pilot.press("w")
    await wait_for(pilot, lambda: "what happened, and where" in screen(pilot) and table(app).total)
    await pilot.press("w", "e")
    await wait_for(pilot, lambda: len(events.rows) > 10)


@check(FINISHED, "release")
async def release(pilot, app):
    await rows(pilot, app, "2")
    await pilot.press("L")
    await wait_for(pilot, lambda: "goes on: 0 URLs may be fetched again" in told(pilot))


@check(FINISHED, "again")
async def again(pilot, app):
    await rows(pilot, app, "6")
    await pilot.press("t")
    await wait_for(pilot, lambda: "1 URL of the error queue will be tried again" in told(pilot))
    await wait_for(pilot, lambda: app.model.snapshot.state is CrawlState.COMPLETE)


@check(FINISHED, "retry")
async def retry(pilot, app):
    await pilot.press("R")
    await wait_for(pilot, lambda: "0 URLs of the error queue will be tried again" in told(pilot))


@check(RUNNING, "pause")
async def pause(pilot, app):
    await pilot.press("p")
    await wait_for(pilot, lambda: "‖ PAUSED" in line(pilot, 0))
    await pilot.press("p")
    await wait_for(pilot, lambda: "● RUNNING" in line(pilot, 0))


@check(RUNNING, "add")
async def add(pilot, app):
    before = app.model.snapshot.counters.known
    await pilot.press("a")
    await wait_for(pilot, lambda: app.screen is not app.dashboard)
    await pilot.press(*"http://127.0.0.1:9/new")
    await wait_for(pilot, lambda: "1 new" in screen(pilot))
    await pilot.press("tab", "enter")
    await wait_for(pilot, lambda: "1 new URL, 0 already known" in told(pilot))
    await wait_for(pilot, lambda: app.model.snapshot.counters.known > before)


@check(RUNNING, "stop")
async def stop(pilot, app):
    await pilot.press("X")
    await wait_for(pilot, lambda: "Stop the daemon?" in screen(pilot))
    await pilot.press("escape")
    await wait_for(pilot, lambda: app.screen is app.dashboard)
    await pilot.press("X")
    await wait_for(pilot, lambda: "Stop the daemon?" in screen(pilot))
    await pilot.press("y")
    await wait_for(pilot, lambda: "✗ STOPPED" in line(pilot, 0))


@check(RUNNING, "leave")
async def leave(pilot, app):
    await pilot.press("q")
    await wait_for(pilot, lambda: not app.is_running or app.return_value == 0)


@check(ALONE, "start")
async def start(pilot, app):
    await wait_for(pilot, lambda: "press s" in screen(pilot))
    await pilot.press("s")
    await wait_for(pilot, lambda: "Start a daemon" in screen(pilot))
    await pilot.press("escape")
    await wait_for(pilot, lambda: app.screen is app.dashboard)


async def carry_out(pilot, app, checks):
    for function in dict.fromkeys(checks.values()):
        await function(pilot, app)


def test_every_key_is_pressed():
    assert FINISHED.keys() | RUNNING.keys() | ALONE.keys() == keys.BY_COMMAND.keys()


@on_asyncio
async def test_on_a_crawl_that_has_come_to_its_end(data_dir):
    with site(40) as pages, daemon(data_dir, pages.url("/")) as running:
        async with dashboard(running.socket) as pilot:
            app = await attached(pilot)
            await wait_for(pilot, lambda: "✓ COMPLETE" in line(pilot, 0))
            await carry_out(pilot, app, FINISHED)


@on_asyncio
async def test_on_a_crawl_that_runs(data_dir):
    with site(0, endless=True) as pages, daemon(data_dir, pages.url("/"), options=SLOWLY) as running:
        async with dashboard(running.socket) as pilot:
            app = await attached(pilot)
            await wait_for(pilot, lambda: "● RUNNING" in line(pilot, 0))
            await carry_out(pilot, app, RUNNING)
            assert isinstance(app, SpiderApp)


@on_asyncio
async def test_without_a_daemon(data_dir):
    async with dashboard(data_dir / "spiderd.sock") as pilot:
        await carry_out(pilot, pilot.app, ALONE)
