"""Every limit in time and size, by a virtual clock."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
import trio

from spiderd.config import Config
from spiderd.config.declaration import Fetch
from spiderd.fetch import Client, FetchError
from spiderd.states import Failure
from tests.fetch.fetching import fetching
from tests.web.faults import OK, endless, hang, late, raw, stay
from tests.web.server import serve
from tests.web.tls import tls_for


@pytest.fixture
def deaf() -> Iterator[str]:
    """A URL whose port takes no connection: its queue is full."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.7", 0))
        listener.listen(0)
        address = listener.getsockname()
        fillers = []
        for _ in range(3):
            filler = socket.socket()
            filler.setblocking(False)
            filler.connect_ex(address)
            fillers.append(filler)
        yield f"http://{address[0]}:{address[1]}/"
        for filler in fillers:
            filler.close()


@pytest.mark.trio
async def test_connect(deaf, autojump_clock):
    async with Client(Config(), seeds=[deaf]) as client:
        with pytest.raises(FetchError) as caught:
            await client.get(deaf)
    assert caught.value.failure is Failure.CONNECT_TIMEOUT
    assert caught.value.address == "127.0.0.7"
    assert trio.current_time() == pytest.approx(10)


@pytest.mark.trio
async def test_total_ends_a_connect_that_may_take_longer(deaf, autojump_clock):
    async with Client(Config(fetch=Fetch(total_timeout=3.0)), seeds=[deaf]) as client:
        with pytest.raises(FetchError) as caught:
            await client.get(deaf)
    assert caught.value.failure is Failure.TOTAL_TIMEOUT
    assert trio.current_time() == pytest.approx(3)


@pytest.mark.trio
async def test_tls_that_never_answers(autojump_clock):
    async def silent(stream: trio.SocketStream) -> None:
        while await stream.receive_some(65536):
            pass

    listeners = await trio.open_tcp_listeners(0, host="127.0.0.7")
    port = listeners[0].socket.getsockname()[1]
    url = f"https://127.0.0.7:{port}/"
    async with trio.open_nursery() as nursery, Client(Config(), seeds=[url], tls=tls_for().client) as client:
        nursery.start_soon(trio.serve_listeners, silent, listeners)
        with pytest.raises(FetchError) as caught:
            await client.get(url)
        nursery.cancel_scope.cancel()
    assert caught.value.failure is Failure.CONNECT_TIMEOUT
    assert trio.current_time() == pytest.approx(10)


@pytest.mark.trio
@pytest.mark.parametrize(
    ("route", "failure", "seconds"),
    [
        (hang(), Failure.FIRST_BYTE_TIMEOUT, 20),
        (stay(b"HTTP/1.1 200"), Failure.IDLE_TIMEOUT, 20),
        (stay(OK), Failure.IDLE_TIMEOUT, 20),
        (stay(OK + b"Content-Length: 9\r\n\r\nhalf"), Failure.IDLE_TIMEOUT, 20),
        (stay(b"HTTP/1.1 100 Continue\r\n\r\n"), Failure.IDLE_TIMEOUT, 20),
        (endless(OK + b"\r\n", b"x", every=5.0), Failure.TOO_SLOW, 30),
        (endless(OK, b"A: b\r\n", every=5.0), Failure.TOO_SLOW, 30),
        (endless(OK + b"\r\n", b"x" * 40, every=1.0), Failure.TOO_SLOW, 30),
        (endless(OK + b"\r\n", b"x" * 60, every=1.0), Failure.TOTAL_TIMEOUT, 120),
        (late(19.0, hang()), Failure.FIRST_BYTE_TIMEOUT, 20),
    ],
)
async def test_time(route, failure, seconds, autojump_clock):
    async with fetching({"/": route}) as site:
        error = await site.failure()
        assert error.failure is failure
        assert trio.current_time() == pytest.approx(seconds, abs=0.01)
        assert error.address == "127.0.0.7"
        assert len(site.client.pool) == 0
    assert site.site.open_connections == 0


