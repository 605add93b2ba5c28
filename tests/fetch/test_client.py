from __future__ import annotations

import gzip

import pytest
import trio

from spiderd import __version__
from spiderd.config import Config
from spiderd.config.declaration import Politeness
from spiderd.errors import ConfigError
from spiderd.fetch import Client, FetchError, user_agent
from spiderd.states import Failure, Step
from tests.fetch.fetching import fetching
from tests.web.faults import CHUNKED, OK, catalogue, chunks, endless, linger, raw
from tests.web.server import Request, serve


@pytest.mark.trio
async def test_a_page():
    async with fetching({"/a": b"<p>hello"}) as site:
        answer = await site.get("/a?b#c")
        assert (answer.status, answer.body, answer.truncated) == (200, b"<p>hello", False)
        assert answer.url == site.site.url("/a?b#c")
        assert answer.headers.get("content-TYPE") == "text/html"
        assert answer.address == "127.0.0.7"
        assert answer.wire_size > len(answer.body)
        await site.get("/a")
    assert site.site.targets == ["/a?b", "/a"]
    assert site.site.connections == 1


@pytest.mark.trio
@pytest.mark.parametrize(
    ("target", "failure", "status"),
    [
        ("/short", Failure.TRUNCATED, 200),
        ("/chunks-cut", Failure.TRUNCATED, 200),
        ("/reset-in-body", Failure.TRUNCATED, 200),
        ("/close", Failure.CONNECTION_LOST, 0),
        ("/reset", Failure.CONNECTION_LOST, 0),
        ("/garbage", Failure.PROTOCOL_ERROR, 0),
        ("/chunks-bad", Failure.PROTOCOL_ERROR, 200),
        ("/lengths-differ", Failure.PROTOCOL_ERROR, 200),
        ("/header-bomb", Failure.HEADERS_TOO_BIG, 0),
        ("/bomb", Failure.DECODED_TOO_BIG, 200),
        ("/not-gzip", Failure.BAD_ENCODING, 200),
    ],
)
async def test_every_fault_has_its_name(target, failure, status):
    async with fetching(catalogue()) as site:
        error = await site.failure(target)
        assert (error.failure, error.status, error.address) == (failure, status, "127.0.0.7")
        assert error.detail
        assert len(site.client.pool) == (1 if target in {"/bomb", "/not-gzip"} else 0)


@pytest.mark.trio
async def test_any_status_is_an_answer():
    statuses = [200, 201, 204, 206, 301, 302, 304, 400, 403, 404, 410, 429, 451, 500, 503, 599, 600, 999]
    async with fetching({f"/{status}": (status, {"Retry-After": "7"}, b"") for status in statuses}) as site:
        for status in statuses:
            answer = await site.get(f"/{status}")
            assert (answer.status, answer.body) == (status, b"")
            assert answer.headers.get("retry-after") == "7"
        assert site.site.connections == 1


@pytest.mark.trio
async def test_what_is_sent():
    async with fetching({"/": b""}) as site:
        await site.get("/#top")
        await site.get(
            "/", etag='W/"é\r\nX: y"', last_modified="Thu, 01 Jan 2026 00:00:00 GMT", accept="text/plain"
        )
    first, second = site.site.requests
    assert dict(first.headers) == {
        "host": site.site.origin.removeprefix("http://"),
        "user-agent": f"spiderd/{__version__}",
        "accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "accept-encoding": "gzip, deflate, br, zstd",
    }
    assert second.header("if-none-match").encode("latin-1").decode() == 'W/"éX: y"'
    assert second.header("if-modified-since") == "Thu, 01 Jan 2026 00:00:00 GMT"
    assert second.header("accept") == "text/plain"


def test_how_we_introduce_ourselves():
    contact = Config(politeness=Politeness(contact="https://example.test/bot"))
    assert user_agent(contact) == f"spiderd/{__version__} (+https://example.test/bot)"
    assert user_agent(Config(politeness=Politeness(user_agent="mine/1", contact="x"))) == "mine/1"


@pytest.mark.trio
@pytest.mark.parametrize("agent", ["ünï/1", "a\r\nX: y", "\ud800"])
async def test_no_user_agent_breaks_a_request(agent):
    config = Config(politeness=Politeness(user_agent=agent))
    async with serve({"/": b""}) as site, Client(config, seeds=[site.url()]) as client:
        await client.get(site.url())
    assert site.requests[0].header("x") == ""


