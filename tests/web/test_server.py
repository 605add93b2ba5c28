from __future__ import annotations

import urllib.request

import httpx
import pytest
import trio

from tests.web.faults import catalogue, cookie_gate, late, raw, redirect, reset
from tests.web.server import Request, folder_site, serve, threaded_site
from tests.web.tls import tls_for


async def ask(origin: tuple[str, int], data: bytes) -> bytes:
    stream = await trio.open_tcp_stream(*origin)
    async with stream:
        await stream.send_all(data)
        return b"".join([piece async for piece in stream])


@pytest.mark.trio
async def test_bytes_tuples_and_callables_are_answers():
    async def both(stream: trio.abc.Stream, request: Request):
        return f"{request.method} {request.query}"

    routes = {"/": b"home", "/t": (404, {"X-A": "b"}, "gone"), "/f": lambda request: request.path, "/g": both}
    async with serve(routes) as site, httpx.AsyncClient(base_url=site.origin) as client:
        assert (await client.get("/")).text == "home"
        answer = await client.get("/t")
        assert (answer.status_code, answer.headers["x-a"], answer.text) == (404, "b", "gone")
        assert (await client.get("/f")).text == "/f"
        assert (await client.get("/g?a=1")).text == "GET a=1"
        assert (await client.get("/none")).status_code == 404
    assert site.targets == ["/", "/t", "/f", "/g?a=1", "/none"]
    assert site.connections == 1
    assert [request.number for request in site.requests] == [1, 2, 3, 4, 5]
    assert site.open_connections == 0


@pytest.mark.trio
async def test_a_query_may_have_a_route_of_its_own_and_star_takes_the_rest():
    async with serve({"/a?x=1": b"one", "/a": b"any", "*": b"star"}) as site, httpx.AsyncClient() as client:
        texts = [(await client.get(site.url(target))).text for target in ("/a?x=1", "/a?x=2", "/zzz")]
    assert texts == ["one", "any", "star"]


@pytest.mark.trio
async def test_raw_handlers_write_what_they_like_and_then_close():
    async with serve({"/": raw(b"one", b"two")}) as site:
        assert await ask((site.host, site.port), b"GET / HTTP/1.1\r\n\r\n") == b"onetwo"


@pytest.mark.trio
async def test_reset_is_a_reset():
    async with serve({"/": reset(b"half")}) as site:
        with pytest.raises(trio.BrokenResourceError):
            await ask((site.host, site.port), b"GET / HTTP/1.1\r\n\r\n")


@pytest.mark.trio
async def test_concurrency_is_counted(autojump_clock):
    async with serve({"*": late(1.0, b"x")}) as site, trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(ask, (site.host, site.port), b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
    assert site.max_concurrency == 3
    assert site.concurrency == 0


@pytest.mark.trio
async def test_an_error_in_a_route_is_kept_for_the_test():
    async with serve(lambda request: 1 / 0) as site:
        assert await ask((site.host, site.port), b"GET / HTTP/1.1\r\n\r\n") == b""
    assert isinstance(site.errors[0], ZeroDivisionError)


@pytest.mark.trio
async def test_https():
    tls = tls_for("127.0.0.7")
    async with (
        serve({"/": b"secret"}, tls=tls.server) as site,
        httpx.AsyncClient(verify=tls.client) as client,
    ):
        assert site.origin.startswith("https://")
        assert (await client.get(site.url())).text == "secret"


def test_a_thread_serves_a_process_without_trio():
    with threaded_site({"/": b"home"}) as site, urllib.request.urlopen(site.url()) as answer:
        assert answer.read() == b"home"
    assert site.targets == ["/"]


def test_a_thread_tells_why_it_cannot_serve():
    with threaded_site({}) as site, pytest.raises(OSError), threaded_site({}, port=site.port):
        pass


def test_a_folder_becomes_a_site(tmp_path):
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "index.html").write_text("in d")
    assert set(folder_site(tmp_path)) == {"/d/index.html", "/d/"}


@pytest.mark.trio
async def test_the_cookie_gate_opens_for_its_cookie():
    async with serve({"/": cookie_gate("c", b"in")}) as site, httpx.AsyncClient() as client:
        assert (await client.get(site.url(), follow_redirects=True)).text == "in"
    assert redirect("/x")[0] == 302


def test_the_catalogue_links_all_its_faults():
    routes = catalogue()
    index = routes["/"]
    assert isinstance(index, bytes)
    assert index.count(b"<a ") == len(routes) - 1
