"""Histograms of durations: nothing is lost, neither in the buckets nor on the way between processes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.histogram import BOUNDS, WIDTH, Histogram
from spiderd.phases import PHASES, Phases

durations = st.lists(st.floats(min_value=0, max_value=1e6), max_size=50)


def of(values):
    histogram = Histogram()
    for value in values:
        histogram.observe(value)
    return histogram


@given(durations)
def test_each_duration_is_in_the_first_bucket_that_is_not_below_it(values):
    histogram = of(values)
    for bound, upto in zip(BOUNDS, range(1, len(BOUNDS) + 1), strict=True):
        assert sum(histogram.counts[:upto]) == sum(value <= bound for value in values)
    assert (histogram.count, len(histogram.counts)) == (len(values), len(BOUNDS) + 1)
    assert histogram.total == pytest.approx(sum(values), abs=1e-6 * (len(values) + 1))


@given(durations, durations)
def test_what_one_takes_another_adds(ours, theirs):
    there, here = of(theirs), of(ours)
    here.add(there.take())
    assert (here.counts, here.count) == (of(ours + theirs).counts, len(ours) + len(theirs))
    assert there.count == 0


def test_phases_travel_as_one_row_and_nothing_is_sent_of_nothing():
    there, here = Phases(), Phases()
    assert there.take() == []
    for number, name in enumerate(PHASES, 1):
        for _ in range(number):
            there.by_name()[name].observe(0.004)
    row = there.take()
    assert len(row) == WIDTH * len(PHASES)
    here.add(row)
    here.add([])
    assert [histogram.count for histogram in here.by_name().values()] == [1, 2, 3, 4, 5]
    assert there.take() == []
