"""The estimator and the allotment of visits, and what they come to together."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.revisit import World, schedules
from spiderd.schedule.revisit import (
    DAY,
    HINT,
    HOUR,
    LEVELS,
    PRIOR,
    Allotment,
    Belief,
    bias_reduced,
    hinted,
    level_of,
    observed,
    rate_of,
    value,
)

intervals = st.floats(60.0, 400 * DAY)
visits = st.lists(st.tuples(intervals, st.booleans()), max_size=60)


def learn(history: list[tuple[float, bool]], memory: float = 100.0) -> Belief:
    belief = PRIOR
    for interval, changed in history:
        belief = observed(belief, interval, changed=changed, memory=memory)
    return belief


# the estimator


@given(visits)
def test_a_belief_is_always_a_distribution(history: list[tuple[float, bool]]) -> None:
    belief = learn(history)
    assert 0 < belief.shape < math.inf
    assert 0 < belief.time < math.inf


@given(visits, intervals)
def test_a_change_speeds_up_and_none_slows_down(history: list[tuple[float, bool]], interval: float) -> None:
    belief = learn(history)
    up, down = (observed(belief, interval, changed=changed, memory=0) for changed in (True, False))
    assert up.rate > belief.rate * (1 - 1e-9)
    assert down.rate < belief.rate
    assert observed(belief, interval, changed=True).rate > observed(belief, interval, changed=False).rate


@given(st.lists(st.booleans(), min_size=1, max_size=60), st.data())
def test_more_changes_mean_a_higher_rate(found: list[bool], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(found) - 1))
    less, more = [*found], [*found]
    less[place], more[place] = False, True
    fewer, many = (learn([(DAY, changed) for changed in history]) for history in (less, more))
    assert many.rate > fewer.rate


@given(intervals, intervals)
def test_the_sooner_a_change_was_found_the_higher_the_rate(one: float, other: float) -> None:
    sooner, later = sorted((one, other))
    rates = [observed(PRIOR, interval, changed=True).rate for interval in (sooner, later)]
    assert rates[0] >= rates[1] * (1 - 1e-9)
    rates = [observed(PRIOR, interval, changed=False).rate for interval in (sooner, later)]
    assert rates[0] >= rates[1]


@pytest.mark.parametrize("per_day", [0.02, 0.2, 1.0])
@pytest.mark.parametrize("gaps", [(1.0,), (0.1, 0.5, 1.0, 3.0)])
def test_it_converges_to_the_true_rate(per_day: float, gaps: tuple[float, ...]) -> None:
    chance = random.Random(7)
    history = []
    for _ in range(20_000):
        days = chance.choice(gaps)
        history.append((days * DAY, chance.random() < -math.expm1(-per_day * days)))
    assert learn(history, memory=0).rate * DAY == pytest.approx(per_day, rel=0.1)


def test_at_one_interval_it_comes_to_what_the_estimator_of_the_paper_comes_to() -> None:
    chance = random.Random(3)
    found = [chance.random() < 0.3 for _ in range(1000)]
    belief = learn([(DAY, changed) for changed in found], memory=0)
    assert belief.rate == pytest.approx(bias_reduced(1000, sum(found), DAY), rel=0.03)


def test_a_page_that_has_become_quiet_is_believed_so_after_some_visits() -> None:
    busy = learn([(DAY, True)] * 300)
    quiet = busy
    for _ in range(60):
        quiet = observed(quiet, DAY, changed=False)
    assert quiet.rate < busy.rate / 5


def test_what_is_remembered_is_bounded() -> None:
    assert learn([(DAY, False)] * 5000).time < 110 * DAY + PRIOR.time
    assert learn([(DAY, False)] * 5000).shape == pytest.approx(PRIOR.shape)
    assert learn([(DAY, True)] * 5000).shape < 500


@given(st.floats(1.0, 3000 * DAY))
def test_a_hint_moves_the_rate_towards_what_it_says(since: float) -> None:
    after = hinted(PRIOR, since).rate
    low, high = sorted((PRIOR.rate, 1 / since))
    assert low * (1 - 1e-9) <= after <= high * (1 + 1e-9)


def test_a_hint_counts_for_less_with_each_visit() -> None:
    def difference(seen: int) -> float:
        told, untold = hinted(PRIOR, HOUR), PRIOR
        for _ in range(seen):
            told, untold = (observed(belief, DAY, changed=False) for belief in (told, untold))
        return math.log(told.rate / untold.rate)

    gaps = [difference(seen) for seen in (0, 5, 20, 200)]
    assert gaps == sorted(gaps, reverse=True)
    assert hinted(PRIOR, -5.0) == hinted(PRIOR, 0.0) == PRIOR
    assert hinted(PRIOR, DAY).shape == PRIOR.shape + HINT


# the allotment


@given(st.floats(0.0, 1e3))
def test_levels_are_of_rates_that_are_near(rate: float) -> None:
    level = level_of(rate)
    assert 0 <= level < LEVELS
    if 0 < level < LEVELS - 1:
        assert rate / rate_of(level) == pytest.approx(1.0, rel=0.1)


@given(st.floats(1e-9, 1.0), st.floats(60.0, 100 * DAY))
def test_a_visit_is_worth_more_the_later_it_comes(rate: float, interval: float) -> None:
    assert 0 <= value(rate, interval, 7 * DAY) < value(rate, interval * 1.2, 7 * DAY)


counts = st.lists(st.integers(0, 1000), min_size=LEVELS, max_size=LEVELS)


@given(counts, st.floats(1.0, 30.0))
def test_the_budget_is_kept_within_the_bounds(there: list[int], average: float) -> None:
    allotment = Allotment(HOUR, average * DAY, 30 * DAY)
    found = allotment.intervals(there)
    assert all(HOUR <= interval <= 30 * DAY * 1.0001 for interval in found)
    if sum(there):
        spent = sum(count / interval for count, interval in zip(there, found, strict=True))
        assert spent == pytest.approx(sum(there) / allotment.average, rel=0.02)


def test_bounds_that_cross_are_put_in_order() -> None:
    allotment = Allotment(30 * DAY, DAY, HOUR)
    assert allotment.least == allotment.average == allotment.most == 30 * DAY
    assert allotment.intervals([]) == [30 * DAY] * LEVELS


def test_what_changes_more_is_visited_more_but_far_less_than_in_proportion() -> None:
    found = Allotment(HOUR, 7 * DAY, 90 * DAY).intervals([100] * LEVELS)
    slow, quicker = (found[level_of(rate / DAY)] for rate in (0.01, 0.3))
    assert slow > quicker
    assert slow / quicker < 30 / 3


# both


@pytest.mark.parametrize("rates", ["lognormal", "gamma"])
def test_pages_are_fresher_and_younger_than_under_uniform_and_proportional_schedules(rates: str) -> None:
    world = World(1500, 120.0, 7.0, 5, rates)
    results = {name: run() for name, run in schedules(world).items()}
    ours = results.pop("ours")
    assert ours.spent < 1.02
    for name in ("uniform", "proportional", "proportional, told"):
        assert ours.freshness > results[name].freshness + 0.01, name
        assert ours.age < results[name].age * 0.9, name
    assert ours.freshness > results["ours, told"].freshness - 0.02
