"""What stands between the HTTP server and the endpoints: bounds of a request, and no error that escapes.

The body is read here, whole, before an endpoint sees the request: an endpoint that does not care for a body
would leave it in the server's queue, and a queue that nobody empties blocks the connection for good.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

import trio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from spiderd.api.peer import Rights
from spiderd.api.replies import error_reply, reply_to
from spiderd.api.routes import RIGHTS

MAX_BODY = 1024 * 1024  # bytes
MAX_EXCESS = (
    4 * MAX_BODY
)  # bytes that are read and dropped so that the client hears why, before it is cut off
BODY_TIME = 10.0  # seconds in which a body must have come

log = logging.getLogger(__name__)


class Guard:
    """The application as one client meets it."""

    def __init__(self, app: ASGIApp, rights: Rights, cut: Callable[[], None]) -> None:
        self._app = app
        self._rights = rights
        self._cut = cut  # closes the client's connection at once

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close"})
        elif scope["http_version"] not in {"1.0", "1.1"}:
            await error_reply(505, "http_version", "speak HTTP/1.1")(scope, receive, send)
        else:
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[RIGHTS] = self._rights
        body = bytearray()
        whole = False
        with trio.move_on_after(BODY_TIME) as reading:
            whole = await self._read_body(receive, body)
        if reading.cancelled_caught:
            await _last_reply(408, "body_too_slow", f"the body did not come in {BODY_TIME:g} s", scope, send)
        elif not whole:
            return
        elif len(body) > MAX_BODY:
            await _last_reply(413, "body_too_big", f"a body may have {MAX_BODY} bytes", scope, send)
        elif scope["method"] == "POST":
            await self._call(scope, _Body(bytes(body)), send)  # a change is finished, whoever has left
        else:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_cancel_when_gone, receive, nursery.cancel_scope)
                await self._call(scope, _Body(bytes(body)), send)
                nursery.cancel_scope.cancel()

    async def _read_body(self, receive: Receive, body: bytearray) -> bool:
        """Read a body to its end, but keep little more than is allowed; False: the connection has ended."""
        size = 0
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return False
            piece = message.get("body", b"")
            size += len(piece)
            if len(body) <= MAX_BODY:
                body += piece
            if not message.get("more_body", False):
                return True
            if size > MAX_BODY + MAX_EXCESS:
                self._cut()  # go on reading: the queue has to be emptied up to the notice of the end

    async def _call(self, scope: Scope, receive: Receive, send: Send) -> None:
        sending = _Sending(send)
        try:
            await self._app(scope, receive, sending)
        except Exception as error:
            log.exception("the API failed to answer %s %s", scope["method"], scope["path"])
            if not sending.begun:
                await reply_to(error)(scope, receive, send)


class _Sending:
    """Passes messages on and remembers whether the answer has begun."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.begun = False

    async def __call__(self, message: Message) -> None:
        self.begun = True
        await self._send(message)


class _Body:
    """The `receive` of an endpoint: the whole body at once, then nothing more."""

    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body

    async def __call__(self) -> Message:
        if self._body is None:
            await trio.sleep_forever()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


async def _last_reply(status: int, code: str, text: str, scope: Scope, send: Send) -> None:
    reply = error_reply(status, code, text, {"connection": "close"})
    await reply(scope, _Body(b""), send)


async def _cancel_when_gone(receive: Receive, scope: trio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
