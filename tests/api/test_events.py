from __future__ import annotations

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import wait_all_tasks_blocked

from spiderd.api.events import EventLog


class Ticks:
    """A clock that moves when told."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def log(ticks: Ticks | None = None, **options: int) -> EventLog:
    ticks = ticks or Ticks()
    return EventLog(clock=ticks, ticks=ticks, **options)


def test_ids_grow_by_one_and_readers_keep_their_own_place():
    events = log()
    for host in ("a", "b", "c"):
        events.add("info", "stored", f"page of {host}", host=host)
    assert [event.id for event in events.since(0).rows] == [1, 2, 3]
    assert [event.id for event in events.since(2).rows] == [3]
    assert (events.since(3).rows, events.since(3).last, events.since(3).gap) == ([], 3, False)


def test_an_event_carries_what_it_was_given():
    events = log()
    events.add("warning", "failed", "no route", url="http://a/x", host="a", worker=3)
    event = events.since(0).rows[0]
    assert (
        event.level,
        event.name,
        event.message,
        event.url,
        event.host,
        event.worker,
        event.at,
    ) == ("warning", "failed", "no route", "http://a/x", "a", 3, 1000.0)


def test_a_reader_that_was_away_too_long_is_told_of_the_gap():
    events = log(size=3)
    for number in range(5):
        events.add("info", f"n{number}", "")
    assert events.since(1).gap
    assert [event.id for event in events.since(1).rows] == [3, 4, 5]
    assert not events.since(2).gap
    assert not events.since(0).gap, "0 asks for whatever there is"


def test_an_id_of_an_earlier_daemon_is_a_gap():
    later = log(first=5000)
    later.add("info", "state", "running")
    assert later.since(17).gap
    assert [event.id for event in later.since(17).rows] == [5000]
    earlier = log()
    earlier.add("info", "state", "running")
    assert earlier.since(900).gap
    assert [event.id for event in earlier.since(900).rows] == [1]


def test_an_empty_log_has_no_gap_at_its_own_end():
    events = log(first=5000)
    assert events.last == 4999
    assert not events.since(4999).gap


def test_level_is_the_least_that_is_told():
    events = log()
    for level in ("debug", "info", "warning", "error"):
        events.add(level, level, "")
    assert [event.name for event in events.since(0, "warning").rows] == ["warning", "error"]


def test_one_host_cannot_flood_the_log_and_what_was_held_back_is_counted():
    ticks = Ticks()
    events = log(ticks, burst=3)
    recorded = [
        events.add("error" if n == 50 else "info", "failed", "refused", host="dead") for n in range(100)
    ]
    assert sum(recorded) == 3
    assert events.add("info", "failed", "refused", host="other"), "another host has a share of its own"
    assert events.add("info", "robots", "", host="dead"), "so has another name"
    ticks.now += 11
    summary = events.since(5).rows
    assert [(event.level, event.name, event.host) for event in summary] == [("error", "failed", "dead")]
    assert "97 more" in summary[0].message
    assert events.add("info", "failed", "refused", host="dead"), "a new window has begun"
    ticks.now += 11
    assert len(events.since(6).rows) == 1, "nothing was held back, so nothing is reported"


@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from("xy"), st.floats(0, 20)), min_size=1, max_size=80
    ),
    st.integers(1, 5),
)
def test_every_event_is_recorded_or_counted(adds, burst):
    ticks = Ticks()
    events = log(ticks, burst=burst)
    recorded = 0
    for host, name, step in adds:
        ticks.now += step
        recorded += events.add("info", name, "one", host=host)
    ticks.now += 1000
    rows = events.since(0).rows
    counted = sum(int(event.message.split()[0]) for event in rows if event.message != "one")
    assert len(adds) == recorded + counted
    assert list(range(1, len(rows) + 1)) == [event.id for event in rows]
    assert not events._windows
    assert not events._ending


@pytest.mark.trio
async def test_a_reader_waits_for_news(autojump_clock):
    events = log()
    begun = trio.current_time()
    got = []

    async def reader() -> None:
        got.append(await events.read(0, 30.0))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(reader)
        nursery.start_soon(reader)
        await wait_all_tasks_blocked()
        events.add("info", "state", "running")
    assert [answer.rows[0].id for answer in got] == [1, 1]
    assert trio.current_time() == begun


@pytest.mark.trio
async def test_a_reader_that_waits_in_vain_is_answered_in_time(autojump_clock):
    events = log()
    begun = trio.current_time()
    answer = await events.read(0, 30.0)
    assert pytest.approx(trio.current_time() - begun) == 30.0
    assert (answer.rows, answer.gap) == ([], False)


@pytest.mark.trio
async def test_a_reader_of_warnings_sleeps_through_lesser_events_but_learns_the_last_id(autojump_clock):
    events = log(size=5)
    got = []

    async def reader() -> None:
        got.append(await events.read(0, 30.0, "warning"))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(reader)
        for number in range(20):  # more than the ring holds
            await wait_all_tasks_blocked()
            events.add("debug", f"n{number}", "")
        await wait_all_tasks_blocked()
        assert not got
        events.add("warning", "robots", "denied")
    assert [event.id for event in got[0].rows] == [21]
    assert (got[0].last, got[0].gap) == (21, False)


@pytest.mark.trio
async def test_a_gap_is_told_at_once(autojump_clock):
    events = log(first=5000)
    begun = trio.current_time()
    assert (await events.read(17, 30.0)).gap
    assert begun == trio.current_time()
