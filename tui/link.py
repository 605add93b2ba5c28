"""Keeps the line to the daemon up and feeds the model; one asyncio task, cancelled when the screen closes."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from contextlib import suppress

from spiderd.protocol import API_VERSION
from tui.client import Client, LineBroken
from tui.connection import Connection, Problem
from tui.model import Model

SNAPSHOT_EVERY = 0.5  # seconds; the daemon makes no more than two a second
SNAPSHOT_EVERY_UNWATCHED = 1.0  # while the terminal has no focus
EVENTS_EVERY = 0.25  # seconds between two batches, however fast events come


class Link:
    """Greets, follows, loses and finds the daemon again.

    Args:
        client: the calls.
        connection: told what happens; read by the screen.
        model: filled with what comes.
        changed: called after every change, on the event loop; must not block.
    """

    def __init__(
        self, client: Client, connection: Connection, model: Model, changed: Callable[[], None]
    ) -> None:
        self.client = client
        self.connection = connection
        self.model = model
        self.watched = True  # whether somebody looks
        self._changed = changed
        self._nudge = asyncio.Event()  # ends the current wait early

    def nudge(self) -> None:
        """Try, or ask, at once."""
        self.connection.retry(time.monotonic())
        self._nudge.set()

    async def run(self) -> None:
        """Follow the daemon until cancelled."""
        try:
            while True:
                self.connection.begin(time.monotonic())
                self._changed()
                await self._follow()
                self._changed()
                await self._pause(self.connection.wait(time.monotonic()))
        finally:
            await self.client.close()

    async def _follow(self) -> None:
        """Greet the daemon and take in what it says until the line breaks."""
        try:
            hello = await self.client.hello()
            if not self.connection.greeted(hello.api, time.monotonic(), random.random()):  # noqa: S311 - spreads clients, hides nothing
                return
            self.model.greet(hello)
            async with asyncio.TaskGroup() as group:
                group.create_task(self._follow_status())
                group.create_task(self._follow_events())
        except* LineBroken as broken:
            self._lose(broken.exceptions[0])
        except* Exception as broken:  # noqa: BLE001 - whatever comes over the line must not end the dashboard
            self._lose(broken.exceptions[0])

    def _lose(self, problem: BaseException) -> None:
        kind = problem.problem if isinstance(problem, LineBroken) else Problem.GARBLED
        self.connection.lost(kind, str(problem), time.monotonic(), random.random())  # noqa: S311 - no secret: it spreads retries

    async def _follow_status(self) -> None:
        while True:
            snapshot = await self.client.status()
            if snapshot.hello.api != API_VERSION:  # restarted as another version between two snapshots
                raise LineBroken(Problem.BROKEN, "the daemon was replaced")
            self.model.show(snapshot)
            self.connection.heard(time.monotonic())
            self._changed()
            await self._pause(SNAPSHOT_EVERY if self.watched else SNAPSHOT_EVERY_UNWATCHED)

    async def _follow_events(self) -> None:
        while True:
            batch = await self.client.events(self.model.last_event)
            self.model.hear(batch.rows, batch.last, gap=batch.gap)
            if batch.rows:
                self._changed()
            await asyncio.sleep(EVENTS_EVERY)

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._nudge.wait(), seconds)
        self._nudge.clear()
