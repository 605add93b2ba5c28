"""The keys that steer the crawl."""

from __future__ import annotations

from spiderd.states import CrawlState, Reason
from tests.tui.piloting import attached, dashboard, line, on_asyncio, screen, told, wait_for
from tests.tui.serving import served
from tests.tui.stage import Stage


@on_asyncio
async def test_p_pauses_and_resumes(sock_path):
    stage = Stage()
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            await attached(pilot)
            await pilot.press("p")
            await wait_for(pilot, lambda: "‖ PAUSED" in line(pilot, 0))
            assert "p Resume" in line(pilot, -1)
            await pilot.press("p")
            await wait_for(pilot, lambda: "● RUNNING" in line(pilot, 0))
            assert "p Pause" in line(pilot, -1)
    assert stage.calls == ["pause", "resume"]


@on_asyncio
async def test_q_leaves_and_the_crawl_goes_on(sock_path):
    stage = Stage()
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            await attached(pilot)
            await pilot.press("q")
        assert pilot.app.return_value == 0
    assert stage.calls == []
    assert stage.state is CrawlState.RUNNING


@on_asyncio
async def test_a_checks_while_typing_and_adds(sock_path):
    stage = Stage()
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            await attached(pilot)
            await pilot.press("a")
            await wait_for(pilot, lambda: "One URL a line" in screen(pilot))
            assert pilot.app.screen.query_one("#go").disabled
            pilot.app.screen.query_one("#urls").insert(
                "https://example.org/\nhttps://news.example.com/\nftp://bad.example/\n"
            )
            await wait_for(pilot, lambda: "1 new · 1 already known · 1 refused" in screen(pilot))
            assert "ftp://bad.example/ not http or https" in screen(pilot)
            await pilot.press("ctrl+s")
            await wait_for(pilot, lambda: stage.calls)
            await wait_for(pilot, lambda: "1 new URL" in told(pilot))
    assert stage.calls == ["add https://example.org/ https://news.example.com/ ftp://bad.example/"]


@on_asyncio
async def test_escape_adds_nothing(sock_path):
    stage = Stage()
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            await pilot.press("a", *"https", "escape")
            await wait_for(pilot, lambda: app.screen is app.dashboard)
    assert stage.calls == []


@on_asyncio
async def test_letters_typed_into_the_box_are_no_commands(sock_path):
    stage = Stage()
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            await pilot.press("a", "p", "q", "X")
            await wait_for(pilot, lambda: app.screen.query_one("#urls").text == "pqX")
    assert stage.calls == []


@on_asyncio
async def test_read_only_changes_nothing_and_says_why(sock_path):
    stage = Stage()
    with served(stage, sock_path):
        async with dashboard(sock_path, read_only=True) as pilot:
            app = await attached(pilot)
            for key in ("p", "a", "X"):
                await pilot.press(key)
                await wait_for(pilot, lambda: app.screen is app.dashboard)
            await wait_for(pilot, lambda: "this screen is read-only" in told(pilot))
            assert "read-only" in line(pilot, 0), screen(pilot)
    assert stage.calls == []


@on_asyncio
async def test_stop_asks_first_and_the_safe_answer_has_the_focus(sock_path):
    stage = Stage()
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            await pilot.press("X")
            await wait_for(pilot, lambda: "Stop the daemon?" in screen(pilot))
            await pilot.press("enter")
            await wait_for(pilot, lambda: app.screen is app.dashboard)
            assert stage.calls == []
            await pilot.press("X")
            await wait_for(pilot, lambda: app.screen is not app.dashboard)
            await pilot.press("y")
            await wait_for(pilot, lambda: stage.calls == ["stop"])
            await wait_for(pilot, lambda: "■ STOPPING" in line(pilot, 0))


@on_asyncio
async def test_space_freezes_the_picture_and_not_the_crawl(sock_path):
    stage = Stage()
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            await pilot.press("space")
            await wait_for(pilot, lambda: "❄ FROZEN" in line(pilot, 0))
            stage.counters.known = 2_000_000
            await wait_for(pilot, lambda: app.model.snapshot.counters.known == 2_000_000)
            assert "1,284,551" in screen(pilot)
            await pilot.press("space")
            await wait_for(pilot, lambda: "2,000,000" in screen(pilot))
    assert stage.calls == []


