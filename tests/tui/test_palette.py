"""The command palette."""

from __future__ import annotations

from textual.command import CommandPalette

from tests.tui.piloting import attached, dashboard, on_asyncio, screen, wait_for
from tests.tui.serving import served
from tests.tui.stage import Stage
from tui import keys
from tui.palette import NOT_OFFERED, KeyCommands, UrlCommands


async def hits(app, provider, query):
    return [hit async for hit in provider(app.screen).search(query)]


@on_asyncio
async def test_every_command_is_found_by_its_words(sock_path):
    with served(Stage(), sock_path):
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            for key in keys.KEYS:
                if key.command not in NOT_OFFERED:
                    found = await hits(app, KeyCommands, key.label)
                    assert any(key.help in hit.prompt.plain for hit in found), key.label
            offered = [hit async for hit in KeyCommands(app.screen).discover()]
            assert len(offered) == len(keys.KEYS) - len(NOT_OFFERED)


@on_asyncio
async def test_a_command_is_given_from_the_palette(sock_path):
    stage = Stage()
    with served(stage, sock_path):
        async with dashboard(sock_path) as pilot:
            await attached(pilot)
            await pilot.press("ctrl+p")
            await wait_for(pilot, lambda: CommandPalette.is_open(pilot.app))
            await pilot.press(*"configuration")
            await wait_for(pilot, lambda: "Have the daemon read its configuration" in screen(pilot))
            await pilot.press("enter")
            await wait_for(pilot, lambda: stage.calls == ["reload"])


@on_asyncio
async def test_what_cannot_be_done_says_why(sock_path):
    with served(Stage(), sock_path):
        async with dashboard(sock_path, read_only=True) as pilot:
            app = await attached(pilot)
            (hit,) = [
                hit
                for hit in await hits(app, KeyCommands, "Pause")
                if "fetches in flight" in hit.prompt.plain
            ]
            assert hit.help == "not now: this screen is read-only"


@on_asyncio
async def test_a_url_can_be_added_or_asked_about(sock_path):
    with served(Stage(), sock_path):
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            assert await hits(app, UrlCommands, "pause") == []
            add, why = await hits(app, UrlCommands, "https://[example].org/")
            assert "[example]" in add.prompt.plain
            why.command()
            await wait_for(pilot, lambda: "scope.follow = site: example.com" in screen(pilot))
            await pilot.press("escape")
            add.command()
            await wait_for(pilot, lambda: app.screen is not app.dashboard)
            assert app.screen.query_one("#urls").text == "https://[example].org/"


@on_asyncio
async def test_of_textuals_own_commands_only_the_theme_is_offered(sock_path):
    with served(Stage(), sock_path):
        async with dashboard(sock_path) as pilot:
            app = await attached(pilot)
            assert [command.title for command in app.get_system_commands(app.screen)] == ["Theme"]
