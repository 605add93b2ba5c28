"""Driving the dashboard: asyncio inside plain tests, and waiting for what should come instead of sleeping."""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from tui.app import SpiderApp
from tui.glyphs import UNICODE, Glyphs

PATIENCE = 20.0  # seconds; a loaded machine is slow, a broken one is slower


def on_asyncio(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Run a test on asyncio, whatever plug-ins run the others on."""

    @functools.wraps(test)
    def run(*args, **kwargs):
        asyncio.run(test(*args, **kwargs))

    return run


@asynccontextmanager
async def dashboard(
    path: Path, *, size: tuple[int, int] = (120, 40), read_only: bool = False, glyphs: Glyphs = UNICODE
) -> AsyncIterator[Pilot[int]]:
    app = SpiderApp(str(path), data_dir=str(path.parent), read_only=read_only, glyphs=glyphs)
    async with app.run_test(size=size, notifications=True) as pilot:
        yield pilot


async def wait_for(pilot: Pilot[int], condition: Callable[[], object]) -> None:
    """Let the application work until something holds."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"never came true; the screen was:\n{screen(pilot)}")
        await asyncio.sleep(0.03)  # drawing the screen for a condition takes some milliseconds itself
    await pilot.pause()


async def attached(pilot: Pilot[int]) -> SpiderApp:
    """Wait until the first snapshot is drawn."""
    app = pilot.app
    assert isinstance(app, SpiderApp)
    await wait_for(
        pilot, lambda: app.model.snapshot is not None and app.dashboard.key_bar.words and line(pilot, 0)
    )
    return app


def screen(pilot: Pilot[int]) -> str:
    """What stands on the screen, line by line."""
    app = pilot.app
    strips = app.screen._compositor.render_strips(app.size)
    return "\n".join(strip.text.rstrip() for strip in strips)


def line(pilot: Pilot[int], number: int) -> str:
    return screen(pilot).splitlines()[number]


def told(pilot: Pilot[int]) -> str:
    """The short messages that are on the screen, without their line breaks."""
    return "\n".join(notification.message for notification in pilot.app._notifications)
