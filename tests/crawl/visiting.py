"""A daemon whose coordinator goes by a clock that the test moves: days pass in no time, sockets stay real."""

from __future__ import annotations

import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio

from spiderd.archive.reading import read_body
from spiderd.config import Config
from spiderd.daemon.running import Daemon
from tests.api.serving import client
from tests.crawl.controlled import Controlled
from tests.crawl.harness import Recorder, configured, pages_of

HOUR, DAY = 3600.0, 86400.0


class Hands:
    """Those of the clock."""

    def __init__(self) -> None:
        self.offset = 0.0

    def __call__(self) -> float:
        return time.time() + self.offset


class Visited(Controlled):
    """A daemon that visits pages again."""

    daemon: Daemon
    hands: Hands

    async def rest(self) -> dict[str, Any]:
        """Wait until nothing is to be done for now."""
        return await self.until(lambda now: now["state"] in ("waiting", "complete"))

    async def pass_time(self, seconds: float) -> dict[str, Any]:
        """Let time pass, and the crawl do what is due by then."""
        before = self.daemon._coordinator.lifecycle.since
        self.hands.offset += seconds
        self.daemon._coordinator.poke()
        with trio.move_on_after(0.3):  # where nothing is due the state stays as it is
            await self.until(lambda _: self.daemon._coordinator.lifecycle.since > before)
        return await self.rest()


def revisiting(*seeds: str, **changes: dict[str, Any]) -> Config:
    """A configuration with visits on, each page an hour to a day after the last one."""
    rules = {"enabled": True, "min": HOUR, "average": 6 * HOUR, "max": DAY, **changes.pop("revisit", {})}
    return configured(*seeds, revisit=rules, **changes)


@asynccontextmanager
async def visited(config: Config, data_dir: Path, hands: Hands) -> AsyncIterator[Visited]:
    """Run a daemon until the block ends; then it is stopped, and has committed everything."""
    report = Recorder()
    data_dir.mkdir(parents=True, exist_ok=True)
    path = data_dir / "test.sock"
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.bind(str(path))
        sock.listen()
        daemon = Daemon(config, data_dir, sock, once=False, report=report, clock=hands, tick=0.05)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(daemon.run)
            async with client(path) as http:
                running = Visited(http, report)
                running.daemon, running.hands = daemon, hands
                with trio.fail_after(60):
                    yield running
                    await running.post("stop")


def newest(data_dir: Path) -> dict[str, bytes]:
    """What the files show that the page table names: URL -> body."""
    return {
        url: read_body(data_dir / "pages", row.directory, row.number)
        for url, row in pages_of(data_dir).items()
        if row.number
    }
