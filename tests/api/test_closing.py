"""The end of the server: soon, with a word of farewell, and with nothing half done."""

from __future__ import annotations

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from spiderd.api.listening import listening
from spiderd.api.server import GRACE, serve
from spiderd.protocol import Added, StateReply
from tests.api.sample import SampleCrawl
from tests.api.serving import client, raw


class SlowCrawl(SampleCrawl):
    """Takes a while for changes."""

    def __init__(self, delay: float) -> None:
        super().__init__()
        self.delay = delay

    async def add(self, urls: list[str]) -> Added:
        await trio.sleep(self.delay)
        return await super().add(urls)

    async def pause(self) -> StateReply:
        await trio.sleep(self.delay)
        return await super().pause()


class Ended:
    """Runs a server and clients, ends the server, and keeps what the clients got and how long it took."""

    def __init__(self, path, crawl: SampleCrawl) -> None:
        self.path = path
        self.crawl = crawl
        self.answers: dict[str, bytes] = {}
        self.took = -1.0

    async def run(self, *requests: bytes, reading: bool = True) -> None:
        self.reading = reading
        with listening(self.path) as sock:
            async with trio.open_nursery() as clients:
                async with trio.open_nursery() as server:
                    await server.start(serve, self.crawl, sock)
                    for request in requests:
                        clients.start_soon(self.ask, request)
                    await wait_all_tasks_blocked()
                    begun = trio.current_time()
                    server.cancel_scope.cancel()
                self.took = trio.current_time() - begun
                clients.cancel_scope.deadline = trio.current_time() + 5

    async def ask(self, request: bytes) -> None:
        async with await raw(self.path) as stream:
            await stream.send_all(request + b" HTTP/1.1\r\nhost: x\r\n\r\n" if request else b"")
            if not self.reading:
                await trio.sleep_forever()
            self.answers[request.decode()] = b"".join([bytes(piece) async for piece in stream])


@pytest.mark.trio
async def test_waits_are_answered_streams_say_goodbye_idle_clients_are_closed(sock_path, autojump_clock):
    run = Ended(sock_path, SampleCrawl())
    run.crawl.log.add("info", "state", "stopping")
    await run.run(b"GET /v1/events/stream", b"GET /v1/events?since=1&wait=30", b"GET /v1/", b"")
    assert run.took < 0.2
    assert run.answers["GET /v1/events/stream"].endswith(b'event: goodbye\ndata: {"last":1}\n\n\r\n0\r\n\r\n')
    assert run.answers["GET /v1/events?since=1&wait=30"].endswith(b'{"rows":[],"last":1,"gap":false}')
    assert b'"api":1' in run.answers["GET /v1/"]
    assert run.answers[""] == b""


@pytest.mark.trio
async def test_what_takes_less_than_the_grace_is_finished(sock_path, autojump_clock):
    run = Ended(sock_path, SlowCrawl(GRACE / 2))
    await run.run(b"POST /v1/pause")
    assert run.took == pytest.approx(GRACE / 2, abs=0.1)
    assert b'"state":"paused"' in run.answers["POST /v1/pause"]


@pytest.mark.trio
async def test_what_takes_longer_is_cut_off(sock_path, autojump_clock):
    run = Ended(sock_path, SlowCrawl(60))
    await run.run(b"POST /v1/pause")
    assert run.took == pytest.approx(GRACE, abs=0.1)
    assert b'"state"' not in run.answers["POST /v1/pause"]
    assert run.crawl.state == "running"


@pytest.mark.trio
async def test_a_client_that_does_not_read_holds_nobody_up(sock_path, autojump_clock):
    crawl = SampleCrawl()
    for number in range(2000):
        crawl.log.add("info", f"n{number}", "x" * 1000)
    run = Ended(sock_path, crawl)
    await run.run(b"GET /v1/events", b"GET /v1/events/stream", reading=False)
    assert run.took <= GRACE + 0.1


@pytest.mark.trio
async def test_a_change_is_finished_when_its_client_has_left(sock_path, autojump_clock):
    crawl = SlowCrawl(0.5)
    with listening(sock_path) as sock:
        async with trio.open_nursery() as nursery:
            await nursery.start(serve, crawl, sock)
            async with client(sock_path) as http:
                with trio.move_on_after(0.1):
                    await http.post("/v1/add", json={"urls": ["http://example.test/new"]})
            assert len(crawl.urls) == 1
            await trio.sleep(1)
            assert len(crawl.urls) == 2
            nursery.cancel_scope.cancel()
