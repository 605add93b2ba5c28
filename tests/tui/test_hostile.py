"""What comes from the web is drawn, and does nothing else."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from textual.events import Paste

from spiderd.states import Step
from tests.tui.piloting import attached, dashboard, on_asyncio, screen, wait_for
from tests.tui.serving import served
from tests.tui.stage import Stage

EVIL = (
    "\x1b]0;owned\x07\x1b[2J[red]x[/red] [@click=app.quit]y[/] \u202egnp.exe\x00\t\r\n\u200b\U000f0000"
    + "z" * 8192
)
FORBIDDEN = ["\x1b", "\x07", "\x00", "\u202e", "\u200b", "\U000f0000"]


def hostile():
    stage = Stage(threads=2, hosts=2, directories=2, errors=2)
    stage.message = EVIL
    stage.greeting = replace(stage.greeting, crawl=EVIL[:64])
    stage.worker_rows = [replace(row, url="https://" + EVIL, step=Step.PARSING) for row in stage.worker_rows]
    stage.host_rows = [replace(row, host=EVIL[:64], reason=EVIL, state="parked") for row in stage.host_rows]
    stage.directory_rows = [replace(row, path=EVIL[:64]) for row in stage.directory_rows]
    stage.error_rows = [
        replace(row, url="https://" + EVIL, detail=EVIL, referrer=EVIL) for row in stage.error_rows
    ]
    stage.tree_rows = [
        replace(row, name=EVIL, prefix=f"{row.prefix}{EVIL}/", inside=True) for row in stage.tree_rows
    ]
    stage.next = [replace(row, url="https://" + EVIL) for row in stage.next]
    stage.recent = [replace(row, url="https://" + EVIL, detail=EVIL, failure=EVIL) for row in stage.recent]
    stage.out = stage.into = [replace(row, url="https://" + EVIL, text=EVIL) for row in stage.out]
    stage.hits = [replace(hit, title=f"crawl {EVIL}", snippet=EVIL) for hit in stage.hits]
    stage.text = EVIL
    stage.robots = [replace(row, text=EVIL, why=EVIL, origin=EVIL) for row in stage.robots]
    stage.counters.statuses = {EVIL: 3}
    stage.counters.failures = {EVIL: 3}
    return stage


def evil_event(stage):
    stage.log.add("error", EVIL, EVIL, url="https://" + EVIL, host=EVIL, worker=1)


def check(pilot):
    text = screen(pilot)
    assert [sign for sign in FORBIDDEN if sign in text] == []
    width = pilot.app.size.width
    strips = pilot.app.screen._compositor.render_strips(pilot.app.size)
    assert {strip.cell_length for strip in strips} == {width}
    return text


@pytest.mark.parametrize("tab", ["1", "2", "3", "5", "6"])
@on_asyncio
async def test_tabs_and_details(sock_path, tab):
    stage = hostile()
    with served(stage, sock_path) as server:
        server.call(evil_event, stage)
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            await wait_for(pilot, lambda: app.model.events)
            await pilot.press(tab)
            table = app.dashboard.view.main.table
            await wait_for(pilot, lambda: table.total)
            assert "[red]x[/red]" in check(pilot)
            await pilot.press("enter")
            await wait_for(pilot, lambda: app.screen is not app.dashboard)
            await wait_for(pilot, lambda: "[@click=app.quit]" in check(pilot))


@on_asyncio
async def test_site_tree(sock_path):
    stage = hostile()
    for row in stage.tree_rows:
        row.host, row.kind = EVIL[:64], "host" if row.kind == "host" else "here"
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            await pilot.press("3", "v")
            tree = app.dashboard.view.tree_listing
            await wait_for(pilot, lambda: tree.table.total)
            assert "[red]x[/red]" in check(pilot)
            await pilot.press("enter")
            await wait_for(pilot, lambda: "Bksp: up" in screen(pilot))
            assert "Site tree: ]0;owned[2J[red]x[/red]" in check(pilot)


@on_asyncio
async def test_a_page_in_full(sock_path):
    stage = hostile()
    with served(stage, sock_path):
        async with dashboard(sock_path, size=(100, 40)) as pilot:
            app = await attached(pilot)
            await pilot.press("slash", *"crawl")
            await wait_for(pilot, lambda: app.dashboard.search.hits.table.total)
            assert "[red]x[/red]" in check(pilot)
            await pilot.press("enter", "enter")
            await wait_for(pilot, lambda: app.screen is not app.dashboard and len(app.screen.sections) == 3)
            app.screen.query_one("#details-box").scroll_end(animate=False)
            await wait_for(pilot, lambda: "[@click=app.quit]" in check(pilot))


@on_asyncio
async def test_a_host_in_full(sock_path):
    stage = hostile()
    with served(stage, sock_path):
        async with dashboard(sock_path, size=(100, 100)) as pilot:
            app = await attached(pilot)
            await pilot.press("2")
            await wait_for(pilot, lambda: app.dashboard.view.main.table.total)
            await pilot.press("enter")
            await wait_for(pilot, lambda: app.screen is not app.dashboard and app.screen.sections)
            await wait_for(pilot, lambda: "[@click=app.quit]" in check(pilot))
            app.screen.query_one("#details-box").scroll_end(animate=False)
            await wait_for(pilot, lambda: "zzzz" in check(pilot))


@on_asyncio
async def test_figures_and_messages(sock_path):
    stage = hostile()
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            await pilot.press("i")
            await wait_for(pilot, lambda: "data directory" in screen(pilot))
            check(pilot)
            await pilot.press("escape")
            app.say(EVIL)
            await wait_for(pilot, lambda: len(app._notifications) == 1)
            await wait_for(pilot, lambda: screen(pilot).count("[red]x[/red]") > 3)
            check(pilot)
            await pilot.press("y")
            await wait_for(pilot, lambda: len(app._notifications) == 2)
            assert [sign for sign in FORBIDDEN if sign in app.clipboard] == []
            check(pilot)


@on_asyncio
async def test_what_is_pasted(sock_path):
    stage = Stage()
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            await pilot.press("a")
            await wait_for(pilot, lambda: app.screen is not app.dashboard)
            await paste(pilot, f"https://a.example/{EVIL}\nhttps://b.example/")
            await wait_for(pilot, lambda: "b.example" in screen(pilot) and "new" in screen(pilot))
            check(pilot)
            await pilot.press("escape", "f")
            await paste(pilot, EVIL)
            await wait_for(pilot, lambda: "filter" in screen(pilot))
            check(pilot)


async def paste(pilot, text):
    await pilot.pause()
    pilot.app.post_message(Paste(text))
    await pilot.pause()
