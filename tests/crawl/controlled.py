"""A daemon that runs in this process and is steered over its socket, as anybody would."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import trio

from spiderd.config import Config
from spiderd.config.loading import Loaded
from spiderd.daemon.running import Daemon
from tests.api.serving import client
from tests.crawl.harness import Recorder

PATIENCE = 30.0  # seconds


class Controlled:
    """What a client can do."""

    def __init__(self, http: httpx.AsyncClient, report: Recorder) -> None:
        self._http = http
        self.report = report

    async def get(self, name: str, **query: Any) -> dict[str, Any]:
        answer = await self._http.get(f"/v1/{name}", params=query)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def post(self, name: str, **body: Any) -> dict[str, Any]:
        answer = await self._http.post(f"/v1/{name}", json=body or None)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def refused(self, name: str, **body: Any) -> tuple[str, str]:
        answer = await self._http.post(f"/v1/{name}", json=body or None)
        assert answer.status_code == 422, answer.text
        error = answer.json()["error"]
        return error["code"], error["message"]

    async def not_told(self, name: str, **query: Any) -> str:
        """Why a question is refused."""
        answer = await self._http.get(f"/v1/{name}", params=query)
        assert answer.status_code == 422, answer.text
        return str(answer.json()["error"]["message"])

    async def set(self, key: str, value: Any) -> dict[str, Any]:
        return await self.post("settings", key=key, value=value)

    async def why(self, url: str) -> dict[str, Any]:
        return await self.get("why", url=url)

    async def until(self, condition: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        """Look again, whenever something may have happened, until the snapshot is as wanted."""
        with trio.move_on_after(PATIENCE):
            while True:
                snapshot = await self.get("status")
                if condition(snapshot):
                    return snapshot
                await self.get("events", since=snapshot["last_event"], wait=0.02)
        raise AssertionError(f"it never came true: {snapshot}")

    async def host(self, state: str) -> None:
        """Look again until the first host is in a state."""
        while not (rows := (await self.get("hosts"))["rows"]) or rows[0]["state"] != state:
            await self.until(lambda _: True)

    async def complete(self, reason: str = "drained") -> dict[str, Any]:
        return await self.until(lambda now: (now["state"], now["reason"]) == ("complete", reason))


@asynccontextmanager
async def controlled(
    config: Config,
    data_dir: Path,
    *,
    reread: Callable[[], Loaded] | None = None,
) -> AsyncIterator[Controlled]:
    """Run a daemon until the block ends; then it is stopped, and has committed everything."""
    report = Recorder()
    data_dir.mkdir(parents=True, exist_ok=True)
    path = data_dir / "test.sock"
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.bind(str(path))
        sock.listen()
        daemon = Daemon(config, data_dir, sock, once=False, report=report, reread=reread, tick=0.05)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(daemon.run)
            async with client(path) as http:
                running = Controlled(http, report)
                with trio.fail_after(60):
                    yield running
                    await running.post("stop")
