"""When a page is visited again: how often it changes, and what a visit is worth. Pure; callers say the time.

Two problems. The rate of change of a page is not known, only what visits have found: that it has changed at
least once since the last one, or not at all. And visits are few: there is a budget for all pages together.

*Estimating.* Changes are taken for a Poisson process of rate r (Cho and Garcia-Molina, "Estimating frequency
of change", TOIT 3(3), 2003, find it good for most pages). A visit after an interval t finds no change with
probability exp(-r t). For visits at one interval their estimator -log((n - X + 1/2) / (n + 1/2)) / t, of X
changes in n visits, has little bias (`bias_reduced`, kept as a yardstick). Ours are at intervals that vary,
and their way for those (solve the likelihood equation) needs every interval there ever was. So we go with
Bayes: the belief about r is a Gamma distribution (`shape`, `time`; its mean is shape/time), two numbers a
page. "No change in t" is conjugate: time grows by t. "Changed within t" has the likelihood 1 - exp(-r t), and
what follows is a difference of two Gamma densities, of which mean and variance have closed forms; the Gamma
of that mean and variance goes on (assumed density filtering, Opper 1998: as good as maximum likelihood in
the long run). Intervals may be as irregular as they like; at regular ones it comes to what `bias_reduced`
comes to. What is older than some `MEMORY` visits fades, since pages do not keep their rate for ever.

Hints (Last-Modified, lastmod, changefreq) are worth a part of an observation (`HINT`): a change so and so
long ago. They set where a page begins; each visit makes them count for less.

*Allotting.* To visit all pages alike (uniform) and to visit each as often as it changes (proportional) are
both wrong, and the second is the worse one (Cho and Garcia-Molina, "Synchronizing a database to improve
freshness", SIGMOD 2000; Azar et al., "Tractable near-optimal policies for crawling", PNAS 115(32), 2018):
visits to what changes at once after them are wasted. The best schedule has one *price*: each page is visited
when the visit has come to be worth that much. With c(t) the cost of a page t after its visit, a visit at t
gains t c(t) - (integral of c up to t), which grows with t (differentiate cost/interval by frequency). Here

    c(t) = [1 - exp(-r t)] + (expected age at t) / T          value(t) = G/r + (t^2/2 - G/r^2) / T
                                                              G = 1 - (1 + r t) exp(-r t)

The first part alone is freshness (the share of pages that are up to date), whose best schedule gives up pages
that change too fast: they would be months old. The second part makes a page cost more the longer it is out
of date: as much again for each T. With T = the average interval nearly all of the freshness is had, and
nearly the least age (`bench/revisit.py`): frequency grows with the rate up to a point, far less than in
proportion, and falls a little beyond it; no page is given up.

The budget is an average interval over all pages. The price that keeps it follows from how many pages there
are of each rate: rates are sorted into `LEVELS` of a quarter octave, the store counts pages a level, and
`Allotment.intervals` finds the price by bisection. So no controller has to be tuned, and nothing lags.

Cost: an observation 1 us, an interval a list access, the price 1 ms whenever the counts have moved.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from math import exp, exp2, expm1, log, log1p, log2
from typing import NamedTuple

HOUR, DAY = 3600.0, 86400.0

MEMORY = 100.0
"""Visits after which what was seen counts for e times less."""
HINT = 0.3
"""What a hint is worth, as a part of a change that was seen."""

FREQUENCIES = {
    "always": HOUR / 4,
    "hourly": HOUR,
    "daily": DAY,
    "weekly": 7 * DAY,
    "monthly": 30 * DAY,
    "yearly": 365 * DAY,
    "never": 5 * 365 * DAY,
}
"""What sitemaps say of a page (changefreq) -> seconds between two changes."""

SLOWEST = 1 / (16 * 365 * DAY)  # changes a second of level 0
PER_OCTAVE = 4
LEVELS = 112  # up to one change in 2 s
STEPS = 240  # intervals between the bounds among which one is chosen


class Belief(NamedTuple):
    """What is believed of a page's rate of change: a Gamma distribution."""

    shape: float  # changes that it is worth
    time: float  # seconds that it is worth

    @property
    def rate(self) -> float:
        """Changes a second to be expected."""
        return self.shape / self.time


PRIOR = Belief(0.5, 0.5 * 10 * DAY)
"""Of a page nobody knows: one change in ten days, which is not worth half an observation."""


