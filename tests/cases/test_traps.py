"""Neighbours of all cases that end a crawl: what is endless ends, and what only looks so is fetched whole."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from spiderd.states import CrawlState, OutcomeKind
from tests.cases.playing import Crawled, links, web
from tests.web.server import Request, Route

pytestmark = pytest.mark.trio

H = "http://example.test"
CHROME = "home products about contact imprint privacy search login register help shop cart news " * 3


def filled(text: str, *references: str) -> str:
    """A page as programs make them: much that is the same everywhere, and a few words of its own."""
    return f"<title>{text}</title>{CHROME}<h1>{text}</h1>{links(*references)}{CHROME}"


async def taken(tmp_path: Path, routes: dict[str, Route], **changes) -> tuple[list[str], Crawled]:
    """What is asked for of a site from `/` on, and the crawl."""
    async with web({"example.test": routes}) as hosts:
        crawled = await hosts.crawl(tmp_path, f"{H}/", crawl={"threads": 8}, **changes)
        return [url.removeprefix(H) for url in hosts.asked], crawled


def chain(count: int) -> dict[str, Route]:
    """Each page leads to the next one."""
    return {"/": links("/1")} | {
        f"/{n}": filled(f"page {n}", *([f"/{n + 1}"] if n < count else [])) for n in range(1, count + 1)
    }


def tree(count: int) -> dict[str, Route]:
    """Each page leads to two others."""
    return {"/": links("/1")} | {
        f"/{n}": filled(f"page {n}", *(f"/{child}" for child in (2 * n, 2 * n + 1) if child <= count))
        for n in range(1, count + 1)
    }


def web_of_links(count: int) -> dict[str, Route]:
    """Each page leads to some others by chance."""
    chance = random.Random(1)
    return {"/": links("/1")} | {
        f"/{n}": filled(f"page {n}", f"/{n % count + 1}", *(f"/{chance.randint(1, count)}" for _ in range(5)))
        for n in range(1, count + 1)
    }


def copies(count: int) -> dict[str, Route]:
    """One content under many URLs, all of them known from the start."""
    return {"/": links(*(f"/copy/{n}" for n in range(count))), "*": filled("a copy", "/copy/0")}


def listing(count: int) -> dict[str, Route]:
    """A list cut into pages, as shops do, with things that differ by their number."""
    routes: dict[str, Route] = {"/": links("/list?page=1")}
    for n in range(1, count + 1):
        items = [f"/item?id={n * 10 + k}" for k in range(10)]
        routes[f"/list?page={n}"] = filled(
            f"list {n}", *items, *([f"/list?page={n + 1}"] if n < count else [])
        )
        routes |= {item: filled(f"item {item[9:]}") for item in items}
    return routes


def words(number: int) -> str:
    """A text that no other number has."""
    chance = random.Random(number)
    return " ".join("".join(chance.choices("abcdefghij", k=6)) for _ in range(60))


def interstitials(count: int) -> dict[str, Route]:
    """Pages that say that one is leaving, each the only way to another one."""
    routes: dict[str, Route] = {"/": links(*(f"/go?to={n}" for n in range(count)))}
    for n in range(count):
        routes[f"/go?to={n}"] = filled("You are leaving us", f"/article/{n}")
        routes[f"/article/{n}"] = words(n)
    return routes


def covers(count: int) -> dict[str, Route]:
    """Folders whose front pages are the same, byte for byte, and lead to what is in them."""
    routes: dict[str, Route] = {"/": links(*(f"/{name(n)}/" for n in range(count)))}
    for n in range(count):
        routes[f"/{name(n)}/"] = filled("Enter", "content.html")
        routes[f"/{name(n)}/content.html"] = words(n)
    return routes


def name(number: int) -> str:
    """A number in letters."""
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number:04}")


FINITE = [
    chain(1000),
    tree(1500),
    web_of_links(1000),
    copies(300),
    listing(100),
    interstitials(300),
    covers(120),
]
NAMES = ["chain", "tree", "web", "copies", "listing", "interstitials", "covers"]


@pytest.mark.parametrize("routes", FINITE, ids=NAMES)
async def test_a_site_that_a_program_has_made_comes_out_whole(
    tmp_path: Path, routes: dict[str, Route]
) -> None:
    asked, crawled = await taken(tmp_path, routes)
    there = set(routes) - {"*"} if "*" not in routes else {"/", *(f"/copy/{n}" for n in range(300))}
    assert set(asked) == there
    assert len(asked) == len(there)
    assert crawled.counters.parked == 0
    assert set(crawled.kinds().values()) <= {OutcomeKind.STORED, OutcomeKind.DUPLICATE}


def month(request: Request) -> str:
    """A month of an endless calendar."""
    year, number = map(int, request.target.rpartition("/cal/")[2].split("/"))
    step = [
        (year, number + 1) if number < 12 else (year + 1, 1),
        (year, number - 1) if number > 1 else (year - 1, 12),
    ]
    days = [f"/cal/{year}/{number}/{day}" for day in range(1, 29)]
    return filled(f"{year} {number} no events", *(f"/cal/{y}/{m}" for y, m in step), *days)


def calendar(request: Request) -> str:
    """A calendar with a page for each day."""
    if request.target.count("/") > 5:
        return filled(f"no events on {request.target.rpartition('/cal/')[2]}", "/")
    return month(request)


def session(request: Request) -> str:
    """A shop whose every link carries a fresh id that no rule knows."""
    fresh = zlib.crc32(request.target.encode())
    return filled("welcome", f"/shop/{fresh:08x}a1/index.html", f"/shop/{fresh + 7:08x}b2/cart.html")


def counter(request: Request) -> str:
    """Pages that each know the next number."""
    number = int(request.target.rpartition("/")[2] or 0)
    return filled(f"entry {number}", f"/entry/{number + 1}")


def nested(request: Request) -> str:
    """A relative link that should have been absolute, on a server that answers anything."""
    return filled("docs", "docs/", "img/")


def beyond(request: Request) -> str:
    """A list that goes on behind its end."""
    number = int(request.target.rpartition("=")[2])
    return filled("no more results", f"/list?page={number + 1}")


ENDLESS: dict[str, tuple[str, Callable[[Request], str], int]] = {
    "calendar": ("/cal/2026/1", calendar, 9000),
    "session": ("/shop/00000000a1/index.html", session, 200),
    "counter": ("/entry/1", counter, 1800),
    "nested": ("/docs/", nested, 400),
    "beyond": ("/list?page=1", beyond, 120),
}


@pytest.mark.parametrize("kind", ENDLESS)
async def test_what_has_no_end_ends_and_leaves_the_rest_of_the_site_alone(tmp_path: Path, kind: str) -> None:
    first, endless, most = ENDLESS[kind]
    rest = {f"/about{n}": f"about {n}" for n in range(5)}
    asked, crawled = await taken(tmp_path, {"/": links(first, *rest), **rest, "*": endless})
    assert len(asked) <= most
    assert set(rest) <= set(asked)
    assert len(set(asked)) == len(asked)
    assert [row.state for row in crawled.report.completions] == [CrawlState.COMPLETE]


async def test_segments_that_repeat_for_a_reason_survive(tmp_path: Path) -> None:
    paths = ("/2026/01/01/01/", "/en/en/en/", "/a/b/a/b/a/b/", "/x/x/y/x/x/", "/1/1/1/")
    asked, _ = await taken(tmp_path, {"/": links(*paths), **{path: f"at {path}" for path in paths}})
    assert sorted(asked) == sorted(["/", *paths])
    biting = ("/a/b/a/b/a/b/a/b/a/b/", "/x/x/x/x/x/", "/?" + "a=1&amp;" * 9, "/" + "d/" * 41)
    asked, crawled = await taken(tmp_path / "biting", {"/": links(*biting), "*": "no"})
    assert asked == ["/"]
    assert crawled.counters.refused == {"trap": 4}
