"""The transport under a stock httpx client, as httpx means it to be used."""

from __future__ import annotations

import gzip

import httpx
import pytest
import trio

from spiderd.states import Failure
from tests.fetch.fetching import Fetching, fetching
from tests.web.faults import OK, hang, raw, redirect, stay


def stock(site: Fetching, **options) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=site.client.transport, base_url=site.site.origin, **options)


@pytest.mark.trio
async def test_pages_headers_and_redirects():
    routes = {
        "/": redirect("/page"),
        "/page": (200, {"Content-Type": "text/html; charset=utf-8", "X-A": "b"}, "é"),
        "/gzip": (200, {"Content-Encoding": "gzip"}, gzip.compress(b"packed")),
        "/chunks": raw(OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"),
    }
    async with fetching(routes) as site, stock(site, follow_redirects=True) as client:
        answer = await client.get("/", params={"q": "1"}, headers={"X-Mine": "yes"})
        assert (answer.status_code, answer.text, answer.headers["x-a"]) == (200, "é", "b")
        assert (await client.get("/gzip")).content == b"packed"
        assert (await client.get("/chunks")).content == b"ab"
    assert site.site.targets == ["/?q=1", "/page", "/gzip", "/chunks"]
    assert site.site.requests[0].header("x-mine") == "yes"
    assert site.site.connections == 1


@pytest.mark.trio
async def test_a_body_is_streamed_and_may_be_left():
    async with fetching({"/": b"x" * 500_000}) as site, stock(site) as client:
        async with client.stream("GET", "/") as answer:
            assert answer.headers["content-length"] == "500000"
        assert len(site.client.pool) == 0
        async with client.stream("GET", "/") as answer:
            assert sum([len(piece) async for piece in answer.aiter_bytes()]) == 500_000
        assert len(site.client.pool) == 1


@pytest.mark.trio
async def test_its_failures_are_errors_of_httpx():
    async with (
        fetching({"/short": raw(OK + b"Content-Length: 9\r\n\r\nhalf")}) as site,
        stock(site) as client,
    ):
        with pytest.raises(httpx.TransportError) as caught:
            await client.get("/short")
        assert caught.value.failure is Failure.TRUNCATED
        for method, url in (("POST", "/short"), ("GET", "ftp://h/")):
            with pytest.raises(httpx.UnsupportedProtocol):
                await client.request(method, url)


@pytest.mark.trio
@pytest.mark.parametrize("route", [hang(), stay(OK), stay(OK + b"Content-Length: 9\r\n\r\nhalf")])
async def test_its_time_is_limited(route, autojump_clock):
    async with fetching({"/": route}) as site, stock(site, timeout=3.0) as client:
        with pytest.raises(httpx.TransportError) as caught:
            await client.get("/")
        assert caught.value.failure in {Failure.FIRST_BYTE_TIMEOUT, Failure.IDLE_TIMEOUT}
        assert trio.current_time() == pytest.approx(3)
        assert len(site.client.pool) == 0
    assert site.site.open_connections == 0


@pytest.mark.trio
async def test_closing_it_closes_its_connections():
    async with fetching({"/": b"x"}) as site:
        async with stock(site) as client:
            await client.get("/")
            assert len(site.client.pool) == 1
        assert len(site.client.pool) == 0
