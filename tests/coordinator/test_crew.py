"""The crew: fetchers are seated, given what they have room for, started again when they die, drained."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from spiderd.config.declaration import Config
from spiderd.coordinator.crew import LOOK_AHEAD, RESTART_LONGEST, RESTART_PAUSE, Crew, Seat
from spiderd.link import CoordinatorEnd, FetcherEnd, LinkClosed, memory_pair
from spiderd.messages import Drain, Lease, Setup, ToCoordinator, WorkerStates

HELLO = WorkerStates([])


class Fetchers:
    """The other ends of the links, and what the crew told of them."""

    def __init__(self) -> None:
        self.ends: dict[int, list[FetcherEnd]] = defaultdict(list)
        self.started: list[tuple[int, float]] = []  # seat, time
        self.up: list[int] = []
        self.down: list[tuple[int, bool]] = []
        self.messages: list[tuple[int, Sequence[ToCoordinator]]] = []

    @asynccontextmanager
    async def open(self, number: int) -> AsyncIterator[CoordinatorEnd]:
        ours, theirs = memory_pair()
        self.ends[number].append(theirs)
        self.started.append((number, trio.current_time()))
        try:
            yield ours
        finally:
            await ours.aclose()

    def crew(self, threads: int, processes: int) -> Crew:
        return Crew(
            self.open,
            Setup(Config(), [], "pages", ["http://h.test/"]),
            threads,
            processes,
            on_up=lambda seat: self.up.append(seat.number),
            on_messages=lambda seat, messages: self.messages.append((seat.number, messages)),
            on_down=self._on_down,
        )

    def _on_down(self, seat: Seat, drained: bool) -> None:  # noqa: FBT001  # the crew's signature
        assert not seat.up
        self.down.append((seat.number, drained))


@pytest.fixture
def fetchers() -> Fetchers:
    return Fetchers()


def seated(workers: Sequence[int], leases: int = 0, *, up: bool = True) -> Seat:
    seat = Seat(0, workers)
    seat.leases = set(range(leases))
    seat.up = up
    return seat


@pytest.mark.parametrize(
    ("threads", "processes", "seats"),
    [
        (5, 2, [[0, 2, 4], [1, 3]]),
        (8, 0, [[0, 1, 2, 3, 4, 5, 6, 7]]),  # in the daemon
        (2, 16, [[0], [1]]),  # no fetcher without a worker
    ],
)
def test_workers_are_spread_over_the_fetchers(
    fetchers: Fetchers, threads: int, processes: int, seats: list[list[int]]
) -> None:
    crew = fetchers.crew(threads, processes)
    assert [seat.workers for seat in crew.seats] == seats
    assert all(worker in crew.seat_of[worker].workers for worker in range(threads))


def test_a_fetcher_has_room_for_its_workers_and_a_little_ahead_where_there_is_no_delay() -> None:
    assert seated([0, 1]).room(ahead=False) == 2
    assert seated([0, 1], leases=1).room(ahead=False) == 1
    assert seated([0, 1], leases=2).room(ahead=True) == 2 * LOOK_AHEAD - 2
    assert seated([0, 1], up=False).room(ahead=True) == 0


def test_a_lease_goes_to_the_warm_connection_if_there_is_room_else_to_the_idlest(fetchers: Fetchers) -> None:
    crew = fetchers.crew(6, 3)
    assert crew.choose(-1, ahead=False) is None  # nobody is up yet
    assert not crew.has_room
    for seat, held in zip(crew.seats, (1, 2, 0), strict=True):
        seat.up, seat.leases = True, set(range(held))
    assert crew.choose(0, ahead=False) is crew.seats[0]
    assert crew.choose(1, ahead=False) is crew.seats[2]
    assert crew.choose(1, ahead=True) is crew.seats[1]
    assert crew.choose(-1, ahead=False) is crew.seats[2]
    for seat in crew.seats:
        seat.leases = set(range(2))
    assert crew.choose(1, ahead=False) is None
    assert crew.has_room  # for leases of hosts without a delay
    for seat in crew.seats:
        seat.leases = set(range(2 * LOOK_AHEAD))
    assert not crew.has_room


def test_a_worker_that_has_its_answer_counts_as_one_that_is_soon_free(fetchers: Fetchers) -> None:
    crew = fetchers.crew(4, 2)
    first, second = crew.seats
    for seat in crew.seats:
        seat.up, seat.leases = True, {0, 1}
    second.answered.add(1)
    assert crew.choose(-1, ahead=True) is second
    second.leases.add(2)
    first.answered.update((0, 1))
    assert crew.choose(-1, ahead=True) is first
    second.leases = {2}
    assert crew.choose(-1, ahead=False) is second  # one that is free now, where nothing may wait
    for lease in (0, 1):
        first.ended(lease)
    assert not first.leases
    assert not first.answered
    assert crew.choose(-1, ahead=True) is first


@pytest.mark.trio
async def test_a_fetcher_is_set_up_first_and_hears_the_rest_in_order(fetchers: Fetchers) -> None:
    crew = fetchers.crew(4, 2)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(crew.run)
        await wait_all_tasks_blocked()
        assert sorted(fetchers.up) == [0, 1]
        (setup,) = await fetchers.ends[1][0].receive()
        assert isinstance(setup, Setup)
        assert (setup.workers, setup.archive, setup.seeds) == ([1, 3], "pages", ["http://h.test/"])
        crew.seats[1].send(Lease(1, "http://h.test/1"))
        await wait_all_tasks_blocked()
        crew.seats[1].send(Lease(2, "http://h.test/2"))
        crew.flush()
        assert [one.id for one in await fetchers.ends[1][0].receive()] == [1, 2]
        await fetchers.ends[1][0].send([HELLO])
        await wait_all_tasks_blocked()
        assert fetchers.messages == [(1, [HELLO])]
        nursery.cancel_scope.cancel()


@pytest.mark.trio
async def test_a_fetcher_that_dies_is_started_again_and_the_others_do_not_notice(
    fetchers: Fetchers, autojump_clock: MockClock
) -> None:
    crew = fetchers.crew(2, 2)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(crew.run)
        await wait_all_tasks_blocked()
        crew.seats[0].send(Lease(1, "http://h.test/"))  # never flushed: it dies with the fetcher
        await fetchers.ends[0][0].aclose()
        await wait_all_tasks_blocked()
        assert fetchers.down == [(0, False)]
        assert [seat.up for seat in crew.seats] == [False, True]
        await trio.sleep(RESTART_PAUSE)
        await wait_all_tasks_blocked()
        assert crew.seats[0].up
        assert [type(one) for one in await fetchers.ends[0][1].receive()] == [Setup]
        assert len(fetchers.ends[1]) == 1
        nursery.cancel_scope.cancel()


@pytest.mark.trio
async def test_one_that_dies_again_and_again_is_started_ever_less_often(
    fetchers: Fetchers, autojump_clock: MockClock
) -> None:
    crew = fetchers.crew(1, 1)

    async def pause_after_a_death() -> float:
        died = trio.current_time()
        await fetchers.ends[0][-1].aclose()
        await trio.sleep(RESTART_LONGEST + 1)
        return round(fetchers.started[-1][1] - died, 3)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(crew.run)
        await wait_all_tasks_blocked()
        pauses = [await pause_after_a_death() for _ in range(7)]
        assert pauses == [min(RESTART_PAUSE * 2**n, RESTART_LONGEST) for n in range(7)]
        await fetchers.ends[0][-1].send([HELLO])  # it works: the next pause is short again
        await wait_all_tasks_blocked()
        assert await pause_after_a_death() == RESTART_PAUSE
        nursery.cancel_scope.cancel()


@pytest.mark.trio
async def test_drained_fetchers_are_told_how_long_and_not_started_again(
    fetchers: Fetchers, autojump_clock: MockClock
) -> None:
    crew = fetchers.crew(2, 2)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(crew.run)
        await wait_all_tasks_blocked()
        crew.drain(7.5)
        crew.drain(0.0)  # somebody is in a hurry
        await wait_all_tasks_blocked()
        for number in (0, 1):
            end = fetchers.ends[number][0]
            assert isinstance((await end.receive())[0], Setup)
            heard = []
            while len(heard) < 2:
                heard.extend(await end.receive())
            assert heard == [Drain(7.5), Drain(0.0)]
            await end.send([HELLO])  # what is finished still comes in
            await end.aclose()
    assert sorted(fetchers.down) == [(0, True), (1, True)]
    assert sorted(number for number, _ in fetchers.messages) == [0, 1]
    assert len(fetchers.started) == 2


@pytest.mark.trio
async def test_a_drain_during_the_pause_before_a_restart_ends_at_once(
    fetchers: Fetchers, autojump_clock: MockClock
) -> None:
    crew = fetchers.crew(1, 1)
    with trio.fail_after(RESTART_PAUSE / 2):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(crew.run)
            await wait_all_tasks_blocked()
            await fetchers.ends[0][0].aclose()
            await wait_all_tasks_blocked()
            crew.drain(60.0)
    assert fetchers.down == [(0, False), (0, True)]
    with pytest.raises(LinkClosed):
        await fetchers.ends[0][-1].receive()
