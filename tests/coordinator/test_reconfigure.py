"""New settings in the parts that keep something of the old ones."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from spiderd.config.declaration import Config, Politeness
from spiderd.coordinator.crew import Crew
from spiderd.coordinator.leases import ActiveLease, LeaseBook
from spiderd.messages import Setup
from spiderd.schedule.politeness import HostState, asked, rules_changed


def crew_of(threads: int, processes: int) -> Crew:
    def ignore(*_: object) -> None:
        """Take no notice."""

    setup = Setup(Config(), [], "pages", [])
    return Crew(
        lambda _: nullcontext(),  # type: ignore[arg-type, return-value]  # nobody is started here
        setup,
        threads,
        processes,
        on_up=ignore,
        on_messages=ignore,
        on_down=ignore,
    )


def seats(crew: Crew) -> list[list[int]]:
    return [sorted(seat.workers) for seat in crew.seats]


def test_a_worker_that_comes_back_has_its_old_fetcher_which_has_its_directory():
    crew = crew_of(5, 2)
    assert seats(crew) == [[0, 2, 4], [1, 3]]
    crew.reconfigure(Setup(Config(), [], "pages", []), 1)
    assert seats(crew) == [[0], []]
    assert [seat.room(ahead=False) for seat in crew.seats] == [0, 0], "none is up"
    crew.reconfigure(Setup(Config(), [], "pages", []), 7)
    assert [set(old) <= set(now) for old, now in zip([[0, 2, 4], [1, 3]], seats(crew), strict=True)] == [
        True
    ] * 2
    assert sorted(worker for seat in seats(crew) for worker in seat) == list(range(7))
    assert abs(len(seats(crew)[0]) - len(seats(crew)[1])) == 1


def test_more_workers_get_the_fetchers_that_there_were_too_few_of_them_for():
    crew = crew_of(1, 3)
    assert seats(crew) == [[0]]
    crew.reconfigure(Setup(Config(), [], "pages", []), 6)
    assert sorted(len(seat) for seat in seats(crew)) == [2, 2, 2]
    assert all(worker in crew.seat_of[worker].workers for worker in range(6))


@pytest.mark.parametrize(
    ("before", "after", "due"), [(60.0, 1.0, 1001.0), (1.0, 60.0, 1060.0), (0.0, 5.0, 1005.0)]
)
def test_the_next_request_is_due_as_the_new_delay_has_it(before, after, due):
    state = HostState(host="a.test")
    asked(state, 1000.0, Politeness(delay=before, max_delay=3600.0))
    rules_changed(
        state, Politeness(delay=before, max_delay=3600.0), Politeness(delay=after, max_delay=3600.0), 1000.5
    )
    assert state.next_allowed == due


def test_a_host_that_was_never_asked_is_not_held_up():
    state = HostState(host="a.test")
    rules_changed(state, Politeness(delay=0.0), Politeness(delay=30.0), 10.0)
    assert state.next_allowed == 0.0


def test_hosts_that_waited_for_a_connection_to_an_address_try_again():
    book = LeaseBook(1)
    book.open(ActiveLease(0, "page", 1, 0, 0.0, "192.0.2.1"))
    assert book.is_busy("192.0.2.1")
    book.wait_for("192.0.2.1", 2)
    book.wait_for("192.0.2.1", 3)
    assert book.reconfigure(2) == [2, 3]
    assert not book.is_busy("192.0.2.1")
    assert book.reconfigure(2) == []