@pytest.mark.trio
async def test_a_slow_start_does_not_excuse_a_stall_and_a_fast_start_no_drip(autojump_clock):
    slow_then_fast = raw(OK + b"Content-Length: 2000\r\n\r\n", *[b"x"] * 4, b"y" * 1996, every=5.0)
    async with fetching({"/": slow_then_fast}) as site:
        assert len((await site.get()).body) == 2000
    fast_then_drip = raw(OK + b"Content-Length: 9999\r\n\r\n" + b"x" * 5000, *[b"x"] * 4999, every=5.0)
    async with fetching({"/": fast_then_drip}) as site:
        started = trio.current_time()
        assert (await site.failure()).failure is Failure.TOO_SLOW
        assert trio.current_time() - started == pytest.approx(60, abs=6)


@pytest.mark.trio
async def test_limits_that_are_off(autojump_clock):
    off = {"connect_timeout": 0.0, "read_timeout": 0.0, "total_timeout": 0.0, "min_rate": 0, "max_body": 0}
    slow = raw(OK + b"Content-Length: 20\r\n\r\n", *[b"x"] * 20, every=100.0)
    async with fetching({"/": slow, "/big": b"x" * 11_000_000}, **off) as site:
        assert (await site.get()).body == b"x" * 20
        assert trio.current_time() == pytest.approx(2000)
        assert len((await site.get("/big")).body) == 11_000_000


@pytest.mark.trio
async def test_durations_are_those_of_the_clock(autojump_clock):
    async with fetching({"/": late(3.0, b"x")}) as site:
        answer = await site.get()
    assert answer.latency == pytest.approx(3.0)
    assert answer.elapsed == pytest.approx(3.0)


@pytest.mark.trio
async def test_a_body_is_cut_at_the_limit_and_says_so():
    routes = {
        "/long": b"x" * 5000,
        "/fits": b"x" * 1000,
        "/endless": endless(OK + b"\r\n", b"x" * 100),
        "/chunks": endless(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"3\r\nabc\r\n"),
    }
    async with fetching(routes, max_body=1000) as site:
        for target in ("/long", "/endless", "/chunks"):
            answer = await site.get(target)
            assert (len(answer.body), answer.truncated) == (1000, True)
        answer = await site.get("/fits")
        assert (len(answer.body), answer.truncated) == (1000, False)
        assert len((await site.get("/long", max_body=7)).body) == 7
        assert len((await site.get("/long", max_body=0)).body) == 5000


@pytest.mark.trio
async def test_a_cut_answer_of_unknown_length_costs_its_connection():
    async with fetching({"/": endless(OK + b"\r\n", b"x" * 1000)}, max_body=1000) as site:
        await site.get()
        assert len(site.client.pool) == 0


@pytest.mark.trio
@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 80_000 + b"\r\n\r\nbody",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 14_000 + b"\r\nbody",
        b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 2000 + b"HTTP/1.1 200 OK\r\n\r\nbody",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000,
    ],
)
async def test_headers(head):
    async with fetching({"/": raw(head)}) as site:
        assert (await site.failure()).failure is Failure.HEADERS_TOO_BIG


@pytest.mark.trio
async def test_headers_of_just_the_limit_are_read():
    head = b"HTTP/1.1 200 OK\r\nX: " + b"x" * (65536 - 24) + b"\r\n\r\n"
    async with fetching(
        {"/": raw(head + b"body"), "/more": raw(head.replace(b"X", b"XX") + b"body")}
    ) as site:
        assert (await site.get()).body == b"body"
        assert (await site.failure("/more")).failure is Failure.HEADERS_TOO_BIG


@pytest.mark.trio
async def test_the_slowness_of_one_host_does_not_hold_another(autojump_clock):
    async with (
        serve({"/": hang()}) as slow,
        serve({"/": b"quick"}, host="127.0.0.8") as quick,
        Client(Config(), seeds=[slow.url()]) as client,
        trio.open_nursery() as nursery,
    ):

        async def suffer() -> None:
            with pytest.raises(FetchError):
                await client.get(slow.url())

        for _ in range(10):
            nursery.start_soon(suffer)
        await trio.testing.wait_all_tasks_blocked()
        for _ in range(10):
            assert (await client.get(quick.url())).body == b"quick"
        assert trio.current_time() == 0
