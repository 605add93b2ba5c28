"""A HTTP proxy between us and the web (`fetch.proxy`): absolute targets for http, a tunnel for https.

Names are looked up by the proxy, so the SSRF guard can judge only hosts that are written as addresses; what
the proxy connects to beyond that is the proxy's policy.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from spiderd.errors import ConfigError
from spiderd.fetch.connection import GONE, Channel, reason
from spiderd.fetch.head import HEAD_END, BadHead, parse_head
from spiderd.fetch.origin import Origin, make_origin
from spiderd.fetch.watch import Watch
from spiderd.states import Failure


@dataclass(frozen=True, slots=True)
class Proxy:
    """Where the proxy is, and what it wants to be told."""

    origin: Origin
    authorization: bytes = b""  # value of Proxy-Authorization


def parse_proxy(url: str) -> Proxy | None:
    """The proxy of a configuration, None for ""; raises ConfigError."""
    if not url:
        return None
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        if parts.scheme != "http":
            raise ConfigError("fetch.proxy: only http://[USER:PASSWORD@]HOST:PORT is spoken")
        origin = make_origin("http", parts.hostname or "", parts.port or 8080)
    except ValueError as error:
        raise ConfigError(f"fetch.proxy: {error}") from None
    if parts.username is None:
        return Proxy(origin)
    account = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
    return Proxy(origin, b"Basic " + base64.b64encode(account))


async def tunnel(channel: Channel, proxy: Proxy, origin: Origin, watch: Watch) -> None:
    """Have the proxy connect to an origin (CONNECT, RFC 9110 9.3.6); raises FetchError."""
    name = origin.name.encode()
    request = b"CONNECT %b HTTP/1.1\r\nHost: %b\r\n" % (name, name)
    if proxy.authorization:
        request += b"Proxy-Authorization: %b\r\n" % proxy.authorization
    data = b""
    try:
        await channel.send(request + b"\r\n")
        while HEAD_END.search(data) is None and len(data) <= watch.limits.max_headers:
            piece = await channel.receive()
            if not piece:
                break
            data += piece
        status = _status(data)
    except BadHead as error:
        raise watch.fail(Failure.CONNECT_FAILED, f"the proxy does not speak HTTP: {error}") from None
    except GONE as error:
        raise watch.fail(Failure.CONNECT_FAILED, f"the proxy has gone: {reason(error)}") from None
    if not 200 <= status < 300:
        raise watch.fail(Failure.CONNECT_FAILED, f"the proxy refuses to connect: it answered {status}")


def _status(data: bytes) -> int:
    end = HEAD_END.search(data)
    if end is None:
        raise BadHead("its answer does not end")
    return parse_head(data[: end.end()]).status
