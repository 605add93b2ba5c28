"""Who may read the pages, by which name, and what a browser may do with them.

- *By which name.* A site can let its own name point to 127.0.0.1 and have a visitor's browser read what
  listens there (DNS rebinding). The browser then sends that name, so only addresses, `localhost` and the
  names of the configuration are answered.
- *Who.* Where there is a password it is asked for on every request: as the password of HTTP basic
  authentication (RFC 7617; the user name does not matter), or as a bearer token (RFC 6750).
- *What.* The content security policy lets a page load one style sheet and one script from here, and nothing
  from anywhere else; no frame may hold it, and no other site learns what was looked for.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import ipaddress
from collections.abc import Iterable

from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "cache-control": "no-store",
}
"""With every answer."""

_RAW = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


class Guard:
    """An ASGI application before another one."""

    def __init__(self, app: ASGIApp, *, password: str = "", names: Iterable[str] = ()) -> None:
        """Stand before `app`.

        Args:
            app: what is guarded.
            password: that is asked for; "" = nobody is asked.
            names: host names that are answered, beside `localhost` and addresses.
        """
        self._app = app
        self._password = password.encode()
        self._names = frozenset({"localhost", *(name.lower() for name in names)})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = [pair for pair in message.get("headers", []) if pair[0].decode() not in HEADERS]
                message = {**message, "headers": [*kept, *_RAW]}
            await send(message)

        await (self._refusal(scope) or self._app)(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = dict(scope["headers"])
        if not self.is_known(headers.get(b"host", b"").decode("latin-1")):
            return PlainTextResponse(
                "This server is not known by that name. Ask for it by its address, or add the name to "
                "web.names in its configuration.\n",
                421,
            )
        if self._password and not self._may_read(headers.get(b"authorization", b"").decode("latin-1")):
            return PlainTextResponse(
                "The password of this search page is wanted (web.password in its configuration).\n",
                401,
                {"www-authenticate": 'Basic realm="spiderd", charset="UTF-8"'},
            )
        return None

    def is_known(self, host: str) -> bool:
        """Whether a Host header names us."""
        name = host.lower()
        name = name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0]
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name in self._names
        return True

    def _may_read(self, authorization: str) -> bool:
        scheme, _, given = authorization.partition(" ")
        given = given.strip()
        if scheme.lower() == "basic":
            try:
                decoded = base64.b64decode(given, validate=True)
            except (binascii.Error, ValueError):
                return False
            return hmac.compare_digest(decoded.partition(b":")[2], self._password)
        return scheme.lower() == "bearer" and hmac.compare_digest(given.encode(), self._password)
