"""Retries: typed by kind of failure, growing, bounded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.schedule.retry import FIRST_PAUSE, LONGEST, GiveUp, Requeue, Retry, decide
from spiderd.states import PASSING, Failure

NOW = 1_800_000_000.0


def test_every_passing_failure_has_its_pause():
    assert set(FIRST_PAUSE) == PASSING


@pytest.mark.parametrize(
    ("failure", "pauses"),
    [
        (Failure.SERVER_ERROR, [10.0, 20.0, 40.0]),
        (Failure.DNS_TEMPORARY, [30.0, 60.0, 120.0]),
        (Failure.TRUNCATED, [5.0, 10.0, 20.0]),
    ],
)
def test_pauses_grow(failure, pauses):
    decisions = [decide(failure, tries, NOW, 3) for tries in (1, 2, 3, 4)]
    assert decisions == [*(Retry(NOW + pause) for pause in pauses), GiveUp()]


@pytest.mark.parametrize(
    "failure", sorted(set(Failure) - PASSING - {Failure.THROTTLED, Failure.STORE_FAILED})
)
def test_what_does_not_pass_is_not_tried_again(failure):
    assert decide(failure, 1, NOW, 3) == GiveUp()


@pytest.mark.parametrize("tries", [1, 4, 1000])
def test_c25_a_throttled_url_pays_nothing(tries):
    assert decide(Failure.THROTTLED, tries, NOW, 3) == Requeue(to_tail=True)
    assert decide(Failure.STORE_FAILED, tries, NOW, 3) == Requeue(to_tail=False)


def test_no_retries_means_none():
    assert decide(Failure.SERVER_ERROR, 1, NOW, 0) == GiveUp()


@given(st.sampled_from(list(Failure)), st.integers(1, 10_000), st.integers(0, 10_000))
def test_tries_are_bounded_and_pauses_are_not_absurd(failure, tries, retries):
    decision = decide(failure, tries, NOW, retries)
    if isinstance(decision, Retry):
        assert tries <= retries
        assert NOW < decision.at <= NOW + LONGEST
