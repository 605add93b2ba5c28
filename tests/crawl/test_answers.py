"""What a running daemon answers to questions about URLs and about this run."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from tests.crawl.controlled import controlled
from tests.crawl.harness import configured
from tests.crawl.pages import page, site_of
from tests.web.server import Request, serve

pytestmark = pytest.mark.trio


async def test_why_tells_what_a_puzzled_operator_wants(tmp_path: Path) -> None:
    robots = (200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /private\n")
    gate = trio.Event()

    async def slow(stream: object, request: Request) -> str:
        await gate.wait()
        return "slow"

    routes = {
        "/robots.txt": robots,
        "/": page("/private/x", "/moved", "/img.png", "/gone", "/slow", "/next", "/x.pdf"),
        "/moved": (301, {"Location": "/target"}, b""),
        "/target": "t",
        "/img.png": (200, {"Content-Type": "image/png"}, b"p"),
        "/slow": slow,
        "/next": "n",
    }
    async with serve(routes) as site:
        config = configured(
            site.url("/"),
            crawl={"threads": 1, "max_depth": 5},
            scope={"exclude": ["\\.pdf$", "other"]},
            politeness={"per_host": 1},  # then a fetcher holds no URL that it does not fetch yet
        )

        async with controlled(config, tmp_path) as daemon:

            async def summary(path: str) -> str:
                return str((await daemon.why(site.url(path)))["summary"])

            await daemon.until(lambda _: site.count("/slow"))
            assert await summary("/slow") == "It is being fetched now."
            assert await summary("/next") == "It waits and is the next of its host."
            await daemon.post("pause")
            assert await summary("/next") == "It waits: the crawl is pausing (user)."
            await daemon.post("resume")
            gate.set()
            await daemon.complete()
            root = await daemon.why(site.url("/"))
            assert root["summary"].endswith("ago and is stored.")
            assert (root["depth"], root["scope"], root["status"]) == (0, "in scope: a seed", 200)
            assert Path(root["path"]).read_text() == routes["/"]
            private = await daemon.why(site.url("/private/x"))
            assert private["robots"] == "line 2: Disallow: /private"
            assert (private["allowed"], private["queue"], private["depth"]) == (False, "complete", 1)
            assert private["summary"] == "It was not fetched: robots.txt forbade it when its turn came."
            assert (await summary("/moved")).endswith(f"and leads to {site.url('/target')}.")
            assert (await summary("/img.png")).endswith("and not kept (type_not_wanted).")
            assert "(http_error: HTTP status 404)" in await summary("/gone")
            pdf = await daemon.why(site.url("/x.pdf"))
            assert pdf["scope"] == r'matches the pattern "\\.pdf$" of scope.exclude'
            assert (pdf["queue"], pdf["seen"]) == ("", False)
            unknown = await daemon.why(site.url("/unknown"))
            assert unknown["summary"].startswith("It was never found: no page that was fetched has a link")
            assert (unknown["allowed"], unknown["depth"]) == (True, -1)
            assert unknown["scope"].endswith("; its depth is not known, and crawl.max_depth = 5")
            far = await daemon.why("http://elsewhere.test/")
            assert far["summary"] == (
                "It is not fetched: it is on elsewhere.test, which is the host of no seed "
                '(scope.follow = "host").'
            )
            assert (far["host_state"], far["robots"]) == ("", "not fetched yet")
            assert (await daemon.post("retry", urls=[site.url("/x.pdf")]))["urls"] == 0


async def test_why_tells_of_the_next_try(tmp_path: Path) -> None:
    async with (
        serve(site_of({"/": (500, {}, b"")})) as site,
        controlled(configured(site.url("/")), tmp_path) as daemon,
    ):
        await daemon.until(lambda now: now["counters"]["retries"])
        why = await daemon.why(site.url("/"))
        assert (why["queue"], why["tries"], why["failure"]) == ("waiting", 1, "server_error")
        assert why["next_try"] > why["next_allowed"]
        assert why["summary"].startswith("It has failed (server_error) after 1 try and is tried again in ")


async def test_pages_of_this_run_are_told_apart(tmp_path: Path) -> None:
    async with serve(site_of({"/": "root", "/new": "new"})) as site:
        async with controlled(configured(site.url("/")), tmp_path) as daemon:
            assert (await daemon.complete())["pages_this_run"] == 1
        async with controlled(configured(site.url("/")), tmp_path) as daemon:
            assert (await daemon.get("status"))["pages_this_run"] == 0
            await daemon.post("add", urls=[site.url("/new")])
            now = await daemon.until(lambda now: now["counters"]["pages"] == 2)
            assert now["pages_this_run"] == 1