@pytest.mark.trio
@pytest.mark.parametrize("url", ["", "ftp://h/", "http://", "http://a b/", "http://h:99999/"])
async def test_what_is_no_url_is_a_failure(url):
    async with Client(Config()) as client:
        with pytest.raises(FetchError) as caught:
            await client.get(url)
    assert caught.value.failure is Failure.PROTOCOL_ERROR


@pytest.mark.trio
async def test_a_target_that_is_not_ascii_is_encoded_and_nothing_else_is_touched():
    async with fetching({"*": b""}) as site:
        await site.get("/100%/a%zz%2?q=%2F&r='\"{}|^`[]")
        await site.get("/é x\r\nHost: evil")
    assert site.site.targets == ["/100%/a%zz%2?q=%2F&r='\"{}|^`[]", "/%C3%A9%20x%0D%0AHost:%20evil"]


@pytest.mark.trio
async def test_an_answer_that_is_not_wanted_is_not_read():
    def no_audio(status: int, headers) -> Failure:
        assert status == 200
        return Failure.TYPE_NOT_WANTED if headers.get("content-type").startswith("audio/") else Failure.NONE

    radio = endless(b"HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\n\r\n", b"x" * 1000)
    big = (200, {"Content-Type": "audio/x"}, b"x" * 500_000)
    small = (200, {"Content-Type": "audio/x"}, b"x" * 500)
    async with fetching({"/radio": radio, "/big": big, "/small": small, "/page": b"page"}) as site:
        for target, kept in (("/radio", 0), ("/big", 0), ("/small", 1)):
            error = await site.failure(target, wanted=no_audio)
            assert (error.failure, error.status) == (Failure.TYPE_NOT_WANTED, 200)
            assert error.headers.get("content-type").startswith("audio/")
            assert len(site.client.pool) == kept
        assert (await site.get("/page", wanted=no_audio)).body == b"page"


@pytest.mark.trio
async def test_what_is_not_wanted_and_does_not_come_is_still_only_not_wanted(autojump_clock):
    stalled = raw(OK + b"Content-Length: 100\r\n\r\n", b"x" * 100, every=15.0)
    async with fetching({"/": stalled}) as site:
        error = await site.failure(wanted=lambda status, headers: Failure.TYPE_NOT_WANTED)
        assert error.failure is Failure.TYPE_NOT_WANTED
        assert trio.current_time() < 5
        assert len(site.client.pool) == 0


@pytest.mark.trio
async def test_an_error_of_the_one_who_decides_leaks_nothing():
    async with fetching({"/": b"x"}) as site:
        with pytest.raises(ZeroDivisionError):
            await site.get(wanted=lambda status, headers: 1 / 0)
        assert (await site.get()).body == b"x"


@pytest.mark.trio
async def test_steps_are_told():
    steps: list[Step] = []
    async with fetching({"/": b"x"}) as site:
        await site.get(on_step=steps.append)
        await site.get(on_step=steps.append)
    assert steps == [Step.CONNECTING, Step.WAITING, Step.RECEIVING, Step.WAITING, Step.RECEIVING]


@pytest.mark.trio
async def test_a_connection_that_died_unseen_is_replaced_once():
    async def answer_once(stream: trio.SocketStream, request: Request):
        if request.number == 1:
            return b"fine"
        if request.target == "/reset":
            linger(stream)
        return None

    async with fetching({"*": answer_once}) as site:
        for target in ("/", "/close", "/reset"):
            assert (await site.get(target)).body == b"fine"
        assert site.site.connections == 3
        assert site.site.targets == ["/", "/close", "/close", "/reset", "/reset"]


@pytest.mark.trio
async def test_a_fresh_connection_that_dies_is_not_replaced():
    async with fetching({"/": raw()}) as site:
        assert (await site.failure()).failure is Failure.CONNECTION_LOST
        assert site.site.connections == 1


@pytest.mark.trio
async def test_an_answer_that_breaks_on_a_warm_connection_is_not_asked_for_again():
    async with fetching({"/": b"x", "/half": raw(OK + b"Content-Length: 9\r\n\r\nhalf")}) as site:
        await site.get("/")
        assert (await site.failure("/half")).failure is Failure.TRUNCATED
        assert site.site.targets == ["/", "/half"]


