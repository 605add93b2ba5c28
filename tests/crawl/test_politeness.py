"""Politeness of a whole crawl, on a clock that jumps whenever everybody waits."""

from __future__ import annotations

from contextlib import AsyncExitStack
from itertools import pairwise
from pathlib import Path

import pytest
import trio
import trio.testing

from spiderd.states import Reason
from tests.crawl.harness import Recorder, configured, crawl
from tests.crawl.pages import page, site_of
from tests.web.server import Request, serve

pytestmark = pytest.mark.trio
CLOSE = 0.02  # seconds that a busy machine may take between deciding and asking


@pytest.fixture
def autojump_clock() -> trio.testing.MockClock:
    """Jumps only after a while in which nothing came in from sockets and threads."""
    return trio.testing.MockClock(autojump_threshold=0.1)


def gaps(requests: list[Request]) -> list[float]:
    return [b.time - a.time for a, b in pairwise(requests)]


async def test_requests_to_a_host_keep_their_distance(tmp_path: Path, autojump_clock) -> None:
    pages = {f"/{n}": str(n) for n in range(8)}
    async with serve(site_of({"/": page(*pages), **pages})) as site:
        config = configured(site.url("/"), politeness={"delay": 5.0, "per_host": 1})
        await crawl(config, tmp_path, clock=trio.current_time)
        assert site.max_concurrency == 1
        assert len(site.requests) == 10
        assert all(gap >= 5.0 - CLOSE for gap in gaps(site.requests)), gaps(site.requests)
        assert all(gap <= 5.0 + 0.5 for gap in gaps(site.requests)), gaps(site.requests)


async def test_no_host_makes_another_wait(tmp_path: Path, autojump_clock) -> None:
    async with AsyncExitStack() as stack:
        sites = []
        for number in range(5):
            pages = {f"/{n}": f"{number} {n}" for n in range(4)}
            routes = site_of({"/": page(*pages, text=str(number)), **pages})
            sites.append(await stack.enter_async_context(serve(routes, host=f"127.0.7.{number + 1}")))
        config = configured(
            *(site.url("/") for site in sites),
            crawl={"threads": 2},
            politeness={"delay": 10.0, "per_host": 1},
        )
        began = trio.current_time()
        await crawl(config, tmp_path, clock=trio.current_time)
        for site in sites:
            assert all(gap >= 10.0 - CLOSE for gap in gaps(site.requests))
        # one after the other they would take 5 x 50 s
        assert trio.current_time() - began < 60.0


async def test_crawl_delay_is_obeyed(tmp_path: Path, autojump_clock) -> None:
    robots = (200, {"Content-Type": "text/plain"}, "User-agent: *\nCrawl-delay: 7\n")
    pages = {f"/{n}": str(n) for n in range(4)}
    async with serve({"/robots.txt": robots, "/": page(*pages), **pages}) as site:
        config = configured(site.url("/"), politeness={"delay": 1.0, "per_host": 4})
        await crawl(config, tmp_path, clock=trio.current_time)
        assert all(gap >= 7.0 - CLOSE for gap in gaps(site.requests)[1:]), gaps(site.requests)
        assert site.max_concurrency == 1


async def test_a_429_holds_the_host_and_costs_the_url_no_try(tmp_path: Path, autojump_clock) -> None:
    answers = iter([(429, {"Retry-After": "30"}, b"")] * 6)
    routes = site_of({"/": page("/a", "/b"), "/a": lambda _: next(answers, "at last"), "/b": "b"})
    async with serve(routes) as site:
        report = await crawl(
            configured(site.url("/"), crawl={"retries": 1}), tmp_path, clock=trio.current_time
        )
        asked = [request for request in site.requests if request.path == "/a"]
        assert len(asked) == 7
        assert all(gap >= 30.0 - CLOSE for gap in gaps(asked)), gaps(asked)
    assert report.last is not None
    assert (report.last.counters.pages, report.last.counters.error) == (3, 0)


