"""The crawler's HTTP client: one GET, within all limits, to an answer or to a failure with a name.

No redirect is followed: each hop is a URL of its own in the frontier, with its own scope, robots and
politeness.
"""

from __future__ import annotations

import re
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Self, cast

import httpx
import trio

from spiderd import __version__
from spiderd.config import Config
from spiderd.fetch.coding import ACCEPTED, CodingError, Decoded, codings, decode, transfer_codings
from spiderd.fetch.cookies import Cookies
from spiderd.fetch.dial import Dialer
from spiderd.fetch.failure import FetchError
from spiderd.fetch.framing import content_length
from spiderd.fetch.guard import Guard
from spiderd.fetch.headers import Headers
from spiderd.fetch.limits import Limits
from spiderd.fetch.origin import MAX_KEPT, BadUrl, Origin
from spiderd.fetch.pool import Pool, most_idle
from spiderd.fetch.proxy import parse_proxy
from spiderd.fetch.resolver import Resolver
from spiderd.fetch.transport import ORIGIN, WATCH, Body, Transport
from spiderd.fetch.watch import OnStep, Watch, ignore
from spiderd.phases import Phases
from spiderd.states import Failure

Wanted = Callable[[int, Headers], Failure]

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
IN_THREAD = 128 * 1024  # bytes of a coded body beyond which it is decoded off the event loop
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")


@dataclass(slots=True)
class Exchange:
    """An answer. Durations in seconds, sizes in bytes."""

    url: str
    status: int
    headers: Headers
    body: bytes  # content coding undone
    wire_size: int  # bytes received, head included
    truncated: bool  # the body was cut at max_body
    address: str  # IP address that answered
    latency: float  # request sent to first byte
    elapsed: float  # whole exchange
    head: bytes = b""  # status line and fields as received
    request: bytes = b""  # as sent


class _NoBody(httpx.AsyncByteStream):
    """The body of a GET request."""


_NO_BODY = _NoBody()


def user_agent(config: Config) -> str:
    """How we introduce ourselves: product, version and whom to turn to (RFC 9110 10.1.5)."""
    politeness = config.politeness
    contact = f" (+{politeness.contact})" if politeness.contact else ""
    return politeness.user_agent or f"spiderd/{__version__}{contact}"


def _field(value: str) -> bytes:
    """A header value without anything that could end its line."""
    return _UNPRINTABLE.sub("", value).strip().encode()


