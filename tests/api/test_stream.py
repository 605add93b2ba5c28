"""The event stream and the long poll."""

from __future__ import annotations

import json

import pytest
import trio

from spiderd.api.events import EventLog
from spiderd.api.stream import PAUSE, frame
from spiderd.protocol import Events
from tests.api.sample import SampleCrawl
from tests.api.serving import client, lines_of, raw, served


@pytest.mark.trio
async def test_events_come_as_they_happen_with_ids_to_go_on_from(sock_path):
    async with served(sock_path) as crawl:
        crawl.log.add("info", "state", "running")
        async with lines_of(sock_path, "/v1/events/stream") as lines:
            await lines.until("id: 1")
            crawl.log.add("warning", "failed", "refused", url="http://a/", host="a", worker=1)
            await lines.until("id: 2")
            assert json.loads((await lines.next()).removeprefix("data: "))["message"] == "refused"
        async with lines_of(sock_path, "/v1/events/stream", "last-event-id: 1") as lines:
            assert await lines.next() == "id: 2"
        async with lines_of(sock_path, "/v1/events/stream?since=0&level=warning") as lines:
            assert await lines.next() == "id: 2"


@pytest.mark.trio
async def test_heartbeats_come_each_second_while_nothing_happens(sock_path, autojump_clock):
    async with served(sock_path):
        begun = trio.current_time()
        async with lines_of(sock_path, "/v1/events/stream") as lines:
            for _ in range(10):
                await lines.until(": alive")
        assert trio.current_time() - begun == pytest.approx(9, abs=0.5)


@pytest.mark.trio
async def test_lesser_events_do_not_keep_heartbeats_back(sock_path, autojump_clock):
    async with served(sock_path) as crawl, trio.open_nursery() as nursery:

        async def chatter() -> None:
            for number in range(1000):
                crawl.log.add("debug", f"n{number}", "")
                await trio.sleep(0.1)

        nursery.start_soon(chatter)
        begun = trio.current_time()
        async with lines_of(sock_path, "/v1/events/stream?level=error") as lines:
            for _ in range(10):
                await lines.until(": alive")
        assert trio.current_time() - begun == pytest.approx(9, abs=0.5)
        nursery.cancel_scope.cancel()


@pytest.mark.trio
async def test_a_gap_is_told_before_what_is_left(sock_path):
    crawl = SampleCrawl(EventLog(first=5000))
    crawl.log.add("info", "state", "running")
    async with served(sock_path, crawl), client(sock_path) as http:
        async with lines_of(sock_path, "/v1/events/stream", "last-event-id: 17") as lines:
            told = await lines.until("id: 5000")
        assert (await http.get("/v1/events?since=17")).json()["gap"]
    assert told == ["event: gap", 'data: {"last":5000}', "", "id: 5000"]


@pytest.mark.trio
async def test_many_events_are_sent_together(sock_path, autojump_clock):
    crawl = SampleCrawl()
    for number in range(1000):
        crawl.log.add("info", f"n{number}", "")
    async with served(sock_path, crawl):
        begun = trio.current_time()
        async with lines_of(sock_path, "/v1/events/stream") as lines:
            told = await lines.until("id: 1000")
        assert trio.current_time() - begun < PAUSE
    assert [line for line in told if line.startswith("id: ")] == [
        f"id: {number}" for number in range(1, 1001)
    ]


@pytest.mark.trio
async def test_a_last_event_id_that_is_none_is_refused(sock_path):
    async with served(sock_path), client(sock_path) as http:
        for value in ("x", "-1", "1e3", "9" * 40):
            answer = await http.get("/v1/events/stream", headers={"last-event-id": value})
            assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad_value")


@pytest.mark.trio
async def test_a_long_poll_ends_with_the_first_event(sock_path):
    async with served(sock_path) as crawl, client(sock_path) as http, trio.open_nursery() as nursery:
        answers = []

        async def ask() -> None:
            answers.append(await http.get("/v1/events?since=0&wait=30"))

        nursery.start_soon(ask)
        await trio.testing.wait_all_tasks_blocked()
        assert not answers
        crawl.log.add("info", "state", "running")
    assert [row["message"] for row in answers[0].json()["rows"]] == ["running"]


@pytest.mark.trio
@pytest.mark.parametrize(("asked", "granted"), [("5", 5), ("1e9", 30), ("inf", 30)])
async def test_a_long_poll_ends_in_time(sock_path, autojump_clock, asked, granted):
    async with served(sock_path), client(sock_path) as http:
        begun = trio.current_time()
        answer = await http.get(f"/v1/events?wait={asked}", timeout=None)
        assert trio.current_time() - begun == pytest.approx(granted, abs=0.1)
    assert answer.json() == {"rows": [], "last": 0, "gap": False}


@pytest.mark.trio
async def test_who_leaves_is_not_waited_for(sock_path):
    waiting, left = trio.Event(), trio.Event()

    class Watched(SampleCrawl):
        async def events(self, since: int, wait: float, level: str) -> Events:
            waiting.set()
            try:
                return await super().events(since, wait, level)
            except trio.Cancelled:
                left.set()
                raise

    with trio.fail_after(20):
        async with served(sock_path, Watched()):
            async with await raw(sock_path) as stream:
                await stream.send_all(b"GET /v1/events?wait=30 HTTP/1.1\r\nhost: x\r\n\r\n")
                await waiting.wait()
            await left.wait()


def test_an_empty_batch_is_a_heartbeat():
    assert frame(Events(rows=[], last=3, gap=False)) == b": alive\n\n"
