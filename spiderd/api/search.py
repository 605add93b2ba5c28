"""The endpoints of the search: results, one page in full, and building the index anew."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from spiderd.api.crawl import Crawl
from spiderd.api.replies import ApiError, json_reply
from spiderd.api.requests import MAX_URL, Query, query_of

MAX_PAGE = 100
MAX_RESULTS = 50  # on one page


class SearchParameters(Query, frozen=True):
    """?q=&page=&limit=&typing= ; a limit above MAX_RESULTS is taken for MAX_RESULTS."""

    q: Annotated[str, Meta(max_length=MAX_URL)] = ""
    page: Annotated[int, Meta(ge=1, le=MAX_PAGE)] = 1
    limit: Annotated[int, Meta(ge=1, le=1000)] = 10
    typing: bool = False


class PageParameters(Query, frozen=True):
    """?id= or ?url= ."""

    id: Annotated[int, Meta(ge=0, le=2**53 - 1)] = 0
    url: Annotated[str, Meta(max_length=MAX_URL)] = ""


def searches(crawl: Crawl) -> list[Route]:
    """The routes that read."""

    async def search(request: Request) -> Response:
        asked = query_of(request, SearchParameters)
        return json_reply(
            await crawl.search(asked.q, asked.page, min(asked.limit, MAX_RESULTS), typing=asked.typing)
        )

    async def page(request: Request) -> Response:
        asked = query_of(request, PageParameters)
        if not asked.id and not asked.url:
            raise ApiError(422, "bad_value", "id or url: one of them says which page is meant")
        return json_reply(await crawl.page(asked.id, asked.url))

    return [
        Route("/v1/search", search, methods=["GET"]),
        Route("/v1/page", page, methods=["GET"]),
    ]
