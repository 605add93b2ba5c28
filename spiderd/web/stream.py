"""The status as server-sent events: one a second while something changes (HTML standard, section 9.2)."""

from __future__ import annotations

from functools import partial

import msgspec
import trio
from starlette.types import Receive, Scope, Send

from spiderd.api.interrupts import Closing, unless_interrupted
from spiderd.errors import SpiderdError
from spiderd.web.backend import Backend
from spiderd.web.views import StatusView, status_view, trouble

INTERVAL = 1.0  # seconds

_HEADERS = [(b"content-type", b"text/event-stream")]


class StatusStream:
    """An answer without an end."""

    def __init__(self, backend: Backend, closing: Closing) -> None:
        self._backend = backend
        self._closing = closing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the status whenever it has changed, until the server ends or the client leaves."""
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        told: StatusView | None = None
        pause = 0.0
        while scope["method"] != "HEAD":
            view = await unless_interrupted(partial(self._next, pause), receive, self._closing)
            if view is None:
                break
            body = b": alive\n\n" if view == told else b"data: %b\n\n" % msgspec.json.encode(view)
            await send({"type": "http.response.body", "body": body, "more_body": True})
            told, pause = view, INTERVAL
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _next(self, pause: float) -> StatusView:
        await trio.sleep(pause)
        try:
            return status_view(await self._backend.status())
        except SpiderdError as error:
            return trouble(str(error))
