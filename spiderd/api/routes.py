"""The endpoints: which path and method leads to which call of the crawl."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

import msgspec
from msgspec import Struct
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from spiderd.api.browsing import browses
from spiderd.api.crawl import Crawl, ListQuery
from spiderd.api.interrupts import Closing, unless_interrupted
from spiderd.api.metrics import metrics_reply
from spiderd.api.peer import Rights
from spiderd.api.replies import JSON, ApiError, json_reply, reply_to, status_reply
from spiderd.api.reports import reports
from spiderd.api.requests import (
    MAX_WAIT,
    EventParameters,
    NoParameters,
    StreamParameters,
    WhyParameters,
    body_of,
    list_query,
    query_of,
)
from spiderd.api.search import searches
from spiderd.api.stream import EventStream
from spiderd.errors import SpiderdError
from spiderd.protocol import (
    AddRequest,
    DirectoryRow,
    ErrorRow,
    Hello,
    HostRow,
    ReleaseRequest,
    Reply,
    RetryRequest,
    RevisitRequest,
    SettingRequest,
    TrapRow,
    WorkerRow,
)

RIGHTS = "spiderd.rights"  # key of the ASGI scope

Endpoint = Callable[[Request], Awaitable[ASGIApp]]
Asked = TypeVar("Asked", bound=Struct)


def build_app(crawl: Crawl, closing: Closing) -> ASGIApp:
    """Build the ASGI application that speaks for a crawl.

    Its scope must hold the client's rights under `RIGHTS`. It ends its waits when `closing` begins.
    """
    app = Starlette(
        routes=[
            *_reads(crawl, closing),
            *_lists(crawl),
            *browses(crawl),
            *searches(crawl),
            *reports(crawl),
            *_writes(crawl),
        ],
        exception_handlers=dict.fromkeys((HTTPException, ApiError, SpiderdError, Exception), _explain),
    )
    app.router.redirect_slashes = False
    return app


def _reads(crawl: Crawl, closing: Closing) -> list[Route]:
    async def hello(request: Request) -> Response:
        query_of(request, NoParameters)
        return json_reply(_with_rights(crawl.hello(), request))

    async def status(request: Request) -> Response:
        query_of(request, NoParameters)
        snapshot = crawl.snapshot()
        return json_reply(msgspec.structs.replace(snapshot, hello=_with_rights(snapshot.hello, request)))

    async def why(request: Request) -> Response:
        return json_reply(await crawl.why(query_of(request, WhyParameters).url))

    async def settings(request: Request) -> Response:
        query_of(request, NoParameters)
        return json_reply(crawl.settings())

    async def events(request: Request) -> Response:
        asked = query_of(request, EventParameters)
        job = partial(crawl.events, asked.since, min(asked.wait, MAX_WAIT), asked.level)
        found = await unless_interrupted(job, request.receive, closing)
        return json_reply(found or await crawl.events(asked.since, 0.0, asked.level))

    async def stream(request: Request) -> ASGIApp:
        asked = query_of(request, StreamParameters)
        since = asked.since if asked.since is not None else _last_event_id(request)
        return EventStream(crawl, closing, since, asked.level)

    async def metrics(request: Request) -> Response:
        query_of(request, NoParameters)
        return await metrics_reply(crawl)

    async def openapi(request: Request) -> Response:
        from spiderd.api.openapi import description  # noqa: PLC0415 - few ever ask

        query_of(request, NoParameters)
        return Response(description(), media_type=JSON)

    return [
        _route("/v1/", "GET", hello),
        _route("/v1/status", "GET", status),
        _route("/v1/why", "GET", why),
        _route("/v1/settings", "GET", settings),
        _route("/v1/events", "GET", events),
        _route("/v1/events/stream", "GET", stream),
        _route("/metrics", "GET", metrics),
        _route("/v1/openapi.json", "GET", openapi),
    ]


def _lists(crawl: Crawl) -> list[Route]:
    def lister(name: str, row: type[Struct], answer: Callable[[ListQuery], Awaitable[Reply]]) -> Route:
        async def rows(request: Request) -> Response:
            return json_reply(await answer(list_query(request, row)))

        return _route(f"/v1/{name}", "GET", rows)

    return [
        lister("workers", WorkerRow, crawl.workers),
        lister("directories", DirectoryRow, crawl.directories),
        lister("hosts", HostRow, crawl.hosts),
        lister("errors", ErrorRow, crawl.errors),
        lister("traps", TrapRow, crawl.traps),
    ]


def _writes(crawl: Crawl) -> list[Route]:
    def changer(name: str, answer: Callable[[], Awaitable[Reply]]) -> Route:
        async def change(request: Request) -> Response:
            _require_write(request)
            query_of(request, NoParameters)
            return json_reply(await answer())

        return _route(f"/v1/{name}", "POST", change)

    def taker(
        name: str,
        kind: type[Asked],
        answer: Callable[[Asked], Awaitable[Reply]],
        *,
        writes: bool = True,
        default: Asked | None = None,
    ) -> Route:
        async def take(request: Request) -> Response:
            if writes:
                _require_write(request)
            query_of(request, NoParameters)
            return json_reply(await answer(await body_of(request, kind, default)))

        return _route(f"/v1/{name}", "POST", take)

    return [
        taker("add", AddRequest, lambda asked: crawl.add(asked.urls)),
        taker("check", AddRequest, lambda asked: crawl.check(asked.urls), writes=False),
        taker("visited", AddRequest, lambda asked: crawl.visited(asked.urls)),
        changer("pause", crawl.pause),
        changer("resume", crawl.resume),
        changer("stop", crawl.stop),
        taker("retry", RetryRequest, crawl.retry, default=RetryRequest()),
        taker("revisit", RevisitRequest, lambda asked: crawl.revisit(asked.what)),
        taker("release", ReleaseRequest, lambda asked: crawl.release(asked.what)),
        changer("reload", crawl.reload),
        taker("settings", SettingRequest, crawl.set),
        changer("reindex", crawl.reindex),
    ]


def _route(path: str, method: str, endpoint: Endpoint) -> Route:
    return Route(path, endpoint, methods=[method])


def _rights(request: Request) -> Rights:
    rights: Rights = request.scope[RIGHTS]
    return rights


def _with_rights(hello: Hello, request: Request) -> Hello:
    return msgspec.structs.replace(hello, rights=_rights(request))


def _require_write(request: Request) -> None:
    if _rights(request) != "write":
        raise ApiError(403, "read_only", "only the daemon's own user and root may change anything")


def _last_event_id(request: Request) -> int:
    text = request.headers.get("last-event-id", "").strip()
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) <= 16):
        raise ApiError(422, "bad_value", "Last-Event-ID: not the id of an event")
    return int(text)


async def _explain(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        return reply_to(error)
    if error.status_code == 404:
        return status_reply(404, "there is nothing at this path; the API begins at /v1/")
    if error.status_code == 405:
        return status_reply(405, f"{request.method} is not for this path", dict(error.headers or {}))
    return status_reply(error.status_code, error.detail)
