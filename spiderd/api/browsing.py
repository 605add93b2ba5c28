"""The endpoints of what lies where: a host in full, the tree of directories below it, a page's links."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from spiderd.api.crawl import Crawl
from spiderd.api.replies import json_reply
from spiderd.api.requests import MAX_URL, ListParameters, Query, checked, query_of
from spiderd.protocol import TreeRow


class HostParameters(Query, frozen=True):
    """?host= : a host as the lists name it."""

    host: Annotated[str, Meta(min_length=1, max_length=MAX_URL)]


class LinkParameters(Query, frozen=True):
    """?id= : number of a page."""

    id: Annotated[int, Meta(ge=1, le=2**53 - 1)]


class TreeParameters(ListParameters, frozen=True):
    """?host=&prefix= , and what all lists take."""

    host: Annotated[str, Meta(max_length=MAX_URL)] = ""
    prefix: Annotated[str, Meta(max_length=MAX_URL)] = ""


def browses(crawl: Crawl) -> list[Route]:
    """The routes that read."""

    async def host(request: Request) -> Response:
        return json_reply(await crawl.host(query_of(request, HostParameters).host))

    async def tree(request: Request) -> Response:
        asked = query_of(request, TreeParameters)
        return json_reply(await crawl.tree(asked.host, asked.prefix, checked(asked, TreeRow)))

    async def links(request: Request) -> Response:
        return json_reply(await crawl.links(query_of(request, LinkParameters).id))

    return [
        Route("/v1/links", links, methods=["GET"]),
        Route("/v1/host", host, methods=["GET"]),
        Route("/v1/tree", tree, methods=["GET"]),
    ]
