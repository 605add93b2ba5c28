"""The transport under httpx: requests out over connections that are kept, answers in.

It is a `httpx.AsyncBaseTransport` and serves a stock `httpx.AsyncClient`; the crawler's own `Client` speaks
to it without one. Measured here, microseconds of CPU: `httpx.AsyncClient.send` costs 80 a request before any
byte moves (URL merging, cookies, auth and redirect flows, that a crawler decides elsewhere); building a
`httpx.Request` from a URL string 15, from a kept `httpx.URL` and a stream 0.9; a `httpx.Response` around a
stream 1.7. So requests and responses are httpx's, and the client's machinery is left out.

`Client` passes its `Watch` along in the request (extension "spiderd.watch"): it owns the cancel scope that
spans the exchange. Without one the transport keeps its own time: one scope for the head, one for each piece.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import cast

import httpx
import trio

from spiderd.fetch.connection import Connection
from spiderd.fetch.dial import Dialer
from spiderd.fetch.failure import FetchError
from spiderd.fetch.limits import Limits
from spiderd.fetch.origin import BadUrl, Origin, Origins
from spiderd.fetch.pool import Pool
from spiderd.fetch.watch import Watch
from spiderd.states import Failure

WATCH = "spiderd.watch"
ORIGIN = "spiderd.origin"
DRAIN = 32 * 1024  # bytes of an unwanted body that are read so that the connection may live
DRAIN_TIME = 2.0  # seconds to wait for them


class Body(httpx.AsyncByteStream):
    """The body of an answer, content coding not undone; gives its connection back when it is closed."""

    __slots__ = ("_pool", "connection", "watch")

    def __init__(self, connection: Connection, pool: Pool, watch: Watch) -> None:
        self.connection: Connection | None = connection
        self.watch = watch
        self._pool = pool

    async def collect(self, limit: int) -> tuple[bytes, bool]:
        """All of it, or its first `limit` bytes (0 = no limit) and True; raises FetchError."""
        connection = self._mine()
        framing = connection.framing
        while not framing.complete and not (limit and framing.size > limit):
            await connection.read_more(self.watch)
        body = self.received()
        return (body[:limit], True) if limit and framing.size > limit else (body, False)

    def received(self) -> bytes:
        """What has come so far."""
        parts = self._mine().framing.parts
        return parts[0] if len(parts) == 1 else b"".join(parts)

    async def drain(self) -> None:
        """Read and forget what is left where that is little; raises FetchError."""
        connection = self._mine()
        missing = 0 if connection.framing.complete else connection.framing.missing()
        if not missing or missing > DRAIN or not connection.reusable:
            return
        self.watch.limits = replace(self.watch.limits, read=DRAIN_TIME)
        while not connection.framing.complete:
            await connection.read_more(self.watch)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        connection = self._mine()
        framing = connection.framing
        while True:
            parts, framing.parts = framing.parts, []
            for part in parts:
                yield part
            if framing.complete:
                return
            await self._timed(connection)

    async def _timed(self, connection: Connection) -> None:
        """Read more within a scope of its own (the body is read by httpx)."""
        with trio.CancelScope() as self.watch.scope:
            await connection.read_more(self.watch)
        if self.watch.scope.cancelled_caught:
            raise self.watch.expired()

    def _mine(self) -> Connection:
        if self.connection is None:
            raise httpx.StreamClosed
        return self.connection

    def release(self, now: float) -> bool:
        """Give the connection back to the pool, or close it where it cannot be used again.

        Returns whether the answer itself said where its body ends.
        """
        connection, self.connection = self.connection, None
        if connection is None:
            return False
        delimited = connection.framing.delimited
        if connection.may_be_reused():
            connection.framing.parts = []
            self._pool.put(connection, now)
        else:
            connection.close()
        return delimited

    async def aclose(self) -> None:
        """Give the connection back (called by httpx)."""
        self.release(trio.current_time())


class Transport(httpx.AsyncBaseTransport):
    """Sends httpx requests over trio sockets."""

    def __init__(self, dialer: Dialer, limits: Limits | None = None, pool: Pool | None = None) -> None:
        self.dialer = dialer
        self.limits = limits or Limits()
        self.pool = Pool() if pool is None else pool
        self.origins = Origins()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a GET and return its answer as soon as the head is there; raises FetchError.

        Other methods raise httpx.UnsupportedProtocol: a crawler asks and changes nothing.
        """
        if request.method != "GET":
            raise httpx.UnsupportedProtocol(f"only GET is spoken, not {request.method}")
        watch = cast("Watch | None", request.extensions.get(WATCH))
        if watch is not None:
            return await self._exchange(request, watch)
        watch = Watch(limits_of(request, self.limits))
        with watch.scope:
            return await self._exchange(request, watch)
        raise watch.expired()

    async def aclose(self) -> None:
        """Close all idle connections."""
        self.pool.close()

    async def _exchange(self, request: httpx.Request, watch: Watch) -> httpx.Response:
        origin = cast("Origin | None", request.extensions.get(ORIGIN)) or self._origin_of(request.url)
        data = self._render(request, origin)
        key = self.dialer.key(origin)
        connection = self.pool.take(key)
        if connection is not None:
            try:
                return await self._ask(connection, request, data, watch)
            except FetchError as error:
                if error.failure is not Failure.CONNECTION_LOST:
                    raise
                self.pool.forget(key)  # the server closed while we asked: ask once more, on a fresh one
        connection = await self.dialer.dial(origin, watch)
        watch.phase(Failure.FIRST_BYTE_TIMEOUT, watch.limits.read)
        return await self._ask(connection, request, data, watch)

    async def _ask(
        self, connection: Connection, request: httpx.Request, data: bytes, watch: Watch
    ) -> httpx.Response:
        try:
            head = await connection.ask(data, watch)
            body = Body(connection, self.pool, watch)
            return httpx.Response(head.status, headers=head.headers.raw, stream=body, request=request)
        except BaseException:
            connection.close()
            raise

    def _origin_of(self, url: httpx.URL) -> Origin:
        """The origin of a request that a stock httpx client has made."""
        if url.scheme not in {"http", "https"}:
            raise httpx.UnsupportedProtocol(f"not a http or https URL: {url}")
        try:
            return self.origins.of(url.scheme, url.raw_host.decode("ascii"), url.port)
        except BadUrl as error:
            raise httpx.UnsupportedProtocol(str(error)) from None

    def _render(self, request: httpx.Request, origin: Origin) -> bytes:
        target = request.extensions.get("target") or request.url.raw_path
        proxy = self.dialer.proxy
        extra = b""
        if proxy is not None and not origin.secure:
            target = b"http://%b%b" % (origin.authority, target)
            if proxy.authorization:
                extra = b"Proxy-Authorization: %b\r\n" % proxy.authorization
        fields = b"".join([b"%b: %b\r\n" % pair for pair in request.headers.raw])
        return b"GET %b HTTP/1.1\r\n%b%b\r\n" % (target, fields, extra)


def limits_of(request: httpx.Request, limits: Limits) -> Limits:
    """The limits of a request of a stock httpx client: its own time-outs where they are shorter."""
    timeout = request.extensions.get("timeout", {})
    connect, read = timeout.get("connect"), timeout.get("read")
    return replace(
        limits,
        connect=limits.connect if connect is None else min(connect, limits.connect),
        read=limits.read if read is None else min(read, limits.read),
    )
