"""Attaching, losing the daemon and finding it again."""

from __future__ import annotations

from msgspec.structs import replace

from spiderd.states import CrawlState, Reason
from tests.tui.piloting import attached, dashboard, line, on_asyncio, screen, wait_for
from tests.tui.serving import served
from tests.tui.stage import Stage
from tui.connection import Phase


@on_asyncio
async def test_shows_state_counters_threads_and_directories(sock_path):
    stage = Stage(threads=3)
    with served(stage, sock_path) as server:
        server.call(stage.happen, 30)
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            await wait_for(pilot, lambda: len(app.model.events) == 30 and "receiving" in screen(pilot))
            await wait_for(pilot, lambda: "503 Service" in screen(pilot))
            text = screen(pilot)
    assert "● RUNNING" in text
    assert "1,284,551" in text
    assert "412,087" in text
    assert "receiving" in text
    assert "news.example.com/c/2026-08-21/doc-inczf0000.html" in text
    assert "503 Service Unavail" in text
    assert "Threads" in text
    assert "Workers" not in text
    assert "━" in text


@on_asyncio
async def test_without_a_daemon_says_what_to_do_and_attaches_by_itself(sock_path):
    async with dashboard(sock_path) as pilot:
        await wait_for(pilot, lambda: "No daemon answers" in screen(pilot))
        assert "spiderd start" in screen(pilot)
        assert str(sock_path) in screen(pilot)
        with served(Stage(), sock_path):
            await wait_for(pilot, lambda: "● RUNNING" in screen(pilot))
            assert "No daemon answers" not in screen(pilot)


@on_asyncio
async def test_keeps_the_figures_when_the_daemon_dies_and_goes_on_when_it_is_back(sock_path):
    stage = Stage()
    async with dashboard(sock_path) as pilot:
        with served(stage, sock_path) as server:
            app = await attached(pilot)
            server.call(stage.happen, 5)
            await wait_for(pilot, lambda: len(app.model.events) == 5)
        await wait_for(pilot, lambda: "✗ STOPPED" in line(pilot, 0))
        assert "1,284,551" in screen(pilot)
        assert "old" in line(pilot, 0)
        assert app.dashboard.view.has_class("-old")
        with served(stage, sock_path) as server:
            server.call(stage.happen, 3)
            await wait_for(pilot, lambda: "● RUNNING" in line(pilot, 0))
            await wait_for(pilot, lambda: len(app.model.events) == 8)
            assert [event.id for event in app.model.events] == list(range(1, 9))
            assert not app.dashboard.view.has_class("-old")


@on_asyncio
async def test_a_daemon_that_stopped_as_asked_is_not_called_lost(sock_path):
    stage = Stage()
    async with dashboard(sock_path) as pilot:
        with served(stage, sock_path):
            app = await attached(pilot)
            stage.state, stage.reason = CrawlState.STOPPING, Reason.USER
            await wait_for(pilot, lambda: "■ STOPPING" in line(pilot, 0))
        await wait_for(pilot, lambda: app.connection.phase is Phase.WAITING)
        await wait_for(pilot, lambda: "✗ STOPPED" in line(pilot, 0))


@on_asyncio
async def test_another_version_is_told_and_nothing_can_be_changed(sock_path):
    stage = Stage()
    stage.api = 99
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            await wait_for(pilot, lambda: "△ VERSION" in line(pilot, 0))
            assert "99" in line(pilot, 0)
            await pilot.press("p")
            await pilot.press("q")
        assert pilot.app.return_value == 69
    assert stage.calls == []


@on_asyncio
async def test_another_crawl_at_the_same_socket_starts_afresh(sock_path):
    first, second = Stage(), Stage(threads=2)
    second.greeting, second.counters.known = replace(second.greeting, crawl="blue-owl"), 17
    async with dashboard(sock_path) as pilot:
        with served(first, sock_path) as server:
            app = await attached(pilot)
            server.call(first.happen, 5)
            await wait_for(pilot, lambda: len(app.model.events) == 5)
        with served(second, sock_path):
            await wait_for(pilot, lambda: app.model.hello and app.model.hello.crawl == "blue-owl")
            await wait_for(pilot, lambda: "● RUNNING" in line(pilot, 0))
            assert not app.model.events
            assert "1,284,551" not in screen(pilot)


@on_asyncio
async def test_r_tries_at_once(sock_path):
    async with dashboard(sock_path) as pilot:
        app = pilot.app
        await wait_for(pilot, lambda: app.connection.tries > 4)
        with served(Stage(), sock_path):
            await pilot.press("r")
            await wait_for(pilot, lambda: app.connection.phase is Phase.LIVE)