class Client:
    """Fetches URLs for the workers of one fetcher; an async context manager.

    Args:
        config: limits, guard, proxy, user agent. Raises ConfigError where they cannot be used.
        seeds: URLs that decide which private addresses are allowed.
        resolver: names to addresses; the system's name servers by default.
        tls: how certificates are verified; the system's authorities by default.
    """

    def __init__(
        self,
        config: Config,
        *,
        seeds: Sequence[str] = (),
        resolver: Resolver | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.limits = Limits.of(config.fetch)
        self.cookies = Cookies()
        self._auth: dict[str, str] = {}
        proxy = parse_proxy(config.fetch.proxy)
        # All that a host may have stay warm; a proxy has those of all hosts.
        self.pool = Pool(max_here=most_idle() if proxy else config.politeness.per_host)
        self._guard = Guard(config.scope, seeds)
        self.phases = Phases()
        dialer = Dialer(resolver or Resolver(), self._guard, proxy, self.phases, tls)
        self.transport = Transport(dialer, self.limits, self.pool)
        self._agent = _field(user_agent(config))
        self._prepared: dict[Origin, httpx.Headers] = {}  # for requests that say nothing of their own

    def reconfigure(self, config: Config, seeds: Sequence[str]) -> None:
        """Go by other limits, blocks and user agent from the next request on; the proxy stays.

        Args:
            config: the settings.
            seeds: that have come to those before: they decide which private addresses are allowed.

        Raises:
            ConfigError: a block of scope.ip_allow or scope.ip_deny is none.
        """
        self.limits = self.transport.limits = Limits.of(config.fetch)
        self._guard.reconfigure(config.scope)
        self._guard.extend(seeds)
        if not config.fetch.proxy:
            self.pool.resize(config.politeness.per_host)
        self._agent = _field(user_agent(config))
        self._prepared.clear()

    def authorize(self, auth: Mapping[str, str]) -> None:
        """Send these Authorization headers, each to its origin (scheme://host[:port]) and to nobody else."""
        self._auth = dict(auth)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.pool.close()

    async def get(
        self,
        url: str,
        *,
        etag: str = "",
        last_modified: str = "",
        wanted: Wanted | None = None,
        on_step: OnStep = ignore,
        max_body: int | None = None,
        accept: str = "",
    ) -> Exchange:
        """Ask for a URL; any status is an answer.

        Args:
            url: canonical http(s) URL; a user name or a fragment in it is not sent.
            etag: validator for a conditional request, as the server gave it.
            last_modified: the same.
            wanted: told status and headers before the body is read; the failure that it returns ends the
                exchange, unless that is NONE.
            on_step: told what is being done.
            max_body: bytes, instead of `fetch.max_body`; 0 = no limit.
            accept: the Accept header, instead of one for pages.

        Raises:
            FetchError: there is no answer that can be used.
        """
        try:
            origin, target = self.transport.origins.split(url)
        except BadUrl as error:
            raise FetchError(Failure.PROTOCOL_ERROR, str(error)) from None
        watch = Watch(self.limits, on_step)
        request = self._request(origin, target, watch, etag, last_modified, accept)
        limit = self.limits.max_body if max_body is None else max_body
        with watch.scope:
            response = await self.transport.handle_async_request(request)
            return await self._answer(url, origin, target, response, watch, wanted, limit)
        raise watch.expired()

    def _request(
        self, origin: Origin, target: bytes, watch: Watch, etag: str, last_modified: str, accept: str
    ) -> httpx.Request:
        own: list[tuple[bytes, bytes]] = []
        if etag:
            own.append((b"If-None-Match", _field(etag)))
        if last_modified:
            own.append((b"If-Modified-Since", _field(last_modified)))
        if self._auth:
            scheme = "https" if origin.secure else "http"
            authorization = self._auth.get(f"{scheme}://{origin.authority.decode()}")
            if authorization:
                own.append((b"Authorization", _field(authorization)))
        if self.cookies:
            cookie = self.cookies.header(origin.host, target.decode(), time.time(), secure=origin.secure)
            if cookie:
                own.append((b"Cookie", _field(cookie)))
        headers = self._headers(origin, accept, own) if own or accept else self._prepared.get(origin)
        if headers is None:
            if len(self._prepared) >= MAX_KEPT:
                self._prepared.clear()
            headers = self._prepared[origin] = self._headers(origin, "", [])
        extensions = {"target": target, WATCH: watch, ORIGIN: origin}
        return httpx.Request("GET", origin.url, headers=headers, stream=_NO_BODY, extensions=extensions)

    def _headers(self, origin: Origin, accept: str, own: list[tuple[bytes, bytes]]) -> httpx.Headers:
        return httpx.Headers(
            [
                (b"Host", origin.authority),
                (b"User-Agent", self._agent),
                (b"Accept", _field(accept or ACCEPT)),
                (b"Accept-Encoding", ACCEPTED),
                *own,
            ]
        )

    async def _answer(
        self,
        url: str,
        origin: Origin,
        target: bytes,
        response: httpx.Response,
        watch: Watch,
        wanted: Wanted | None,
        limit: int,
    ) -> Exchange:
        body = cast("Body", response.stream)
        headers = cast("Headers", watch.headers)
        doubt: FetchError | None = None
        try:
            if headers.has(b"set-cookie"):
                self.cookies.store(origin.host, target.decode(), headers.all("set-cookie"), time.time())
            if wanted is not None and (failure := wanted(watch.status, headers)):
                await self._refuse(body, watch, failure)
            content, cut = await body.collect(limit)
        except FetchError as error:
            if error.failure is not Failure.TRUNCATED or not headers.has(b"content-encoding"):
                raise
            content, cut, doubt = body.received(), False, error
        finally:
            now = trio.current_time()
            delimited = body.release(now)
            self.phases.first_byte.observe(watch.first - watch.sent)
            self.phases.body.observe(now - watch.first)
        if headers.has(b"content-encoding") or headers.has(b"transfer-encoding"):
            content, cut = await self._decoded(
                content, watch, limit, cut=cut, delimited=delimited, doubt=doubt
            )
        return Exchange(
            url=url,
            status=watch.status,
            headers=headers,
            body=content,
            wire_size=watch.received,
            truncated=cut,
            address=watch.address,
            latency=watch.first - watch.sent,
            elapsed=now - watch.started,
            head=watch.head,
            request=watch.request,
        )

    async def _refuse(self, body: Body, watch: Watch, failure: Failure) -> None:
        """End an exchange whose answer is not wanted, its connection spared where that is cheap."""
        kind = (watch.headers or Headers([])).get("content-type") or "no type"
        watch.verdict = watch.fail(failure, f"status {watch.status}, {kind}")
        with suppress(FetchError):
            await body.drain()
        raise watch.verdict

    async def _decoded(
        self,
        content: bytes,
        watch: Watch,
        limit: int,
        *,
        cut: bool,
        delimited: bool,
        doubt: FetchError | None,
    ) -> tuple[bytes, bool]:
        """The body without its codings, and whether it was cut.

        `doubt` is the failure of a body that is shorter than its length. It is not one where the length turns
        out to be that of the decoded body, a mistake that browsers forgive.
        """
        headers = cast("Headers", watch.headers)
        names = codings(headers.all("content-encoding")) + transfer_codings(headers)
        if not names or not content:
            if doubt is not None:
                raise doubt
            return content, cut
        try:
            decoded = await _decode(content, names, limit, self.limits.max_ratio)
        except CodingError as error:
            raise doubt or watch.fail(error.failure, str(error)) from None
        if doubt is not None and not (decoded.whole and len(decoded.body) == content_length(headers)):
            raise doubt
        if not decoded.whole and not cut:
            failure = Failure.BAD_ENCODING if delimited else Failure.TRUNCATED
            raise watch.fail(failure, f"the body ends in the middle of its coding ({', '.join(names)})")
        return decoded.body, cut or decoded.cut


async def _decode(content: bytes, names: list[str], limit: int, max_ratio: int) -> Decoded:
    """Undo codings, in a thread where that would keep the other workers waiting."""
    work = partial(decode, content, names, limit=limit, max_ratio=max_ratio)
    return await trio.to_thread.run_sync(work) if len(content) > IN_THREAD else work()
