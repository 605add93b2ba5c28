"""Storms: of resizes, of events, of keys. Nothing breaks, nothing is left behind, nobody waits."""

from __future__ import annotations

import random

from msgspec.structs import replace
from textual.events import AppBlur, AppFocus

from tests.tui.piloting import attached, dashboard, line, on_asyncio, screen, wait_for
from tests.tui.serving import served
from tests.tui.stage import Stage


def whole(pilot):
    """Every line has the width of the window, and the keys are at the bottom."""
    columns, lines = pilot.app.size
    strips = pilot.app.screen._compositor.render_strips(pilot.app.size)
    return len(strips) == lines and {strip.cell_length for strip in strips} == {columns}


@on_asyncio
async def test_resizes(sock_path):
    chance = random.Random(3)
    with served(Stage(threads=40), sock_path) as server:
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            server.call(server._crawl.happen, 100)
            for _ in range(16):
                await pilot.press(chance.choice("1234567"))
                await pilot.resize_terminal(chance.randint(1, 220), chance.randint(1, 70))
            for size in ((40, 10), (1, 1), (200, 60), (20, 3), (120, 40)):
                await pilot.resize_terminal(*size)
                await wait_for(pilot, lambda: whole(pilot))
            await pilot.press("escape", "escape", "escape", "1")
            app.dashboard.view.main.table.focus()
            await wait_for(pilot, lambda: "Throughput" in screen(pilot) and "● RUNNING" in line(pilot, 0))
            assert "q Quit" in line(pilot, -1)


@on_asyncio
async def test_events_and_changes_while_keys_are_pressed(sock_path):
    stage = Stage(threads=64, hosts=5_000)
    with served(stage, sock_path) as server:
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            for number in range(8):
                server.call(stage.happen, 1000)
                stage.worker_rows = [replace(row, pages=row.pages + 1) for row in stage.worker_rows[::-1]]
                await pilot.press("1256"[number % 4], "j", "pagedown", "k", "I")
            await pilot.press("5")
            await wait_for(pilot, lambda: app.model.last_event == stage.log.last)
            assert len(app.model.events) == 2000
            await wait_for(pilot, lambda: app.dashboard.view.main.table.total == 2000)


@on_asyncio
async def test_daemons_that_come_and_go(sock_path):
    stage = Stage()
    async with dashboard(sock_path) as pilot:
        for _ in range(4):
            with served(stage, sock_path):
                await pilot.press("r")
                await wait_for(pilot, lambda: "● RUNNING" in line(pilot, 0))
            await wait_for(pilot, lambda: "✗" in line(pilot, 0))
            assert "1,284,551" in screen(pilot)


@on_asyncio
async def test_an_answer_that_cannot_be_read_is_told_and_asked_again_slowly(sock_path):
    class Garbled(Stage):
        garbled = True

        def snapshot(self):
            snapshot = super().snapshot()
            return replace(snapshot, state="dancing") if self.garbled else snapshot

    stage = Garbled()
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            await wait_for(pilot, lambda: "cannot be read" in line(pilot, 0))
            await wait_for(pilot, lambda: pilot.app.connection.tries > 2)
            stage.garbled = False
            await wait_for(pilot, lambda: "● RUNNING" in line(pilot, 0))


@on_asyncio
async def test_nobody_looks_half_the_pace(sock_path):
    with served(Stage(), sock_path):
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            assert app.link.watched
            app.post_message(AppBlur())
            await wait_for(pilot, lambda: not app.link.watched)
            app.post_message(AppFocus())
            await wait_for(pilot, lambda: app.link.watched)