@on_asyncio
async def test_digits_and_clicks_open_tabs(sock_path):
    with served(Stage(), sock_path) as server:
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            await pilot.press("2")
            await wait_for(pilot, lambda: "news0.example.com" in screen(pilot))
            await pilot.press("3")
            await wait_for(pilot, lambda: "/var/lib/spiderd/pages/19" in screen(pilot))
            server.call(server._crawl.happen, 3)
            await pilot.press("5")
            await wait_for(pilot, lambda: "following" in screen(pilot) and "200 text/html" in screen(pilot))
            await pilot.click(app.dashboard.tab_bar, offset=(3, 0))
            await wait_for(pilot, lambda: "Throughput" in screen(pilot))


@on_asyncio
async def test_keys_of_the_bar_can_be_clicked(sock_path):
    stage = Stage()
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            column = app.dashboard.key_bar.words.index("Pause")
            await pilot.click(app.dashboard.key_bar, offset=(column, 0))
            await wait_for(pilot, lambda: stage.calls == ["pause"])


@on_asyncio
async def test_help_comes_from_the_table_of_keys(sock_path):
    with served(Stage(), sock_path):
        async with dashboard(sock_path, read_only=True, size=(120, 50)) as pilot:
            await attached(pilot)
            await pilot.press("question_mark")
            await wait_for(pilot, lambda: "Everywhere" in screen(pilot))
            text = screen(pilot)
            assert "Leave the dashboard; the crawl goes on" in text
            assert "not now: this screen is read-only" in text
            await pilot.press("escape")
            await wait_for(pilot, lambda: "Throughput" in screen(pilot))


@on_asyncio
async def test_an_empty_daemon_is_given_urls_and_a_number_of_threads(sock_path):
    stage = Stage()
    stage.state = CrawlState.IDLE
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            await wait_for(pilot, lambda: "○ IDLE" in line(pilot, 0))
            await pilot.press("a")
            await wait_for(pilot, lambda: "Threads" in screen(pilot) and "8, as it is" in screen(pilot))
            app.screen.query_one("#urls").insert("https://example.org/")
            await wait_for(pilot, lambda: "1 new" in screen(pilot))
            app.screen.query_one("#thread-count").value = "0"
            await pilot.press("ctrl+s")
            assert app.screen is not app.dashboard
            app.screen.query_one("#thread-count").value = "16"
            await pilot.press("ctrl+s")
            await wait_for(pilot, lambda: len(stage.calls) == 2)
    assert stage.calls == ["set crawl.threads 16", "add https://example.org/"]


@on_asyncio
async def test_urls_that_nobody_can_check_are_said_to_be_so(sock_path):
    async with dashboard(sock_path) as pilot:
        with served(Stage(), sock_path):
            app = await attached(pilot)
            await pilot.press("a")
            await wait_for(pilot, lambda: app.screen is not app.dashboard)
        await wait_for(pilot, lambda: not app.connection.connected)
        app.screen.query_one("#urls").insert("https://example.org/")
        await wait_for(pilot, lambda: "not checked: no daemon is attached" in screen(pilot))


@on_asyncio
async def test_the_other_names_of_keys(sock_path):
    with served(Stage(), sock_path):
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            await pilot.press("f1")
            await wait_for(pilot, lambda: app.screen is not app.dashboard)
            await pilot.press("f1")
            assert app.screen is app.dashboard
            await pilot.press("ctrl+q")
        assert pilot.app.return_value == 0


@on_asyncio
async def test_a_crawl_that_has_become_complete_is_summed_up_once(sock_path):
    stage = Stage()
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            stage.since += 125
            stage.state, stage.reason = CrawlState.COMPLETE, Reason.DRAINED
            await wait_for(pilot, lambda: "the crawl is complete · 860,902 pages" in told(pilot))
            assert "2,311 errors · in 2m 05s" in told(pilot)
            before = app.model.snapshot
            await wait_for(pilot, lambda: app.model.snapshot is not before)
            assert told(pilot).count("the crawl is complete") == 1