def observed(belief: Belief, interval: float, *, changed: bool, memory: float = MEMORY) -> Belief:
    """Learn from a visit.

    Args:
        belief: before it.
        interval: seconds since the visit before; nothing is learnt from one that is not positive.
        changed: whether the page has changed since.
        memory: visits after which what was seen counts for e times less; 0 = never.
    """
    shape, time = belief
    if interval <= 0.0:
        return belief
    if memory:  # back to what is believed of a page nobody knows
        kept = exp(-1 / memory)
        shape = PRIOR.shape + (shape - PRIOR.shape) * kept
        time = PRIOR.time + (time - PRIOR.time) * kept
    if not changed:
        return Belief(shape, time + interval)
    # With q(k) = (time / (time + interval))^k: E[r] = shape/time (1 - q(shape + 1)) / (1 - q(shape)), and
    # E[r^2] likewise with shape + 2. expm1 keeps them exact where the interval is short.
    step = -log1p(interval / time)
    none = expm1(shape * step)
    mean = shape / time * expm1((shape + 1) * step) / none
    square = shape * (shape + 1) / time**2 * expm1((shape + 2) * step) / none
    variance = square - mean * mean
    return Belief(mean * mean / variance, mean / variance)


def hinted(belief: Belief, since: float, *, worth: float = HINT) -> Belief:
    """Take a hint that a page changes once in `since` seconds, or has not changed for so long.

    What is not positive is no hint.
    """
    return Belief(belief.shape + worth, belief.time + worth * since) if since > 0.0 else belief


def bias_reduced(visits: int, changes: int, interval: float) -> float:
    """Return Cho and Garcia-Molina's estimate of the rate, from visits at one interval."""
    return -log((visits - changes + 0.5) / (visits + 0.5)) / interval


def level_of(rate: float) -> int:
    """Return the level of a rate of change."""
    return min(LEVELS - 1, max(0, round(PER_OCTAVE * log2(rate / SLOWEST)))) if rate > 0.0 else 0


def rate_of(level: int) -> float:
    """Return the rate that stands for a level."""
    return SLOWEST * exp2(level / PER_OCTAVE)


def value(rate: float, interval: float, patience: float) -> float:
    """Return what a visit of a page is worth, in seconds of being up to date.

    Args:
        rate: of change.
        interval: seconds since its last visit.
        patience: T above, seconds of age that cost as much as being out of date.
    """
    changes = rate * interval
    if changes < 1e-3:  # the series: the differences below would be noise
        return interval * changes * (0.5 - changes / 3) + interval**2 * changes / 3 / patience
    gain = 1 - (1 + changes) * exp(-changes)
    return gain / rate + (interval**2 / 2 - gain / rate**2) / patience


def credited(credit: float, share: float, *, again: bool) -> float:
    """Return what later visits are owed after a request: once it is 1, the next one is theirs.

    Args:
        credit: before it.
        share: of all requests, where there are first visits as well.
        again: whether it was a later visit.
    """
    return max(0.0, min(2.0, credit + share - again))


class Allotment:
    """Shares out a budget: for each level of rates, the interval between two visits."""

    def __init__(self, least: float, average: float, most: float) -> None:
        """Prepare; this takes some 10 ms.

        Args:
            least: seconds between two visits of a page, at least.
            average: over all pages; the budget. Held within the other two.
            most: seconds between two visits of a page, at most.
        """
        self.least = max(1.0, least)
        self.most = max(self.least, most)
        self.average = min(self.most, max(self.least, average))
        growth: float = (self.most / self.least) ** (1 / STEPS)
        self._steps = [self.least * growth**step for step in range(STEPS)] + [self.most]
        rates = [rate_of(level) for level in range(LEVELS)]
        self._values = [[value(rate, step, self.average) for step in self._steps] for rate in rates]

    def intervals(self, counts: Sequence[int]) -> list[float]:
        """Return the interval of each level that spends the budget on so many pages of each.

        Where there are no pages yet, those that would come are taken to be as the prior has them.
        """
        there = [(level, count) for level, count in enumerate(counts) if count > 0]
        there = there or [(level_of(PRIOR.rate), 1)]
        budget = sum(count for _, count in there) / self.average
        low, high = 1e-6, 2 * self.most * (1 + self.most / self.average)
        for _ in range(50):
            price = (low * high) ** 0.5
            spent = sum(count / self._interval(level, price) for level, count in there)
            if spent > budget:
                low = price
            else:
                high = price
        return [self._interval(level, high) for level in range(LEVELS)]

    def _interval(self, level: int, price: float) -> float:
        """The time at which a visit is worth the price, within the bounds, between two steps by line."""
        values = self._values[level]
        at = bisect_left(values, price)
        if at == 0:
            return self.least
        if at > STEPS:
            return self.most
        below, above = values[at - 1], values[at]
        part = (price - below) / (above - below)
        return self._steps[at - 1] + part * (self._steps[at] - self._steps[at - 1])
