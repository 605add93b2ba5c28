"""What a running daemon answers of one host, and of the tree of directories below it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio

from tests.crawl.controlled import controlled
from tests.crawl.harness import configured
from tests.crawl.pages import page
from tests.web.server import Request, serve

pytestmark = pytest.mark.trio

ROBOTS = (200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /private\nCrawl-delay: 0\n")
ROUTES: dict[str, Any] = {
    "/robots.txt": ROBOTS,
    "/": page("/docs/", "/docs/a", "/docs/api/b", "/private/x", "/docs/gone"),
    "/docs/": "the documentation",
    "/docs/a": page("/docs/api/v2/%E4%B8%AD/c"),
    "/docs/api/b": "b",
    "/docs/api/v2/%E4%B8%AD/c": "c",
}


def counts(answer: dict[str, Any]) -> dict[str, tuple[int, int, int, int]]:
    """Of each part found, waiting, complete and error."""
    return {
        row["name"]: (row["found"], row["waiting"], row["complete"], row["error"]) for row in answer["rows"]
    }


async def test_the_tree_counts_what_is_found_and_done_below_each_directory(tmp_path: Path) -> None:
    async with serve(ROUTES) as site, controlled(configured(site.url("/")), tmp_path) as daemon:
        await daemon.complete()
        hosts = await daemon.get("tree")
        (host,) = hosts["rows"]
        name = host["host"]
        assert name == site.url("/").removeprefix("http://").rstrip("/")
        assert (host["kind"], host["found"], host["complete"], host["error"]) == ("host", 7, 6, 1)
        top = await daemon.get("tree", host=name)
        assert counts(top) == {"docs": (4, 0, 3, 1), "private": (1, 0, 1, 0), "": (2, 0, 2, 0)}
        docs = next(row for row in top["rows"] if row["name"] == "docs")
        assert (docs["prefix"], docs["inside"]) == ("docs/", True)
        assert counts(await daemon.get("tree", host=name, prefix="/docs/api")) == {
            "": (1, 0, 1, 0),
            "v2": (1, 0, 1, 0),
        }
        deep = await daemon.get("tree", host=name, prefix="docs/api/v2/")
        assert [(row["name"], row["prefix"]) for row in deep["rows"]] == [("中", "docs/api/v2/%E4%B8%AD/")]
        assert (await daemon.get("tree", host=name, prefix="nothing"))["rows"] == []


async def test_a_level_is_sorted_filtered_and_cut(tmp_path: Path) -> None:
    routes = {
        "/robots.txt": (404, {}, b""),
        "/": page(*[f"/{n:02}/{m}" for n in range(12) for m in range(n)]),
    }
    async with serve(routes) as site, controlled(configured(site.url("/")), tmp_path) as daemon:
        await daemon.complete()
        name = (await daemon.get("tree"))["rows"][0]["host"]
        first = await daemon.get("tree", host=name, limit="3")
        assert [row["name"] for row in first["rows"]] == ["11", "10", "09"]
        assert first["total"] == 12
        rest = await daemon.get("tree", host=name, sort="name", offset="10")
        assert [row["name"] for row in rest["rows"]] == ["10", "11"]
        some = await daemon.get("tree", host=name, filter="1", sort="error")
        assert [row["name"] for row in some["rows"]] == ["01", "10", "11"]
        assert (await daemon.get("tree", filter="nobody"))["rows"] == []


async def test_a_host_that_is_not_there_is_told(tmp_path: Path) -> None:
    async with serve(ROUTES) as site, controlled(configured(site.url("/")), tmp_path) as daemon:
        await daemon.complete()
        assert (await daemon.not_told("host", host="nobody.test")) == "nobody.test is no host of this crawl."
        assert (await daemon.not_told("tree", host="nobody.test")) == "nobody.test is no host of this crawl."


async def test_a_host_is_told_with_its_queue_its_outcomes_and_its_rules(tmp_path: Path) -> None:
    gate = trio.Event()

    async def slow(stream: object, request: Request) -> str:
        await gate.wait()
        return "slow"

    routes = {**ROUTES, "/": page("/docs/gone", "/private/x", "/slow", "/next")}
    routes |= {"/slow": slow, "/next": "n"}
    async with serve(routes) as site:
        config = configured(site.url("/"), crawl={"threads": 1}, politeness={"per_host": 1})
        async with controlled(config, tmp_path) as daemon:
            await daemon.until(lambda _: site.count("/slow"))
            name = (await daemon.get("tree"))["rows"][0]["host"]
            answer = await daemon.get("host", host=name)
            assert [(row["url"], row["leased"]) for row in answer["next"]] == [
                (site.url("/slow"), True),
                (site.url("/next"), False),
            ]
            recent = {row["url"]: (row["kind"], row["status"], row["failure"]) for row in answer["recent"]}
            assert recent == {
                site.url("/"): ("stored", 200, ""),
                site.url("/docs/gone"): ("failed", 404, "http_error"),
                site.url("/private/x"): ("skipped", 0, "robots_denied"),
            }
            assert answer["recent"][-1]["url"] == site.url("/")
            (robots,) = answer["robots"]
            assert (robots["kind"], robots["delay"], robots["cut"]) == ("rules", 0.0, False)
            assert "Disallow: /private" in robots["text"]
            assert answer["row"]["host"] == name
            assert answer["pages"] == 1
            gate.set()
            await daemon.complete()
            assert (await daemon.get("host", host=name))["next"] == []


async def test_the_links_of_a_page_are_told_in_both_directions(tmp_path: Path) -> None:
    routes = {
        "/robots.txt": (404, {}, b""),
        "/": '<a href="/a">to a</a><a href="/gone">gone</a><img src="/x.png"><a href="http://o.test/">out</a>',
        "/a": '<a href="/">home</a><a href="/a">self</a>',
    }
    async with serve(routes) as site, controlled(configured(site.url("/")), tmp_path) as daemon:
        await daemon.complete()
        root = await daemon.get("links", id=1)
        assert [(row["url"], row["text"], row["kind"], row["status"]) for row in root["out"]] == [
            (site.url("/a"), "to a", "a", 200),
            (site.url("/gone"), "gone", "a", 404),
            ("http://o.test/", "out", "a", 0),
            (site.url("/x.png"), "", "img", 0),
        ]
        assert [(row["url"], row["text"]) for row in root["into"]] == [(site.url("/a"), "home")]
        assert (root["out_total"], root["looked"], root["pages"]) == (4, 3, 3)
        number = root["out"][0]["page"]
        into = (await daemon.get("links", id=number))["into"]
        assert [(row["url"], row["text"]) for row in into] == [(site.url("/"), "to a")]  # not itself
        assert (await daemon.not_told("links", id=99)).startswith("There is no such page")
