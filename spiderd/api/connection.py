"""HTTP/1.1 with one client: h11 knows the protocol, this moves the bytes, and every wait has a bound.

Why no ready-made server: with hypercorn 0.18 on trio the application cannot see the connection, so it can ask
neither for the peer's credentials nor for what lies unread; sends are shielded and have no deadline; a body
that nobody reads blocks the connection for good; a client that closed an idle connection keeps its place
until the idle time is over; and HTTP/2 and web sockets cannot be switched off. Each can be mended from
outside, but only by leaning on its private parts. This is ASGI all the same, any server can take its place.

A request has three bounds: the time for its headers (which is the idle time too), their size, and size and
time of its body. A body is read whole before the application is called.
"""

from __future__ import annotations

import http
import logging
from collections.abc import Iterable
from urllib.parse import unquote_to_bytes

import h11
import trio
from starlette.types import ASGIApp, Message, Scope

from spiderd.api.client import ClientStream
from spiderd.api.interrupts import Closing
from spiderd.api.peer import Rights
from spiderd.api.replies import JSON, ApiError, encode_error, reply_to
from spiderd.api.routes import RIGHTS

MAX_HEADERS = 16 * 1024  # bytes of request line and headers
MAX_BODY = 1024 * 1024  # bytes
BODY_TIME = 10.0  # seconds in which a body must have come
IDLE_TIME = 15.0  # seconds for headers to come, and between two requests; above the 5 s that httpx keeps one
LINGER = (4 * MAX_BODY, 2.0)  # bytes and seconds to listen after a refusal

log = logging.getLogger(__name__)


class Connection:
    """The conversation with one client."""

    def __init__(self, stream: ClientStream, app: ASGIApp, rights: Rights, closing: Closing) -> None:
        self._stream = stream
        self._app = app
        self._rights = rights
        self._closing = closing
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEADERS)
        self._head = b""  # of the answer, held back to leave together with the first piece of its body

    async def run(self) -> None:
        """Answer requests until the client leaves or breaks a rule, or the server ends."""
        try:
            while await self._exchange():
                self._http.start_next_cycle()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return  # the client is gone
        except h11.RemoteProtocolError as error:
            code = "headers_too_big" if error.error_status_hint == 431 else "bad_request"
            await self.refuse(ApiError(error.error_status_hint, code, str(error)))
        except ApiError as error:
            await self.refuse(error)

    async def refuse(self, error: ApiError) -> None:
        """Say why the connection ends, and end it."""
        body = encode_error(error.code, error.message)
        length = b"%d" % len(body)
        headers = [(b"content-type", JSON.encode()), (b"content-length", length), (b"connection", b"close")]
        if self._http.our_state not in {h11.IDLE, h11.SEND_RESPONSE}:
            return
        try:
            head = self._http.send(_response(error.status, headers))
            await self._stream.send_all(head + (self._http.send(h11.Data(body)) or b""))
            await self._stream.linger(*LINGER)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return

    async def _exchange(self) -> bool:
        """Read one request and answer it; False where the connection is not to go on."""
        request = await self._next_request()
        if request is None:
            return False
        await self._answer(request, await self._read_body(request))
        states = {self._http.our_state, self._http.their_state}
        return states == {h11.DONE} and not self._closing.begun

    async def _next_request(self) -> h11.Request | None:
        event: object = None
        with self._closing.interruptible(), trio.move_on_after(IDLE_TIME):
            event = await self._next_event()
        return event if isinstance(event, h11.Request) else None

    async def _read_body(self, request: h11.Request) -> bytes:
        too_big = ApiError(413, "body_too_big", f"a body may have {MAX_BODY} bytes")
        if any(name == b"content-length" and int(value) > MAX_BODY for name, value in request.headers):
            raise too_big
        body = bytearray()
        with trio.move_on_after(BODY_TIME):
            while isinstance(event := await self._next_event(), h11.Data):
                body += event.data
                if len(body) > MAX_BODY:
                    raise too_big
            return bytes(body)
        raise ApiError(408, "body_too_slow", f"the body did not come in {BODY_TIME:g} s")

    async def _next_event(self) -> object:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            if self._http.they_are_waiting_for_100_continue:
                await self._stream.send_all(
                    self._http.send(h11.InformationalResponse(status_code=100, headers=[]))
                )
            self._http.receive_data(await self._stream.receive_some())
        return event

    async def _answer(self, request: h11.Request, body: bytes) -> None:
        scope = self._scope(request)
        bodies = [body]

        async def receive() -> Message:
            if bodies:
                return {"type": "http.request", "body": bodies.pop(), "more_body": False}
            await self._wait_until_gone()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            await self._send(message, with_body=request.method != b"HEAD")

        try:
            await self._app(scope, receive, send)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise
        except Exception as error:
            log.exception("the API failed to answer %s %s", scope["method"], scope["path"])
            if self._http.our_state is h11.SEND_RESPONSE:
                await reply_to(error)(scope, receive, send)

    async def _wait_until_gone(self) -> None:
        """Wait for the client to leave; of what it sends meanwhile only one piece is taken."""
        if not self._http.trailing_data[0]:
            data = await self._stream.receive_some()
            if not data:
                return
            self._http.receive_data(data)
        await trio.sleep_forever()

    async def _send(self, message: Message, *, with_body: bool) -> None:
        if message["type"] == "http.response.start":
            self._head = self._http.send(_response(message["status"], message.get("headers", ())))
            return
        data, self._head = self._head, b""
        if with_body and message.get("body"):
            data += self._http.send(h11.Data(message["body"])) or b""
        if not message.get("more_body", False):
            data += self._http.send(h11.EndOfMessage()) or b""
        await self._stream.send_all(data)

    def _scope(self, request: h11.Request) -> Scope:
        path, _, query = _origin_form(request.target).partition(b"?")
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": request.http_version.decode("ascii"),
            "method": request.method.decode("ascii"),
            "scheme": "http",
            "path": unquote_to_bytes(path).decode(errors="replace"),
            "raw_path": path,
            "query_string": query,
            "root_path": "",
            "headers": list(request.headers),
            "client": None,
            "server": None,
            RIGHTS: self._rights,
        }


def _origin_form(target: bytes) -> bytes:
    """Cut scheme and authority off a target in absolute form (RFC 9112, section 3.2.2)."""
    if target.startswith(b"/"):
        return target
    _, found, rest = target.partition(b"://")
    return b"/" + rest.partition(b"/")[2] if found else target


def _response(status: int, headers: Iterable[tuple[bytes, bytes]]) -> h11.Response:
    try:
        reason = http.HTTPStatus(status).phrase
    except ValueError:
        reason = ""
    return h11.Response(status_code=status, headers=list(headers), reason=reason)
