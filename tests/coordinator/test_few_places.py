"""Whole crawls of more hosts than the bench has places for."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import trio

from spiderd.coordinator.hosts import Hosts
from spiderd.daemon import running
from tests.crawl.harness import archived, configured, crawl
from tests.crawl.pages import page
from tests.web.server import Site, serve

pytestmark = pytest.mark.trio

HOSTS = 20
PLACES = 3


@pytest.fixture(autouse=True)
def few_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(Hosts.__init__.__kwdefaults__, "limit", PLACES)
    monkeypatch.setattr(running, "MAX_HOSTS", PLACES)


async def served(stack: AsyncExitStack, count: int) -> list[Site]:
    return [await stack.enter_async_context(serve({}, host=f"127.0.9.{n + 1}")) for n in range(count)]


def linked(sites: list[Site]) -> set[str]:
    """Each host has a page for each other host, which links there: all are met while others are at work."""
    for number, site in enumerate(sites):
        to = {f"/to/{other}": page(there.url(f"/from/{number}")) for other, there in enumerate(sites)}
        come = {f"/from/{other}": f"{number} from {other}" for other in range(len(sites))}
        site.routes = {"/robots.txt": (404, {}, b""), "/": page(*to, text=str(number)), **to, **come}
    return {site.url(path) for site in sites for path in site.routes if path != "/robots.txt"}


async def test_all_are_crawled_from_one(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        sites = await served(stack, HOSTS)
        for number, site in enumerate(sites):
            links = [sites[(number * 3 + k) % HOSTS].url("/") for k in range(1, 4)]
            site.routes = {"/robots.txt": (404, {}, b""), "/": page(*links, "/more", text=str(number))}
            site.routes["/more"] = page(sites[number - 1].url("/late"), text=f"more {number}")
            site.routes["/late"] = f"late {number}"
        with trio.fail_after(20):
            report = await crawl(
                configured(sites[0].url("/"), scope={"follow": "any"}), tmp_path, clock=trio.current_time
            )
        assert {site.count(path) for site in sites for path in ("/", "/more", "/late")} == {1}
    assert len(archived(tmp_path)) == 3 * HOSTS
    assert report.last is not None
    assert report.last.counters.waiting == 0


async def test_all_are_crawled_as_seeds(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        sites = await served(stack, HOSTS)
        right = linked(sites)
        with trio.fail_after(20):
            await crawl(
                configured(*(site.url("/") for site in sites), scope={"follow": "any"}),
                tmp_path,
                clock=trio.current_time,
            )
    assert set(archived(tmp_path)) == right
