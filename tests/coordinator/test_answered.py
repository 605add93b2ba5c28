"""The connection is free as soon as the whole answer is there, where nobody asks for a pause."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from spiderd.store.step import Effects, Step
from spiderd.store.thread import StoreThread
from tests.crawl.harness import archived, configured, crawl
from tests.crawl.pages import page
from tests.web.server import Request, serve

pytestmark = pytest.mark.trio

PAGES = 60


@pytest.mark.parametrize(("delay", "most"), [(0.0, 3), (0.001, 1)])
async def test_no_more_connections_than_allowed_and_no_page_lost(
    tmp_path: Path, delay: float, most: int
) -> None:
    """More workers than connections: what is done with one answer goes on while the next is asked for."""
    now = most_at_once = 0

    async def answer(_stream: object, request: Request) -> str:
        nonlocal now, most_at_once
        now += 1
        most_at_once = max(most_at_once, now)
        await trio.sleep(0.002)
        now -= 1
        return f"page {request.path}"

    routes = {f"/{number}": answer for number in range(PAGES)}
    async with serve({"/robots.txt": (404, {}, b""), "/": page(*routes), **routes}) as site:
        config = configured(
            site.url("/"),
            crawl={"threads": 9},
            politeness={"delay": delay, "per_host": most, "per_ip": most, "latency_factor": 0.0},
        )
        await crawl(config, tmp_path)
        assert most_at_once == most
        assert {site.count(path) for path in routes} == {1}
    assert len(archived(tmp_path)) == PAGES + 1


@pytest.mark.parametrize("order", ["breadth", "depth"])
async def test_the_next_page_is_asked_for_while_the_store_is_at_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: str
) -> None:
    """In other orders the links of a page may come before what was known: there the store is waited for."""
    waits = order != "breadth"
    busy, asked, waited = trio.Event(), trio.Event(), []
    perform = StoreThread.perform

    async def slowly(store: StoreThread, step: Step) -> Effects:
        if busy.is_set() and not waited:
            if waits:
                await wait_all_tasks_blocked(0.01)  # nobody has anything left to do
            else:
                with trio.fail_after(5):
                    await asked.wait()
            waited.append(not asked.is_set())
        return await perform(store, step)

    monkeypatch.setattr(StoreThread, "perform", slowly)

    async def answer(_stream: object, request: Request) -> str:
        (asked if busy.is_set() else busy).set()
        return f"page {request.path}"

    routes = {f"/{number}": answer for number in range(3)}
    async with serve({"/robots.txt": (404, {}, b""), "/": page(*routes), **routes}) as site:
        config = configured(
            site.url("/"),
            crawl={"threads": 3, "order": order},
            politeness={"delay": 0.0, "per_host": 1, "per_ip": 1, "latency_factor": 0.0},
        )
        await crawl(config, tmp_path)
    assert waited == [waits]
    assert len(archived(tmp_path)) == 4
