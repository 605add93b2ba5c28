"""Every state of the crawl and of the line, brought about on a real daemon and read off the screen."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from spiderd.states import CrawlState
from tests.tui.daemons import daemon, site
from tests.tui.piloting import attached, dashboard, line, on_asyncio, screen, told, wait_for
from tests.web.server import threaded_site
from tui.client import Client, LineBroken
from tui.connection import Phase, Problem

Test = TypeVar("Test", bound=Callable[..., object])
NOBODY = 65534
SLOWLY = ("--delay", "100ms")
OF_ANOTHER_VERSION = (
    "import spiderd.protocol; spiderd.protocol.API_VERSION = 99; from spiderd.cli import main; main()"
)

SHOWN: set[object] = {CrawlState.STARTING}  # lasts too short to be seen for sure: test_headline has it


def shows(*states: CrawlState | Phase) -> Callable[[Test], Test]:
    SHOWN.update(states)
    return lambda test: test


@pytest.fixture
def data_dir() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="spiderd-", ignore_cleanup_errors=True) as directory:
        yield Path(directory)


@contextmanager
def holding_site() -> Iterator[tuple[object, threading.Event]]:
    """A site whose second page comes only when it is let go."""
    gate = threading.Event()

    def answer(request):
        if request.path == "/robots.txt":
            return (404, {}, b"")
        if request.path == "/held":
            gate.wait(30)
        return '<a href="/held">held</a>'

    with threaded_site(answer) as pages:
        try:
            yield pages, gate
        finally:
            gate.set()


def test_every_state_is_shown():
    assert {*CrawlState, *Phase} == SHOWN


@shows(CrawlState.IDLE, CrawlState.RUNNING, CrawlState.COMPLETE)
@on_asyncio
async def test_an_empty_daemon_is_given_a_url_and_a_number_of_threads(data_dir):
    with site(20) as pages, daemon(data_dir) as running:
        async with dashboard(running.socket) as pilot:
            app = await attached(pilot)
            await wait_for(pilot, lambda: "○ IDLE  nothing to crawl yet · a adds a URL" in line(pilot, 0))
            await pilot.press("p")
            await wait_for(pilot, lambda: "there is nothing to crawl yet" in told(pilot))
            await pilot.press("a")
            await wait_for(pilot, lambda: "3, as it is" in screen(pilot))
            app.screen.query_one("#urls").insert(pages.url("/"))
            app.screen.query_one("#thread-count").value = "5"
            await pilot.press("ctrl+s")
            await wait_for(pilot, lambda: "✓ COMPLETE  everything is fetched at" in line(pilot, 0))
            assert app.model.snapshot.threads == 5
            await wait_for(pilot, lambda: f"{app.model.snapshot.counters.pages} pages" in told(pilot))
            await pilot.press("p")
            await wait_for(pilot, lambda: "the crawl is complete" in told(pilot))


@shows(CrawlState.COMPLETE)
@on_asyncio
async def test_a_crawl_that_has_reached_its_limit(data_dir):
    options = ("--delay", "0", "--set", "crawl.max_pages=5")
    with site(0, endless=True) as pages, daemon(data_dir, pages.url("/"), options=options) as running:
        async with dashboard(running.socket) as pilot:
            await attached(pilot)
            await wait_for(pilot, lambda: "✓ COMPLETE  the page limit is reached at" in line(pilot, 0))
            await wait_for(pilot, lambda: "100.0 % of 5 pages" in screen(pilot))


@shows(CrawlState.PAUSING, CrawlState.PAUSED)
@on_asyncio
async def test_a_pause_waits_for_what_is_in_flight(data_dir):
    with holding_site() as (pages, gate), daemon(data_dir, pages.url("/")) as running:
        async with dashboard(running.socket) as pilot:
            await attached(pilot)
            await wait_for(pilot, lambda: any(request.path == "/held" for request in pages.requests))
            await pilot.press("p")
            await wait_for(pilot, lambda: "◐ PAUSING  1 fetch still finishing" in line(pilot, 0))
            gate.set()
            await wait_for(pilot, lambda: "‖ PAUSED  asked for, since" in line(pilot, 0))


@shows(CrawlState.STOPPING)
@on_asyncio
async def test_a_stop_waits_for_what_is_in_flight(data_dir):
    with holding_site() as (pages, gate), daemon(data_dir, pages.url("/")) as running:
        async with dashboard(running.socket) as pilot:
            await attached(pilot)
            await wait_for(pilot, lambda: any(request.path == "/held" for request in pages.requests))
            await pilot.press("X")
            await wait_for(pilot, lambda: "Stop the daemon?" in screen(pilot))
            await pilot.press("y")
            await wait_for(pilot, lambda: "■ STOPPING  asked for, 1 fetch left" in line(pilot, 0))
            await pilot.press("p")
            await wait_for(pilot, lambda: "the daemon is stopping" in told(pilot))
            gate.set()
            await wait_for(pilot, lambda: "✗ STOPPED  the daemon has stopped" in line(pilot, 0))
            assert running.wait() == 0


@shows(CrawlState.WAITING)
@on_asyncio
async def test_a_crawl_that_will_visit_its_pages_again(data_dir):
    options = ("--delay", "0", "--set", "revisit.enabled=true")
    with site(5) as pages, daemon(data_dir, pages.url("/"), options=options) as running:
        async with dashboard(running.socket) as pilot:
            await attached(pilot)
            await wait_for(pilot, lambda: "◷ WAITING" in line(pilot, 0))


@shows(Phase.WAITING, Phase.TRYING, Phase.LIVE)
@on_asyncio
async def test_a_screen_that_waits_for_a_daemon(data_dir):
    async with dashboard(data_dir / "spiderd.sock") as pilot:
        app = pilot.app
        await wait_for(pilot, lambda: "◌ CONNECTING" in line(pilot, 0) and "retry in" in line(pilot, 0))
        await wait_for(pilot, lambda: "No daemon answers" in screen(pilot))
        for key in ("p", "a", "X"):
            await pilot.press(key)
        await wait_for(pilot, lambda: told(pilot).count("no daemon is attached") == 3)
        with site(0, endless=True) as pages, daemon(data_dir, pages.url("/"), options=SLOWLY):
            await wait_for(
                pilot, lambda: app.connection.phase is Phase.LIVE and "● RUNNING" in line(pilot, 0)
            )
            assert "No daemon answers" not in screen(pilot)


@shows(Phase.STALE)
@on_asyncio
async def test_a_daemon_that_hangs(data_dir):
    with site(0, endless=True) as pages, daemon(data_dir, pages.url("/"), options=SLOWLY) as running:
        async with dashboard(running.socket) as pilot:
            app = await attached(pilot)
            running.send(signal.SIGSTOP)
            try:
                await wait_for(pilot, lambda: app.connection.phase is Phase.STALE)
                await wait_for(pilot, lambda: "no news for" in line(pilot, 0))
                await wait_for(pilot, lambda: app.dashboard.view.has_class("-old"))
            finally:
                running.send(signal.SIGCONT)
            await wait_for(pilot, lambda: "live" in line(pilot, 0))
            await wait_for(pilot, lambda: not app.dashboard.view.has_class("-old"))


@on_asyncio
async def test_a_daemon_that_is_killed_and_comes_back_misses_no_event(data_dir):
    with site(0, endless=True) as pages, daemon(data_dir, pages.url("/"), options=SLOWLY) as running:
        async with dashboard(running.socket) as pilot:
            app = await attached(pilot)
            await wait_for(pilot, lambda: len(app.model.events) > 5)
            running.kill()
            await wait_for(pilot, lambda: "✗ DISCONNECTED" in line(pilot, 0) and "old" in line(pilot, 0))
            assert app.dashboard.view.has_class("-old")
            before = list(app.model.events)
            running.start()
            await wait_for(
                pilot, lambda: "● RUNNING" in line(pilot, 0) and len(app.model.events) > len(before)
            )
            assert list(app.model.events)[: len(before)] == before
            first = app.model.events[len(before)]  # of the new daemon
            assert (first.name, first.message) == ("state", "the crawl is running")
            assert not app.model.lost_events


@shows(Phase.MISMATCHED)
@on_asyncio
async def test_a_daemon_of_another_version(data_dir):
    with daemon(data_dir, program=("-c", OF_ANOTHER_VERSION)) as running:
        async with dashboard(running.socket) as pilot:
            await wait_for(pilot, lambda: "△ VERSION  the daemon speaks version 99" in line(pilot, 0))
            await pilot.press("a")
            await wait_for(pilot, lambda: "the daemon speaks another version" in told(pilot))
            await pilot.press("q")
        assert pilot.app.return_value == 69


@on_asyncio
async def test_a_socket_that_one_may_not_use(data_dir):
    with daemon(data_dir) as running:
        owner, _ = running.socket.owner(), running.socket.group()
        async with Client(str(running.socket)) as client:
            await client.hello()  # all modules are there: whoever is locked out may not read them
        with locked_out(running.socket):
            async with Client(str(running.socket)) as client:
                with pytest.raises(LineBroken, match=f"you may not use .* which is {owner}'s") as refused:
                    await client.hello()
    assert refused.value.problem is Problem.FORBIDDEN  # what the screen says then: test_headline


@contextmanager
def locked_out(socket: Path) -> Iterator[None]:
    """Take the rights to a socket away, from root as well."""
    if os.geteuid():
        socket.chmod(0)
        yield
        return
    socket.parent.chmod(0o755)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
