"""Throughput from counters: meant over a window, kept for a while, never divided by nothing."""

from __future__ import annotations

import pytest

from spiderd.daemon.rates import HISTORY, WINDOW, RateMeter
from spiderd.protocol import Counters


def sampled(*samples: tuple[float, int, int]) -> RateMeter:
    meter = RateMeter()
    for now, pages, received in samples:
        meter.sample(now, Counters(pages=pages, bytes_received=received))
    return meter


def test_before_two_samples_there_is_no_rate() -> None:
    for meter in (sampled(), sampled((10.0, 500, 9000))):
        rates = meter.rates()
        assert (rates.pages, rates.bytes, rates.history) == (0.0, 0.0, [])


def test_a_rate_is_what_has_come_by_the_time_it_took() -> None:
    rates = sampled((10.0, 500, 1000), (12.0, 520, 5000)).rates()
    assert (rates.pages, rates.bytes, rates.history) == (10.0, 2000.0, [10.0])


def test_a_rate_is_meant_over_the_last_seconds() -> None:
    meter = sampled(*((float(n), 10 * n, 100 * n) for n in range(100)))
    for n in range(WINDOW // 2):
        meter.sample(100.0 + n, Counters(pages=990, bytes_received=9900))
    rates = meter.rates()
    assert (rates.pages, rates.bytes) == pytest.approx((5.0, 50.0))
    for n in range(WINDOW):
        meter.sample(200.0 + n, Counters(pages=990, bytes_received=9900))
    assert (meter.rates().pages, meter.rates().bytes) == (0.0, 0.0)


def test_only_so_much_is_kept() -> None:
    history = sampled(*((float(n), n * n, 0) for n in range(HISTORY + 50))).rates().history
    assert len(history) == HISTORY
    assert history[-1] == 2 * (HISTORY + 49) - 1


def test_two_samples_at_one_moment_are_no_division_by_zero() -> None:
    assert sampled((1.0, 0, 0), (1.0, 1, 1)).rates().pages == pytest.approx(1000.0)
