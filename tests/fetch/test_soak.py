"""A thousand of each fault leave nothing behind: no connection, no file, no task."""

from __future__ import annotations

import pytest
import trio
import trio.lowlevel

from spiderd.fetch import FetchError
from spiderd.states import Failure
from tests.fetch.fetching import Fetching, fetching, open_files
from tests.web.faults import CHUNKED, OK, hang, raw, reset, stay
from tests.web.tls import tls_for

TIMES = 1000
WORKERS = 8

FAULTS = {
    "close": (raw(), Failure.CONNECTION_LOST),
    "reset": (reset(), Failure.CONNECTION_LOST),
    "reset-in-body": (reset(OK + b"Content-Length: 9\r\n\r\nhalf"), Failure.TRUNCATED),
    "short": (raw(OK + b"Content-Length: 9\r\n\r\nhalf"), Failure.TRUNCATED),
    "chunks-cut": (raw(CHUNKED + b"4\r\nhalf\r\n"), Failure.TRUNCATED),
    "chunks-bad": (stay(CHUNKED + b"zz\r\n"), Failure.PROTOCOL_ERROR),
    "garbage": (stay(b"this is not HTTP at all"), Failure.PROTOCOL_ERROR),
    "lengths-differ": (stay(OK + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nx"), Failure.PROTOCOL_ERROR),
    "headers": (stay(OK + b"X: " + b"x" * 4000), Failure.HEADERS_TOO_BIG),
    "not-gzip": ((200, {"Content-Encoding": "gzip"}, b"plain"), Failure.BAD_ENCODING),
    "unwanted": (stay(OK + b"\r\nx"), Failure.TYPE_NOT_WANTED),
}


async def facts() -> tuple[int, int]:
    """Open files and tasks, as soon as nothing is under way."""
    await trio.testing.wait_all_tasks_blocked()
    return open_files(), trio.lowlevel.current_statistics().tasks_living


async def settled(site: Fetching) -> None:
    """Until the server has noticed what has been closed."""
    while site.site.open_connections > len(site.client.pool):
        await trio.lowlevel.checkpoint()


async def repeat(site: Fetching, target: str, failure: Failure, times: int) -> None:
    def refuse(status, headers) -> Failure:
        return failure if failure is Failure.TYPE_NOT_WANTED else Failure.NONE

    async def work() -> None:
        for _ in range(times // WORKERS):
            try:
                await site.get(target, wanted=refuse)
            except FetchError as error:
                failures.append(error.failure)

    failures: list[Failure] = []
    async with trio.open_nursery() as nursery:
        for _ in range(WORKERS):
            nursery.start_soon(work)
    assert failures == [failure] * times


@pytest.mark.trio
@pytest.mark.parametrize("fault", FAULTS)
async def test_faults(fault):
    route, failure = FAULTS[fault]
    async with fetching({"/": b"page", "/fault": route}, max_headers=2000) as site:
        await site.get()
        before = await facts()
        await repeat(site, "/fault", failure, TIMES)
        await settled(site)
        assert (await site.get()).body == b"page"
        await settled(site)
        kept = len(site.client.pool)
        assert kept <= WORKERS
        # a connection has a file and, at the server, a task and a file
        assert await facts() == (before[0] + 2 * (kept - 1), before[1] + kept - 1)
        assert site.site.errors == []


@pytest.mark.trio
async def test_time_outs(autojump_clock):
    async with fetching({"/": hang()}) as site:
        before = await facts()
        await repeat(site, "/", Failure.FIRST_BYTE_TIMEOUT, TIMES)
        await settled(site)
        assert await facts() == before
        assert len(site.client.pool) == 0


@pytest.mark.trio
async def test_failed_handshakes():
    tls = tls_for()
    async with fetching({"/": b"x"}, tls=tls.server, trust=tls_for("other.test").client) as site:
        before = await facts()
        await repeat(site, "/", Failure.TLS_FAILED, 200)  # each costs the server a signature
        await settled(site)
        assert await facts() == before


@pytest.mark.trio
@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("after", range(0, 60, 3))
async def test_cancelled_after_any_number_of_steps(scheme, after):
    """Cancel an exchange after so many rounds of the scheduler: it is on its way to anywhere by then."""
    tls = tls_for()
    server, trust = (tls.server, tls.client) if scheme == "https" else (None, None)

    async def answer_in_pieces(stream, request) -> None:
        data = b"request"
        while data:
            for piece in (CHUNKED, *[b"1\r\nx\r\n"] * 8, b"0\r\n\r\n"):
                await stream.send_all(piece)
                await trio.lowlevel.checkpoint()
            data = await stream.receive_some(65536)

    async with fetching({"/": answer_in_pieces}, tls=server, trust=trust) as site:
        before = await facts()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(site.get)
            for _ in range(after):
                await trio.lowlevel.checkpoint()
            nursery.cancel_scope.cancel()
        await settled(site)
        kept = len(site.client.pool)
        assert await facts() == (before[0] + 2 * kept, before[1] + kept)
        assert (await site.get()).body == b"xxxxxxxx"


@pytest.mark.trio
async def test_a_time_limit_of_the_caller_leaks_nothing(autojump_clock):
    async with fetching({"/": hang(), "/page": b"page"}) as site:
        before = await facts()
        for _ in range(100):
            with trio.move_on_after(1.0) as scope:
                await site.get()
            assert scope.cancelled_caught
        await settled(site)
        assert await facts() == before
        assert (await site.get("/page")).body == b"page"
