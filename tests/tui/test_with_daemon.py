"""The dashboard on a real daemon, by its real socket, while it crawls a real site on loopback."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from spiderd.states import CrawlState
from tests.tui.daemons import daemon, site
from tests.tui.piloting import attached, dashboard, line, on_asyncio, screen, told, wait_for
from tui.connection import Phase

SLOWLY = ("--delay", "100ms")  # endless sites: something happens all the time, but not much


@pytest.fixture
def data_dir() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="spiderd-", ignore_cleanup_errors=True) as directory:
        yield Path(directory)


def state(app):
    return app.model.snapshot.state if app.model.snapshot else None


@on_asyncio
async def test_follows_a_crawl_to_its_end(data_dir):
    with site(40) as pages, daemon(data_dir, pages.url("/")) as running:
        async with dashboard(running.socket) as pilot:
            app = await attached(pilot)
            await wait_for(pilot, lambda: "✓ COMPLETE" in line(pilot, 0))
            counters = app.model.snapshot.counters
            # "/" and the pages 1 to 39, of which 7 is not there and leads to no others
            gone = {7, 15, 16, 31, 32, 33, 34}
            assert counters.pages == 40 - len(gone)
            assert counters.error == 1
            assert counters.waiting == counters.processing == 0
            await wait_for(pilot, lambda: f"{counters.pages} pages" in line(pilot, 0))
            await pilot.press("6")
            await wait_for(pilot, lambda: "http_error" in screen(pilot) and "404" in screen(pilot))
            await pilot.press("enter")
            await wait_for(pilot, lambda: "found on" in screen(pilot) and "seen key" in screen(pilot))
            await pilot.press("escape", "2")
            await wait_for(pilot, lambda: app.dashboard.view.main.table.total == 1)
            await pilot.press("3")
            await wait_for(pilot, lambda: app.dashboard.view.main.table.total == 3)
            await pilot.press("5")
            await wait_for(pilot, lambda: "stored" in screen(pilot))
            await pilot.press("i")
            await wait_for(pilot, lambda: "answers by status" in screen(pilot))


@on_asyncio
async def test_pause_holds_the_crawl_and_resume_lets_it_go_on(data_dir):
    with site(0, endless=True) as pages, daemon(data_dir, pages.url("/"), options=SLOWLY) as running:
        async with dashboard(running.socket) as pilot:
            app = await attached(pilot)
            await wait_for(pilot, lambda: state(app) is CrawlState.RUNNING and len(pages.requests) > 3)
            await pilot.press("p")
            await wait_for(pilot, lambda: "‖ PAUSED" in line(pilot, 0))
            seen = len(pages.requests)
            before = app.model.snapshot.now
            await wait_for(pilot, lambda: app.model.snapshot.now > before + 1)
            assert len(pages.requests) == seen
            await pilot.press("p")
            await wait_for(pilot, lambda: "● RUNNING" in line(pilot, 0) and len(pages.requests) > seen)


@on_asyncio
async def test_urls_are_checked_and_added(data_dir):
    with site(3) as first, site(5) as second, daemon(data_dir, first.url("/")) as running:
        async with dashboard(running.socket) as pilot:
            app = await attached(pilot)
            await wait_for(pilot, lambda: state(app) is CrawlState.COMPLETE)
            await pilot.press("a")
            await wait_for(pilot, lambda: app.screen is not app.dashboard)
            app.screen.query_one("#urls").insert(f"{second.url('/')}\n{first.url('/')}\nmailto:a@b.c\n")
            await wait_for(pilot, lambda: "1 new · 1 already known · 1 refused" in screen(pilot))
            assert not second.requests
            await pilot.press("ctrl+s")
            await wait_for(pilot, lambda: len(second.requests) >= 5)
            await wait_for(pilot, lambda: state(app) is CrawlState.COMPLETE)


@on_asyncio
async def test_stop_ends_the_daemon_and_the_same_command_continues(data_dir):
    with site(0, endless=True) as pages, daemon(data_dir, pages.url("/"), options=SLOWLY) as running:
        async with dashboard(running.socket) as pilot:
            app = await attached(pilot)
            await wait_for(pilot, lambda: app.model.snapshot.counters.pages > 3)
            await pilot.press("X")
            await wait_for(pilot, lambda: "Stop the daemon?" in screen(pilot))
            await pilot.press("y")
            await wait_for(pilot, lambda: "✗ STOPPED" in line(pilot, 0))
            assert running.wait() == 0
            done = app.model.snapshot.counters.pages
            running.start()
            await wait_for(pilot, lambda: "● RUNNING" in line(pilot, 0))
            await wait_for(pilot, lambda: app.model.snapshot.counters.pages > done)


@on_asyncio
async def test_outlives_a_daemon_that_is_killed(data_dir):
    with site(0, endless=True) as pages, daemon(data_dir, pages.url("/"), options=SLOWLY) as running:
        async with dashboard(running.socket) as pilot:
            app = await attached(pilot)
            await wait_for(pilot, lambda: app.model.snapshot.counters.pages > 3)
            running.kill()
            await wait_for(pilot, lambda: "✗ DISCONNECTED" in line(pilot, 0))
            known = f"{app.model.snapshot.counters.known:,}"
            assert known in screen(pilot)
            await pilot.press("p")
            await wait_for(pilot, lambda: "no daemon is attached" in told(pilot))
            running.start()
            await pilot.press("r")
            await wait_for(pilot, lambda: "● RUNNING" in line(pilot, 0))


@on_asyncio
async def test_a_daemon_that_hangs_is_shown_as_stale_not_as_live(data_dir):
    with site(0, endless=True) as pages, daemon(data_dir, pages.url("/"), options=SLOWLY) as running:
        async with dashboard(running.socket) as pilot:
            app = await attached(pilot)
            await wait_for(pilot, lambda: app.connection.phase is Phase.LIVE)
            running.send(signal.SIGSTOP)
            try:
                await wait_for(pilot, lambda: "no news for" in line(pilot, 0))
                await pilot.press("2", "5", "1")
                await wait_for(pilot, lambda: "Throughput" in screen(pilot))
            finally:
                running.send(signal.SIGCONT)
            await wait_for(pilot, lambda: "live" in line(pilot, 0))


@on_asyncio
async def test_read_only_leaves_a_crawl_alone(data_dir):
    with site(0, endless=True) as pages, daemon(data_dir, pages.url("/"), options=SLOWLY) as running:
        async with dashboard(running.socket, read_only=True) as pilot:
            app = await attached(pilot)
            await wait_for(pilot, lambda: state(app) is CrawlState.RUNNING)
            await pilot.press("p", "X", "a", "R")
            await wait_for(pilot, lambda: "this screen is read-only" in told(pilot))
            seen = len(pages.requests)
            await wait_for(pilot, lambda: len(pages.requests) > seen + 2)
            assert state(app) is CrawlState.RUNNING


@on_asyncio
async def test_the_error_queue_is_tried_again(data_dir):
    options = ("--delay", "0", "--set", "crawl.retries=0")
    with site(20, seventh=500) as pages, daemon(data_dir, pages.url("/"), options=options) as running:
        async with dashboard(running.socket) as pilot:
            app = await attached(pilot)
            await wait_for(pilot, lambda: state(app) is CrawlState.COMPLETE)
            asked = sum(request.path == "/7" for request in pages.requests)
            await pilot.press("R")
            await wait_for(pilot, lambda: "1 URL of the error queue" in told(pilot))
            await wait_for(pilot, lambda: sum(r.path == "/7" for r in pages.requests) > asked)


@on_asyncio
async def test_starts_a_daemon_where_there_is_none(data_dir):
    with site(3) as pages:
        async with dashboard(data_dir / "spiderd.sock") as pilot:
            app = pilot.app
            await wait_for(pilot, lambda: "press s" in screen(pilot))
            await pilot.press("s")
            await wait_for(pilot, lambda: "Start a daemon" in screen(pilot))
            app.screen.query_one("#urls").insert(pages.url("/"))
            app.screen.query_one("#thread-count").value = "2"
            await pilot.press("ctrl+s")
            await wait_for(pilot, lambda: "✓ COMPLETE" in line(pilot, 0))
            assert app.model.snapshot.threads == 2
            await pilot.press("X")
            await wait_for(pilot, lambda: "Stop the daemon?" in screen(pilot))
            await pilot.press("y")
            await wait_for(pilot, lambda: "✗ STOPPED" in line(pilot, 0))


@on_asyncio
async def test_a_daemon_that_cannot_be_started_says_why(data_dir):
    async with dashboard(data_dir / "spiderd.sock") as pilot:
        app = pilot.app
        await wait_for(pilot, lambda: "press s" in screen(pilot))
        await pilot.press("s")
        await wait_for(pilot, lambda: "Start a daemon" in screen(pilot))
        app.screen.query_one("#urls").insert("mailto:somebody@example.org")
        await pilot.press("ctrl+s")
        await wait_for(pilot, lambda: "not started:" in told(pilot))


@on_asyncio
async def test_threads_are_changed_live_and_stay_so_after_a_restart(data_dir):
    with site(0, endless=True) as pages, daemon(data_dir, pages.url("/"), options=SLOWLY) as running:
        async with dashboard(running.socket) as pilot:
            app = await attached(pilot)
            await wait_for(pilot, lambda: app.model.snapshot.threads == 3)
            await pilot.press("7")
            table = app.dashboard.view.main.table
            await wait_for(pilot, lambda: table.total)
            await pilot.press("f", *"crawl.threads", "enter")
            await wait_for(pilot, lambda: table.row is not None and table.row.key == "crawl.threads")
            await pilot.press("enter")
            await wait_for(pilot, lambda: app.screen is not app.dashboard)
            await pilot.press("ctrl+u", "5", "enter")
            await wait_for(pilot, lambda: app.model.snapshot.threads == 5)
            await wait_for(pilot, lambda: len(app.model.snapshot.workers) == 5)
            await wait_for(pilot, lambda: table.row.override)
            running.kill()
            running.start()
            await wait_for(pilot, lambda: app.connection.connected and app.model.snapshot.threads == 5)
            await pilot.press("escape", "1")
            await wait_for(pilot, lambda: "1 setting made live" in screen(pilot))
