"""Which path shows what."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from spiderd.api.interrupts import Closing
from spiderd.errors import SpiderdError, UsageError
from spiderd.web.backend import Backend
from spiderd.web.stream import StatusStream
from spiderd.web.views import LANGUAGES, LIMIT, MAX_QUERY, Asked, asked, kept_view, results_view, status_view

STATIC = {
    "style.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
SUGGESTED = 6
_HOST = re.compile(r"[A-Za-z0-9.:\[\]_-]{1,255}")

Endpoint = Callable[[Request], Awaitable[ASGIApp]]


class Pages:
    """The pages of one crawl."""

    def __init__(self, backend: Backend, closing: Closing) -> None:
        self._backend = backend
        self._closing = closing
        self._templates = Environment(
            loader=PackageLoader("spiderd.web"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        folder = files("spiderd.web").joinpath("static")
        self._static = {name: folder.joinpath(name).read_bytes() for name in STATIC}

    def routes(self) -> list[Route]:
        """The paths there are; all of them are read only."""
        paths: dict[str, Endpoint] = {
            "/": self.home,
            "/search": self.search,
            "/page": self.page,
            "/status": self.status,
            "/status/stream": self.stream,
            "/suggest": self.suggest,
            "/opensearch.xml": self.opensearch,
            "/static/{name}": self.static,
            "/robots.txt": self.robots,
        }
        return [Route(path, endpoint, methods=["GET"]) for path, endpoint in paths.items()]

    def _render(self, name: str, status: int = 200, **values: Any) -> Response:
        text = self._templates.get_template(name).render(languages=LANGUAGES, limit=MAX_QUERY, **values)
        return Response(
            text.encode("utf-8", "replace"), status, media_type="text/html"
        )  # half a character is no reason to fail

    async def home(self, _: Request) -> Response:
        """The search page."""
        return self._render("home.html", asked=Asked())

    async def search(self, request: Request) -> Response:
        """The results page."""
        get = request.query_params.get
        wanted = asked(get("q", ""), get("page", "1"), get("lang", ""), get("site", ""))
        if not wanted.full:
            return self._render("home.html", asked=wanted)
        reply = await self._backend.search(wanted.full, wanted.page, LIMIT)
        return self._render("results.html", asked=wanted, view=results_view(wanted, reply))

    async def page(self, request: Request) -> Response:
        """The text of a page as it was crawled."""
        number = request.query_params.get("id", "")
        if not (number.isascii() and number.isdigit() and len(number) < 16 and int(number)):
            raise HTTPException(404, "There is no such page.")
        try:
            kept = await self._backend.page(int(number))
        except UsageError as error:
            raise HTTPException(404, str(error)) from error
        return self._render("page.html", asked=Asked(), view=kept_view(kept))

    async def status(self, _: Request) -> Response:
        """The crawl as it is now."""
        view = status_view(await self._backend.status())
        return self._render("status.html", asked=Asked(), view=view)

    async def stream(self, _: Request) -> ASGIApp:
        """The crawl as it goes."""
        return StatusStream(self._backend, self._closing)

    async def suggest(self, request: Request) -> Response:
        """What might be meant by a query that is being typed (OpenSearch suggestions)."""
        text = request.query_params.get("q", "")[:MAX_QUERY]
        found: list[str] = []
        if text.strip():
            reply = await self._backend.search(text, 1, SUGGESTED, typing=True)
            titles = (" ".join(hit.title.split()) for hit in reply.hits)
            found = list(dict.fromkeys([*reply.suggestions, *titles]))[:SUGGESTED]
        return JSONResponse([text, found], media_type="application/x-suggestions+json")

    async def opensearch(self, request: Request) -> Response:
        """What a browser needs to make this a search engine of its own."""
        host = request.headers.get("host", "")
        if not _HOST.fullmatch(host):
            raise HTTPException(400, "The request names no host.")
        text = self._templates.get_template("opensearch.xml").render(origin=f"http://{host}")
        return Response(text, media_type="application/opensearchdescription+xml")

    async def static(self, request: Request) -> Response:
        """A style sheet, a script, a picture."""
        name = request.path_params["name"]
        if name not in STATIC:
            raise HTTPException(404, "There is no such file.")
        return Response(self._static[name], headers={"content-type": STATIC[name]})

    async def robots(self, _: Request) -> Response:
        """Keep crawlers out of what is a copy of other sites."""
        return PlainTextResponse("User-agent: *\nDisallow: /\n")

    async def explain(self, request: Request, error: Exception) -> Response:
        """Show what went wrong in a sentence."""
        status, sentence = 500, "The page could not be made; the log has the details."
        if isinstance(error, HTTPException):
            status, sentence = error.status_code, error.detail
        elif isinstance(error, UsageError):
            status, sentence = 400, str(error)
        elif isinstance(error, SpiderdError):
            status, sentence = 503, str(error)
        if request.url.path in ("/suggest", "/status/stream"):
            return PlainTextResponse(sentence, status)
        return self._render("error.html", status, asked=Asked(), sentence=sentence)


def build_app(backend: Backend, closing: Closing) -> ASGIApp:
    """Build the application that shows a crawl to browsers."""
    pages = Pages(backend, closing)
    handled = dict.fromkeys((HTTPException, SpiderdError), pages.explain)
    app = Starlette(routes=pages.routes(), exception_handlers=handled)
    app.router.redirect_slashes = False
    return app
