"""The endpoints of the reports: which there are, and the rows of one."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from spiderd.api.crawl import Crawl
from spiderd.api.replies import json_reply
from spiderd.api.requests import ListParameters, checked, list_query, query_of
from spiderd.protocol import ReportInfo, ReportRow


class ReportParameters(ListParameters, frozen=True):
    """?kind= , and what all lists take; rows have one order."""

    kind: Annotated[str, Meta(max_length=100)] = ""


def reports(crawl: Crawl) -> list[Route]:
    """The routes that read."""

    async def kinds(request: Request) -> Response:
        return json_reply(await crawl.reports(list_query(request, ReportInfo)))

    async def rows(request: Request) -> Response:
        asked = query_of(request, ReportParameters)
        return json_reply(await crawl.report(asked.kind, checked(asked, ReportRow)))

    return [
        Route("/v1/reports", kinds, methods=["GET"]),
        Route("/v1/report", rows, methods=["GET"]),
    ]
