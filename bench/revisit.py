"""How up to date pages are under a schedule of visits: ours beside uniform and proportional ones, one budget.

usage: python -m bench.revisit [--pages N] [--days N] [--average DAYS] [--seed N] [--rates lognormal|gamma]

Each page changes as a Poisson process of its own rate, which schedulers do not know: a visit tells whether
the page has changed since the last one, nothing else. Freshness is the part of the time in which a page is as
it was at its last visit, age how long it has not been (0 while it is), both averaged over pages and over the
second half of the time, exactly (no sampling). All schedules have the same budget and the same bounds.

    uniform              each page as often as any other
    proportional         each as often as it changes, by the same estimates as ours
    proportional, told   likewise, by the true rates
    ours                 `spiderd.schedule.revisit`, estimates and prices as in the daemon
    ours, told           likewise, by the true rates: what could be had at best
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from heapq import heapify, heapreplace
from typing import NamedTuple

import numpy as np

from spiderd.schedule.revisit import DAY, HOUR, LEVELS, PRIOR, Allotment, level_of, observed, rate_of

LEAST, MOST = HOUR, 30 * DAY
PRICED_EVERY = 0.01  # of the pages, in visits: how often prices are looked at again

Plan = Callable[[Sequence[int]], list[float]]
"""From the number of pages of each level to the interval of each level."""


class Result(NamedTuple):
    """What a schedule has come to."""

    freshness: float
    age: float  # seconds
    spent: float  # visits, as a part of the budget


class World:
    """Pages with rates of change, and the time for which they are watched."""

    def __init__(self, pages: int, days: float, average: float, seed: int, rates: str = "lognormal") -> None:
        self.chance = np.random.default_rng(seed)
        if rates == "gamma":
            drawn = self.chance.gamma(0.5, 0.2, pages)  # a change in ten days on average
        else:
            drawn = np.exp(self.chance.normal(np.log(1 / 20), 1.75, pages))  # the median: one in 20 days
        self.rates = np.maximum(drawn / DAY, 1e-12)
        self.pages, self.end, self.average = pages, days * DAY, average * DAY
        self.begin = self.end / 2  # of what counts
        self.first = self.chance.uniform(0, self.average, pages)  # when each was crawled

    def visit(self, plan: Plan, *, told: bool) -> Result:
        """Run a schedule: after each visit a page is due again after the interval of its level."""
        rates, last = self.rates.tolist(), self.first.tolist()
        beliefs = [PRIOR] * self.pages
        levels = [level_of(rate) for rate in rates] if told else [level_of(PRIOR.rate)] * self.pages
        counts = np.bincount(levels, minlength=LEVELS).tolist()
        intervals = plan(counts)
        due = [(last[page] + intervals[levels[page]], page) for page in range(self.pages)]
        heapify(due)
        fresh = aged = 0.0
        visits, until_priced = 0, int(self.pages * PRICED_EVERY)
        draws = self._draws()
        while due[0][0] < self.end:
            now, page = due[0]
            changed_at = last[page] + next(draws) / rates[page]  # the first change since the last visit
            if now > self.begin:
                visits += 1
                began = max(last[page], self.begin)
                fresh += max(0.0, min(now, changed_at) - began)
                aged += _aged(changed_at, began, now)
            if not told:
                beliefs[page] = observed(beliefs[page], now - last[page], changed=changed_at < now)
                level = level_of(beliefs[page].rate)
                counts[levels[page]] -= 1
                counts[level] += 1
                levels[page] = level
                until_priced -= 1
                if not until_priced:
                    intervals, until_priced = plan(counts), max(1, int(self.pages * PRICED_EVERY))
            last[page] = now
            heapreplace(due, (now + intervals[levels[page]], page))
        return self._result(fresh, aged, visits, np.array(last))

    def _draws(self) -> Iterator[float]:
        while True:
            yield from self.chance.exponential(1.0, 100_000).tolist()

    def uniform(self) -> Result:
        """Each page at the average interval."""
        return self.visit(lambda _: [self.average] * LEVELS, told=True)

    def _result(self, fresh: float, aged: float, visits: int, last: np.ndarray) -> Result:
        """Add what there is between the last visits and the end."""
        changed_at = last + self.chance.exponential(1.0, self.pages) / self.rates
        began = np.maximum(last, self.begin)
        fresh += float(np.maximum(0.0, np.minimum(self.end, changed_at) - began).sum())
        aged += float(sum(map(_aged, changed_at.tolist(), began.tolist(), [self.end] * self.pages)))
        watched = self.pages * (self.end - self.begin)
        return Result(fresh / watched, aged / watched, visits * self.average / watched)


def _aged(changed_at: float, began: float, now: float) -> float:
    """The integral of the age between two moments."""
    if changed_at >= now:
        return 0.0
    return ((now - changed_at) ** 2 - max(0.0, began - changed_at) ** 2) / 2


def proportional(average: float) -> Plan:
    """Visit each page as often as it changes, times what the budget allows, within the bounds."""

    def plan(counts: Sequence[int]) -> list[float]:
        there, rates = np.array(counts), np.array([rate_of(level) for level in range(LEVELS)])
        low, high = 1e-6, 1e6
        for _ in range(60):
            factor = (low * high) ** 0.5
            if (there / np.clip(factor / rates, LEAST, MOST)).sum() > there.sum() / average:
                low = factor
            else:
                high = factor
        intervals: list[float] = np.clip(high / rates, LEAST, MOST).tolist()
        return intervals

    return plan


def schedules(world: World) -> dict[str, Callable[[], Result]]:
    """What is compared, by name."""
    ours = Allotment(LEAST, world.average, MOST).intervals
    share = proportional(world.average)
    return {
        "uniform": world.uniform,
        "proportional": lambda: world.visit(share, told=False),
        "proportional, told": lambda: world.visit(share, told=True),
        "ours": lambda: world.visit(ours, told=False),
        "ours, told": lambda: world.visit(ours, told=True),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--days", type=float, default=180.0)
    parser.add_argument("--average", type=float, default=7.0, help="days between two visits of a page")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rates", choices=["lognormal", "gamma"], default="lognormal")
    chosen = parser.parse_args()
    world = World(chosen.pages, chosen.days, chosen.average, chosen.seed, chosen.rates)
    print(f"{chosen.pages:,} pages, {chosen.rates}, {chosen.days:g} days, a visit in {chosen.average:g} days")
    print(f"{'':20}{'freshness':>10}{'age, days':>11}{'budget spent':>14}{'seconds':>9}")
    results = {}
    for name, run in schedules(world).items():
        began = time.perf_counter()
        results[name] = result = run()
        took = time.perf_counter() - began
        print(f"{name:20}{result.freshness:10.4f}{result.age / DAY:11.3f}{result.spent:14.3f}{took:9.1f}")
    ours = results["ours"]
    others = [results[name] for name in ("uniform", "proportional", "proportional, told")]
    beaten = all(ours.freshness > other.freshness and ours.age < other.age for other in others)
    print("ours beats uniform and proportional in both" if beaten else "ours does NOT beat them all")
    raise SystemExit(not beaten)


if __name__ == "__main__":
    main()