@pytest.mark.trio
async def test_a_server_that_closes_after_each_answer_is_asked_on_fresh_connections():
    routes = {
        "/says": (200, {"Connection": "close"}, b"x"),
        "/old": raw(b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx"),
        "/end": raw(OK + b"\r\nx"),
    }
    async with fetching(routes) as site:
        for target in routes:
            assert (await site.get(target)).body == b"x"
            assert len(site.client.pool) == 0


@pytest.mark.trio
async def test_codings_are_undone():
    packed = gzip.compress(b"<p>" * 1000)
    routes = {
        "/gzip": (200, {"Content-Encoding": "gzip"}, packed),
        "/twice": (200, [("Content-Encoding", "gzip"), ("Content-Encoding", "gzip")], gzip.compress(packed)),
        "/transfer": raw(OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + chunks(packed)),
        "/noise": (200, {"Content-Encoding": "utf-8"}, b"<p>" * 1000),
        "/length-of-decoded": raw(OK + b"Content-Encoding: gzip\r\nContent-Length: 3000\r\n\r\n" + packed),
        "/large": (200, {"Content-Encoding": "gzip"}, gzip.compress(b"<p>" * 1000 + bytes(200_000), 0)),
    }
    async with fetching(routes) as site:
        for target in routes:
            answer = await site.get(target)
            assert answer.body[:3000] == b"<p>" * 1000
            assert not answer.truncated
        answer = await site.get("/gzip", max_body=1000)
        assert (len(answer.body), answer.truncated) == (1000, True)


@pytest.mark.trio
async def test_coded_bodies_that_are_not_whole():
    packed = gzip.compress(b"<p>%d" % 7 * 9999)[:-20]
    coded = OK + b"Content-Encoding: gzip\r\n"
    routes = {
        "/all-there": (200, {"Content-Encoding": "gzip"}, packed),
        "/end": raw(coded + b"\r\n" + packed),
        "/short": raw(coded + b"Content-Length: 99999\r\n\r\n" + packed),
        "/short-plain": raw(coded + b"Content-Length: 99999\r\n\r\nplain"),
        "/unknown": (200, {"Content-Encoding": "compress"}, packed),
    }
    async with fetching(routes) as site:
        failures = [(await site.failure(target)).failure for target in routes]
    assert failures == [
        Failure.BAD_ENCODING,
        Failure.TRUNCATED,
        Failure.TRUNCATED,
        Failure.TRUNCATED,
        Failure.BAD_ENCODING,
    ]


@pytest.mark.trio
async def test_a_body_in_many_pieces():
    pieces = [b"%d" % n * 100 for n in range(50)]
    routes = {
        "/chunks": raw(CHUNKED, *(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces), b"0\r\n\r\n"),
        "/length": raw(OK + b"Content-Length: %d\r\n\r\n" % len(b"".join(pieces)), *pieces),
        "/end": raw(OK + b"\r\n", *pieces),
        "/bytes": raw(*(bytes([byte]) for byte in OK + b"Content-Length: 9000\r\n\r\n"), b"".join(pieces)),
    }
    async with fetching(routes) as site:
        for target in routes:
            assert (await site.get(target)).body == b"".join(pieces)[:9000]


@pytest.mark.trio
async def test_many_workers_share_a_client():
    async with fetching({"*": lambda request: request.target}) as site:

        async def work(worker: int) -> None:
            for n in range(20):
                assert (await site.get(f"/{worker}/{n}")).body == f"/{worker}/{n}".encode()

        async with trio.open_nursery() as nursery:
            for worker in range(8):
                nursery.start_soon(work, worker)
        assert site.site.connections <= 8
        assert len(site.client.pool) == site.site.connections


@pytest.mark.trio
async def test_closing_a_client_closes_its_connections():
    async with serve({"/": b"x"}) as site:
        async with Client(Config(), seeds=[site.url()]) as client:
            await client.get(site.url())
            assert site.open_connections == 1
        while site.open_connections:
            await trio.lowlevel.checkpoint()


@pytest.mark.parametrize("proxy", ["socks5://h:1", "https://h", "http://", "http://h:x"])
def test_a_proxy_that_cannot_be_used_is_a_mistake_in_the_configuration(proxy):
    from spiderd.config.declaration import Fetch

    with pytest.raises(ConfigError, match=r"fetch\.proxy"):
        Client(Config(fetch=Fetch(proxy=proxy)))
