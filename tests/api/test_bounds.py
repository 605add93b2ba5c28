"""What a client may not do: flood, dawdle, or speak another language."""

from __future__ import annotations

from contextlib import suppress

import pytest
import trio

from spiderd.api.client import PATIENCE, PIECE
from spiderd.api.connection import BODY_TIME, IDLE_TIME, LINGER, MAX_BODY, MAX_HEADERS
from spiderd.api.server import MAX_CLIENTS
from tests.api.sample import SampleCrawl
from tests.api.serving import client, exchange, raw, served

HELLO = b"GET /v1/ HTTP/1.1\r\nhost: x\r\n\r\n"
EVENTS = b"GET /v1/events HTTP/1.1\r\nhost: x\r\n\r\n"
STREAM = b"GET /v1/events/stream HTTP/1.1\r\nhost: x\r\n\r\n"


def with_much_to_tell() -> SampleCrawl:
    """A crawl whose events are more than any socket's buffer takes."""
    crawl = SampleCrawl()
    for number in range(2000):
        crawl.log.add("info", f"n{number}", "x" * 1000)
    return crawl


async def read_all(stream: trio.SocketStream) -> bytes:
    return b"".join([bytes(piece) async for piece in stream])


async def alive(path) -> bool:
    async with client(path) as http:
        return (await http.get("/v1/")).status_code == 200


@pytest.mark.trio
async def test_a_client_that_does_not_read_a_large_answer_is_cut_off(sock_path, autojump_clock):
    async with served(sock_path, with_much_to_tell()), await raw(sock_path) as lazy:
        await lazy.send_all(EVENTS)
        await trio.sleep(PATIENCE + 1)
        assert len(await read_all(lazy)) < 1_000_000, "only what the buffer had taken"
        assert await alive(sock_path)


@pytest.mark.trio
async def test_a_client_that_reads_slowly_gets_all_of_a_large_answer(sock_path, autojump_clock):
    async with served(sock_path, with_much_to_tell()), await raw(sock_path) as slow:
        await slow.send_all(EVENTS)
        received = 0
        while received < 2_000_000:
            received += len(await slow.receive_some(PIECE))
            await trio.sleep(PATIENCE / 10)


@pytest.mark.trio
async def test_a_client_that_leaves_heartbeats_unread_is_cut_off(sock_path, autojump_clock):
    async with served(sock_path), await raw(sock_path) as lazy:
        await lazy.send_all(STREAM)
        await trio.sleep(60)
        beats = (await read_all(lazy)).count(b": alive")
    assert PATIENCE <= beats <= PATIENCE + 2


@pytest.mark.trio
async def test_a_client_that_reads_now_and_then_keeps_its_stream(sock_path, autojump_clock):
    async with served(sock_path), await raw(sock_path) as slow:
        await slow.send_all(STREAM)
        text = b""
        for _ in range(10):
            await trio.sleep(PATIENCE - 1)
            text += await slow.receive_some(PIECE)
    assert text.count(b": alive") >= 9 * (PATIENCE - 2)


@pytest.mark.trio
async def test_one_client_too_many_is_told_so(sock_path):
    async with served(sock_path), client(sock_path) as http:
        streams = [await raw(sock_path) for _ in range(MAX_CLIENTS)]
        for stream in streams:
            await stream.send_all(HELLO)
            assert (await stream.receive_some()).startswith(b"HTTP/1.1 200")
        for _ in range(3):
            answer = await http.get("/v1/status")
            assert (answer.status_code, answer.json()["error"]["code"]) == (503, "too_many_connections")
        await streams.pop().aclose()
        with trio.fail_after(5):
            while (await http.get("/v1/status")).status_code != 200:
                await trio.lowlevel.checkpoint()
        for stream in streams:
            await stream.aclose()


@pytest.mark.trio
async def test_a_body_may_be_as_long_as_allowed_and_no_longer(sock_path):
    body = b'{"urls": ["http://example.test/new"]}'
    async with served(sock_path) as crawl, client(sock_path) as http:
        answer = await http.post("/v1/add", content=body.ljust(MAX_BODY + 1))
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "body_too_big")
        assert len(crawl.urls) == 1
        assert (await http.post("/v1/add", content=body.ljust(MAX_BODY))).json()["new"] == 1


@pytest.mark.trio
async def test_a_body_in_chunks_is_bounded_too(sock_path):
    async def chunks():
        for _ in range(40):
            yield b" " * 65536

    async with served(sock_path), client(sock_path) as http:
        answer = await http.post("/v1/add", content=chunks())
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "body_too_big")
        assert (await http.get("/v1/")).status_code == 200


@pytest.mark.trio
@pytest.mark.parametrize("length", [b"content-length: 99999999999", b"transfer-encoding: chunked"])
async def test_an_endless_body_is_refused_and_not_read_for_ever(sock_path, length):
    async with served(sock_path), await raw(sock_path) as stream:
        await stream.send_all(b"POST /v1/add HTTP/1.1\r\nhost: x\r\n" + length + b"\r\n\r\n")
        sent = 0
        with suppress(trio.BrokenResourceError):
            while sent < 100 * MAX_BODY:
                await stream.send_all(b"10000\r\n" + bytes(0x10000) + b"\r\n")
                sent += 0x10000
        assert LINGER[0] <= sent <= MAX_BODY + LINGER[0] + 20 * PIECE
        assert (await stream.receive_some()).startswith(b"HTTP/1.1 413 ")
        assert await alive(sock_path)


