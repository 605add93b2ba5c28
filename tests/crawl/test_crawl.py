"""Whole crawls inside one process: what is fetched, what is kept, when it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from spiderd.states import CrawlState, Failure, OutcomeKind, Reason
from tests.crawl.harness import archived, configured, crawl, pages_of
from tests.crawl.pages import page, site_of
from tests.web.server import serve

pytestmark = pytest.mark.trio


async def test_a_site_is_taken_whole_once_and_byte_for_byte(tmp_path: Path) -> None:
    bodies = {f"/{n}": page(*(f"/{m}" for m in range(60)), text=f"page {n}") for n in range(60)}
    async with serve(site_of({"/": page("/0", text="root"), **bodies})) as site:
        report = await crawl(configured(site.url("/")), tmp_path)
        assert report.last is not None
        assert {site.count(f"/{n}") for n in range(60)} == {1}
    stored = archived(tmp_path)
    assert stored == {
        site.url(path): body.encode() for path, body in [("/", page("/0", text="root")), *bodies.items()]
    }
    counters = report.last.counters
    assert (counters.known, counters.complete, counters.pages, counters.error) == (61, 61, 61, 0)
    assert (counters.waiting, counters.processing) == (0, 0)
    assert counters.bytes == sum(len(body) for body in stored.values())
    assert counters.statuses == {"200": 61}
    assert [snapshot.state for snapshot in report.completions] == [CrawlState.COMPLETE]
    assert report.completions[0].reason is Reason.DRAINED


async def test_directories_hold_max_count_resources_and_roll_over(tmp_path: Path) -> None:
    pages = {f"/{n}": f"page {n}" for n in range(25)}
    async with serve(site_of({"/": page(*pages), **pages})) as site:
        config = configured(site.url("/"), archive={"max_count": 4}, crawl={"threads": 2})
        await crawl(config, tmp_path)
    assert len(archived(tmp_path)) == 26
    counts = sorted(len(list(folder.iterdir())) - 1 for folder in (tmp_path / "pages").iterdir())
    assert max(counts) == 4
    assert sum(count < 4 for count in counts) <= 2  # the two that are open, and no other


async def test_robots_txt_is_asked_first_and_obeyed(tmp_path: Path) -> None:
    robots = b"User-agent: *\nDisallow: /private/\n"
    pages = {"/": page("/private/a", "/public"), "/public": "yes", "/private/a": "no"}
    async with serve({"/robots.txt": (200, {"Content-Type": "text/plain"}, robots), **pages}) as site:
        report = await crawl(configured(site.url("/")), tmp_path)
        assert site.targets[0] == "/robots.txt"
        assert site.count("/robots.txt") == 1
        assert "/private/a" not in site.targets
    assert report.last is not None
    assert report.last.counters.failures == {"robots_denied": 1}
    assert pages_of(tmp_path)[site.url("/private/a")].failure is Failure.ROBOTS_DENIED


async def test_robots_off_asks_for_no_robots_txt(tmp_path: Path) -> None:
    async with serve({"/robots.txt": b"User-agent: *\nDisallow: /", "/": "hello"}) as site:
        await crawl(configured(site.url("/"), politeness={"robots": False}), tmp_path)
        assert site.targets == ["/"]


async def test_the_same_content_is_stored_once_and_its_links_count(tmp_path: Path) -> None:
    same = page("next", text="same")
    routes = {"/": page("/a/x", "/b/y"), "/a/x": same, "/b/y": same, "/a/next": "a", "/b/next": "b"}
    async with serve(site_of(routes)) as site:
        report = await crawl(configured(site.url("/")), tmp_path)
        first, second = pages_of(tmp_path)[site.url("/a/x")], pages_of(tmp_path)[site.url("/b/y")]
    assert {first.kind, second.kind} == {OutcomeKind.STORED, OutcomeKind.DUPLICATE}
    assert first.digest == second.digest
    assert list(archived(tmp_path).values()).count(same.encode()) == 1
    assert report.last is not None
    assert (report.last.counters.pages, report.last.counters.duplicates) == (4, 1)


async def test_redirects_are_followed_hop_by_hop_and_end(tmp_path: Path) -> None:
    routes = site_of(
        {
            "/": page("/old", "/loop"),
            "/old": (302, {"Location": "/new"}, b""),
            "/new": "arrived",
            "/loop": lambda _: (302, {"Location": "/loop2"}, b""),
            "/loop2": (302, {"Location": "/loop"}, b""),
            "/chain": "",
        }
    )
    async with serve(routes) as site:
        report = await crawl(configured(site.url("/")), tmp_path)
    pages = pages_of(tmp_path)
    assert pages[site.url("/old")].kind is OutcomeKind.REDIRECT
    assert pages[site.url("/old")].location == site.url("/new")
    assert pages[site.url("/new")].kind is OutcomeKind.STORED
    assert report.last is not None
    assert report.last.counters.redirects == 3


async def test_a_long_chain_of_redirects_is_an_error(tmp_path: Path) -> None:
    routes = {f"/{n}": (301, {"Location": f"/{n + 1}"}, b"") for n in range(20)}
    async with serve(site_of({"/": page("/0"), **routes})) as site:
        report = await crawl(configured(site.url("/"), fetch={"max_redirects": 5}), tmp_path)
    assert report.last is not None
    assert report.last.counters.failures == {"too_many_redirects": 1}
    assert report.last.counters.redirects == 5


async def test_depth_limit(tmp_path: Path) -> None:
    routes = {f"/{n}": page(f"/{n + 1}", text=str(n)) for n in range(10)}
    async with serve(site_of({"/": page("/0"), **routes})) as site:
        await crawl(configured(site.url("/"), crawl={"max_depth": 3}), tmp_path)
    assert set(archived(tmp_path)) == {site.url(path) for path in ("/", "/0", "/1", "/2")}


async def test_page_limit_is_exact_and_said(tmp_path: Path) -> None:
    pages = {f"/{n}": f"page {n}" for n in range(50)}
    async with serve(site_of({"/": page(*pages), **pages})) as site:
        config = configured(site.url("/"), crawl={"max_pages": 10, "threads": 8})
        report = await crawl(config, tmp_path)
    assert len(archived(tmp_path)) == 10
    assert report.completions[0].reason is Reason.PAGE_LIMIT
    assert report.last is not None
    assert report.last.counters.waiting == 41


async def test_exclude_is_case_insensitive_and_drops_links(tmp_path: Path) -> None:
    async with serve(site_of({"/": page("/Private/a", "/b.JPG", "/c"), "/c": "c"})) as site:
        config = configured(site.url("/"), scope={"exclude": ["/private/", r"\.jpg$"]})
        await crawl(config, tmp_path)
        assert sorted(set(site.targets)) == ["/", "/c", "/robots.txt"]


async def test_a_missing_page_is_an_error_with_its_status(tmp_path: Path) -> None:
    async with serve(site_of({"/": page("/gone")})) as site:
        report = await crawl(configured(site.url("/")), tmp_path)
    record = pages_of(tmp_path)[site.url("/gone")]
    assert (record.kind, record.status, record.failure) == (OutcomeKind.FAILED, 404, Failure.HTTP_ERROR)
    assert report.last is not None
    assert (report.last.counters.error, report.last.counters.complete) == (1, 1)


async def test_a_type_that_is_not_wanted_is_skipped(tmp_path: Path) -> None:
    async with serve(site_of({"/": page("/x"), "/x": (200, {"Content-Type": "image/png"}, b"png")})) as site:
        report = await crawl(configured(site.url("/")), tmp_path)
    assert report.last is not None
    assert report.last.counters.failures == {"type_not_wanted": 1}
    assert set(archived(tmp_path)) == {site.url("/")}


async def test_the_same_command_again_finds_nothing_to_do(tmp_path: Path) -> None:
    async with serve(site_of({"/": page("/a"), "/a": "a"})) as site:
        await crawl(configured(site.url("/")), tmp_path)
        before = len(site.requests)
        report = await crawl(configured(site.url("/")), tmp_path)
        assert len(site.requests) == before
    assert report.restored_counters is not None
    assert (report.restored_counters.complete, report.restored_counters.waiting) == (2, 0)


async def test_another_seed_later_goes_on_with_the_same_crawl(tmp_path: Path) -> None:
    async with serve(site_of({"/": page("/a"), "/a": "a", "/island": "island"})) as site:
        await crawl(configured(site.url("/")), tmp_path)
        await crawl(configured(site.url("/island")), tmp_path)
    assert set(archived(tmp_path)) == {site.url(path) for path in ("/", "/a", "/island")}


@pytest.mark.parametrize("order", ["breadth", "depth", "mixed", "best"])
async def test_every_order_takes_everything(tmp_path: Path, order: str) -> None:
    pages = {f"/{n}": page(f"/{2 * n + 1}", f"/{2 * n + 2}", text=str(n)) for n in range(31)}
    leaves = {f"/{n}": str(n) for n in range(31, 63)}
    async with serve(site_of({"/": page("/0"), **pages, **leaves})) as site:
        await crawl(configured(site.url("/"), crawl={"order": order}), tmp_path)
    assert len(archived(tmp_path)) == 64


async def test_orders_differ_as_their_names_say(tmp_path: Path) -> None:
    routes = site_of(
        {
            "/": page("/a", "/b"),
            "/a": page("/a1"),
            "/a1": page("/a2"),
            "/a2": "x",
            "/b": page("/b1"),
            "/b1": "y",
        }
    )
    seen = {}
    for order in ("breadth", "depth"):
        async with serve(dict(routes)) as site:
            one = {"threads": 1, "order": order}
            await crawl(configured(site.url("/"), crawl=one, politeness={"per_host": 1}), tmp_path / order)
            seen[order] = [target for target in site.targets if target != "/robots.txt"]
    assert seen["breadth"] == ["/", "/a", "/b", "/a1", "/b1", "/a2"]
    assert seen["depth"] == ["/", "/b", "/b1", "/a", "/a1", "/a2"]


async def test_best_first_prefers_what_many_link_to(tmp_path: Path) -> None:
    routes = site_of(
        {
            "/": page("/1", "/2", "/3", "/x", "/star"),
            **{f"/{n}": page("/star", text=str(n)) for n in (1, 2, 3)},
            "/x": "x",
            "/star": "star",
        }
    )
    async with serve(routes) as site:
        one = {"threads": 1, "order": "best"}
        await crawl(configured(site.url("/"), crawl=one, politeness={"per_host": 1}), tmp_path)
        order = [target for target in site.targets if target != "/robots.txt"]
    assert order.index("/star") == 2  # after / and /1, which gave it a second link


async def test_the_order_may_change_between_runs(tmp_path: Path) -> None:
    pages = {f"/{n}": page(f"/{n + 1}", f"/side{n}", text=str(n)) for n in range(12)}
    sides = {f"/side{n}": f"side {n}" for n in range(12)}
    async with serve(site_of({"/": page("/0"), **pages, **sides})) as site:
        for order, most in (("breadth", 5), ("depth", 9), ("best", 13), ("mixed", 0)):
            crawled = {"order": order, "max_pages": most, "threads": 1}
            await crawl(configured(site.url("/"), crawl=crawled), tmp_path)
        assert max(site.count(path) for path in pages) == 1
    assert len(archived(tmp_path)) == 25
