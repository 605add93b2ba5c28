"""The endpoints of hosts: one host in full, and the tree of directories below it."""

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

    return [
        Route("/v1/host", host, methods=["GET"]),
        Route("/v1/tree", tree, methods=["GET"]),
    ]