@pytest.mark.trio
async def test_a_body_that_nobody_asked_for_does_not_block_the_connection(sock_path):
    async with served(sock_path), client(sock_path) as http:
        for path in ("/v1/", "/v1/nothing", "/v1/pause"):
            assert (await http.request("GET", path, content=b" " * MAX_BODY)).status_code in {200, 404, 405}


@pytest.mark.trio
async def test_a_body_that_does_not_come_is_not_waited_for(sock_path, autojump_clock):
    async with served(sock_path):
        begun = trio.current_time()
        answer = await exchange(sock_path, b"POST /v1/add HTTP/1.1\r\nhost: x\r\ncontent-length: 50\r\n\r\n{")
        assert trio.current_time() - begun == pytest.approx(BODY_TIME, abs=0.1)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b'"code":"body_too_slow"' in answer


@pytest.mark.trio
@pytest.mark.parametrize("begin", [b"", b"GET /v1/ HTTP/1.1\r\nhost:"])
async def test_headers_that_do_not_come_are_not_waited_for(sock_path, autojump_clock, begin):
    async with served(sock_path):
        begun = trio.current_time()
        assert await exchange(sock_path, begin) == b""
        assert trio.current_time() - begun == pytest.approx(IDLE_TIME, abs=0.1)


@pytest.mark.trio
async def test_headers_are_bounded(sock_path):
    async with served(sock_path):
        head = b"GET /v1/ HTTP/1.1\r\nhost: x\r\nx: " + b"y" * MAX_HEADERS
        assert (await exchange(sock_path, head)).startswith(b"HTTP/1.1 431 ")


@pytest.mark.trio
@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(100) + b"\r\n\r\n", b"HTTP/1.1 400 "),
        (b"GET /v1/ HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n", b"HTTP/1.1 400 "),
        (b"GET /v1/ HTTP/1.1\r\nbad header\r\n\r\n", b"HTTP/1.1 400 "),
        (b"POST /v1/add HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n", b"HTTP/1.1 400 "),
    ],
)
async def test_what_is_not_http_is_refused(sock_path, request_bytes, status):
    async with served(sock_path):
        assert (await exchange(sock_path, request_bytes)).startswith(status)
        assert await alive(sock_path)


@pytest.mark.trio
@pytest.mark.parametrize(
    "upgrade",
    [
        b"upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
        b"upgrade: h2c\r\nhttp2-settings: AAMAAABk",
    ],
)
async def test_another_protocol_is_not_taken_up(sock_path, upgrade):
    async with served(sock_path), await raw(sock_path) as stream:
        await stream.send_all(
            b"GET /v1/ HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\n" + upgrade + b"\r\n\r\n"
        )
        assert (await stream.receive_some()).startswith(b"HTTP/1.1 200 ")
        await stream.send_all(HELLO)
        assert (await stream.receive_some()).startswith(b"HTTP/1.1 200 ")


@pytest.mark.trio
async def test_requests_sent_in_one_go_are_answered_in_order(sock_path):
    async with served(sock_path):
        text = await exchange(
            sock_path,
            b"POST /v1/pause HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n"
            b"GET /v1/events?wait=0.01 HTTP/1.1\r\nhost: x\r\n\r\n"
            b"GET http://spiderd/v1/why?url=a HTTP/1.1\r\nhost: x\r\n\r\n"
            b"GET /v1/nothing HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
        )
    order = [text.index(part) for part in (b'"paused"', b'"rows":[]', b'"scope"', b"404 Not Found")]
    assert order == sorted(order)


@pytest.mark.trio
async def test_what_is_sent_ahead_is_bounded(sock_path):
    async with served(sock_path), await raw(sock_path) as stream:
        await stream.send_all(b"GET /v1/events?wait=30 HTTP/1.1\r\nhost: x\r\n\r\n")
        sent = 0
        with trio.move_on_after(0.2):
            while True:
                await stream.send_all(bytes(PIECE))
                sent += PIECE
        assert sent < 20 * PIECE
        assert await alive(sock_path)


@pytest.mark.trio
async def test_a_client_that_expects_to_be_told_to_continue_is_told(sock_path):
    async with served(sock_path), await raw(sock_path) as stream:
        head = b"POST /v1/check HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 11\r\n\r\n"
        await stream.send_all(head)
        assert (await stream.receive_some()).startswith(b"HTTP/1.1 100 ")
        await stream.send_all(b'{"urls":[]}')
        assert (await stream.receive_some()).startswith(b"HTTP/1.1 200 OK")


@pytest.mark.trio
async def test_clients_that_come_and_go_leave_their_places_free(sock_path, autojump_clock):
    async with served(sock_path):
        begun = trio.current_time()
        for _ in range(3 * MAX_CLIENTS):
            async with await raw(sock_path) as stream:
                await stream.send_all(HELLO)
                assert (await stream.receive_some()).startswith(b"HTTP/1.1 200 ")
        assert trio.current_time() - begun < 1
