"""Server-sent events: the event log as a stream that a client can take up again where it broke off.

    id: 17                          a heartbeat a second while nothing happens (": alive"), so that a dead
    data: {"id":17,...}             connection shows on either side;
                                    `event: gap` where events were lost, with the id to go on from;
                                    `event: goodbye` when the daemon ends, not when a connection breaks

The format is that of the HTML standard, section 9.2 (server-sent events).
"""

from __future__ import annotations

from functools import partial

import msgspec
import trio
from starlette.types import Receive, Scope, Send

from spiderd.api.crawl import Crawl
from spiderd.api.interrupts import Closing, unless_interrupted
from spiderd.api.replies import encode
from spiderd.protocol import Events

HEARTBEAT = 1.0  # seconds
PAUSE = 0.05  # seconds between two batches: what comes in between is sent together

_HEADERS = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store")]


class EventStream:
    """An answer without an end: events as they come."""

    def __init__(self, crawl: Crawl, closing: Closing, since: int, level: str) -> None:
        self._crawl = crawl
        self._closing = closing
        self._since = since
        self._level = level

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until the server ends or the client leaves."""
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        if scope["method"] == "HEAD":
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        else:
            await self._send_events(receive, send)

    async def _send_events(self, receive: Receive, send: Send) -> None:
        events = await self._crawl.events(self._since, 0.0, self._level)
        while True:
            await send({"type": "http.response.body", "body": frame(events), "more_body": True})
            self._since = events.last
            found = await unless_interrupted(
                partial(self._next, PAUSE if events.rows else 0.0), receive, self._closing
            )
            if found is None:
                break
            events = found
        await self._say_goodbye(send)

    async def _next(self, pause: float) -> Events:
        await trio.sleep(pause)
        return await self._crawl.events(self._since, HEARTBEAT, self._level)

    async def _say_goodbye(self, send: Send) -> None:
        rest = await self._crawl.events(self._since, 0.0, self._level)
        body = (frame(rest) if rest.rows else b"") + _message("goodbye", {"last": rest.last})
        await send({"type": "http.response.body", "body": body, "more_body": False})


def frame(events: Events) -> bytes:
    """Write a batch of events; an empty one is a heartbeat."""
    parts = [_message("gap", {"last": events.last})] if events.gap else []
    parts += [b"id: %d\ndata: %b\n\n" % (event.id, encode(event)) for event in events.rows]
    return b"".join(parts) or b": alive\n\n"


def _message(name: str, data: dict[str, int]) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (name.encode(), msgspec.json.encode(data))