async def test_failures_that_pass_are_tried_again_at_the_tail(tmp_path: Path, autojump_clock) -> None:
    answers = iter([(500, {}, b""), (502, {}, b"")])
    routes = site_of({"/": page("/a", "/b"), "/a": lambda _: next(answers, "well again"), "/b": "b"})
    async with serve(routes) as site:
        report = await crawl(configured(site.url("/")), tmp_path, clock=trio.current_time)
        assert site.targets.index("/b") < len(site.targets) - 2
        assert site.count("/a") == 3
    assert report.last is not None
    assert (report.last.counters.pages, report.last.counters.retries) == (3, 2)


async def test_failures_that_stay_end_in_the_error_queue(tmp_path: Path, autojump_clock) -> None:
    async with serve(site_of({"/": page("/a"), "/a": (500, {}, b"")})) as site:
        report = await crawl(
            configured(site.url("/"), crawl={"retries": 2}), tmp_path, clock=trio.current_time
        )
        assert site.count("/a") == 3
    assert report.last is not None
    assert report.last.counters.failures == {"server_error": 1}


async def test_robots_that_cannot_be_had_disallow_and_are_asked_again(tmp_path: Path, autojump_clock) -> None:
    answers = iter([(503, {}, b""), (500, {}, b"")])
    routes = {"/robots.txt": lambda _: next(answers, (404, {}, b"")), "/": "hello"}
    async with serve(routes) as site:
        report = await crawl(configured(site.url("/")), tmp_path, clock=trio.current_time)
        assert site.targets == ["/robots.txt"] * 3 + ["/"]
    assert report.last is not None
    assert report.last.counters.pages == 1


async def test_a_host_that_never_has_its_robots_txt_does_not_hold_up_the_end(
    tmp_path: Path, autojump_clock
) -> None:
    async with serve({"/robots.txt": (500, {}, b""), "/": "hello"}) as site:
        report: Recorder = await crawl(configured(site.url("/")), tmp_path, clock=trio.current_time)
        assert "/" not in site.targets
    assert report.last is not None
    assert report.last.counters.failures == {"host_unreachable": 1}


async def test_an_always_busy_page_does_not_starve_its_host(tmp_path: Path, autojump_clock) -> None:
    busy = (503, {"Retry-After": "5"}, b"")
    pages = {f"/{n}": str(n) for n in range(5)}
    async with serve(site_of({"/": page("/busy", *pages), "/busy": busy, **pages})) as site:
        report = await crawl(configured(site.url("/")), tmp_path, clock=trio.current_time)
    assert report.last is not None
    assert report.last.counters.pages == 6
    assert report.last.counters.failures == {"host_unreachable": 1}


async def test_a_host_parked_for_a_month_does_not_hold_up_the_end(tmp_path: Path, autojump_clock) -> None:
    parked = (503, {"Retry-After": "2592000"}, b"")
    async with (
        serve(site_of({"/": page("/a"), "/a": parked}), host="127.0.0.9") as site,
        serve(site_of({"/": page("/b"), "/b": "b"})) as other,
    ):
        config = configured(site.url("/"), other.url("/"))
        report = await crawl(config, tmp_path, clock=trio.current_time)
    assert report.completions[0].reason is Reason.PARKED
    assert report.last is not None
    assert (report.last.counters.pages, report.last.counters.waiting) == (3, 1)


async def test_a_host_that_is_not_there_is_given_up(tmp_path: Path, autojump_clock) -> None:
    async with serve(site_of({"/": page("http://127.0.0.99:1/x"), "/b": "b"})) as site:
        config = configured(site.url("/"), scope={"follow": "any"})
        report = await crawl(config, tmp_path, clock=trio.current_time)
    assert report.last is not None
    assert (report.last.counters.pages, report.last.counters.failures) == (1, {"host_unreachable": 1})
