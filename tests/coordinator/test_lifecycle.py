"""The state of the crawl: every change is told once, with its reason and its time."""

from __future__ import annotations

import pytest

from spiderd.coordinator.lifecycle import Lifecycle
from spiderd.states import CrawlState, Reason


@pytest.fixture
def clock() -> list[float]:
    return [100.0]


@pytest.fixture
def changes() -> list[tuple[CrawlState, Reason, str]]:
    return []


@pytest.fixture
def lifecycle(clock: list[float], changes: list) -> Lifecycle:
    return Lifecycle(lambda *change: changes.append(change), lambda: clock[0])


def test_it_begins_with_starting_and_nothing_to_tell(lifecycle: Lifecycle, changes: list) -> None:
    assert (lifecycle.state, lifecycle.reason, lifecycle.since) == (CrawlState.STARTING, Reason.NONE, 100.0)
    assert changes == []


def test_a_change_is_told_with_reason_and_time(lifecycle: Lifecycle, changes: list, clock: list) -> None:
    clock[0] = 105.0
    assert lifecycle.go(CrawlState.PAUSED, Reason.DISK_FULL, "no room")
    assert (lifecycle.state, lifecycle.reason, lifecycle.message) == (
        CrawlState.PAUSED,
        Reason.DISK_FULL,
        "no room",
    )
    assert lifecycle.since == 105.0
    assert changes == [(CrawlState.PAUSED, Reason.DISK_FULL, "no room")]


def test_what_is_so_already_is_no_change(lifecycle: Lifecycle, changes: list, clock: list) -> None:
    lifecycle.go(CrawlState.RUNNING)
    clock[0] = 200.0
    assert not lifecycle.go(CrawlState.RUNNING)
    assert lifecycle.since == 100.0
    assert len(changes) == 1


@pytest.mark.parametrize(("reason", "message"), [(Reason.SIGNAL, ""), (Reason.USER, "again")])
def test_another_reason_or_sentence_is_a_change(
    lifecycle: Lifecycle, changes: list, reason: Reason, message: str
) -> None:
    lifecycle.go(CrawlState.STOPPING, Reason.USER)
    assert lifecycle.go(CrawlState.STOPPING, reason, message)
    assert changes[-1] == (CrawlState.STOPPING, reason, message)


def test_reason_and_sentence_end_with_the_state(lifecycle: Lifecycle) -> None:
    lifecycle.go(CrawlState.PAUSED, Reason.USER, "asked")
    lifecycle.go(CrawlState.RUNNING)
    assert (lifecycle.reason, lifecycle.message) == (Reason.NONE, "")


@pytest.mark.trio
async def test_whoever_waits_for_a_change_is_woken_by_the_next_one_only(lifecycle: Lifecycle) -> None:
    before = lifecycle.changed
    lifecycle.go(CrawlState.RUNNING)
    assert before.is_set()
    assert not lifecycle.changed.is_set()
    waiting = lifecycle.changed
    lifecycle.go(CrawlState.RUNNING)
    assert not waiting.is_set()


@pytest.mark.parametrize("state", list(CrawlState))
def test_leases_are_given_out_while_it_runs_and_it_is_held_while_paused(
    lifecycle: Lifecycle, state: CrawlState
) -> None:
    lifecycle.go(state)
    assert lifecycle.runs == (state is CrawlState.RUNNING)
    assert lifecycle.is_held == (state in {CrawlState.PAUSING, CrawlState.PAUSED})
