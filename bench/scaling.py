"""How a crawl grows with fetcher processes and cores: measured here, and a model of what cannot be.

A crawl of N pages by K fetcher processes on C cores takes

    wall = start + N / min(1 / d,  K / f,  C / (d + f + s))

`start` is what a crawl of one page takes, `d` the seconds of CPU a page in the daemon's process, `f` in the
fetchers', `s` in the web server, where it shares the machine. The three rates are those of the parts that can
bind: the daemon is one process with one loop (its store's thread releases the interpreter only in LMDB), so
it counts as one core; fetchers are K of them; nobody gets more than there is. With processes = 0 daemon and
fetchers are one process: d + f on one core. Nothing is fitted: all three are taken from the account of the
operating system in the runs that are explained, so the error beside each run is what the model leaves out
(waiting for commits, for the last pages, for the scheduler).

What 8 and 32 cores would do is the same formula, the web server elsewhere, one core left to the daemon, and
`d` as bench.coordinator measures it, with fetchers that fetch nothing: nothing of it is waiting. The median
of measured over foretold in the runs here is given as what to expect of such a figure.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bench.bed import ROOT, Options, configuration, crawl, environment, figures, new_folder, start
from bench.measure import TICK
from bench.runs import Bench, Row

WORKLOAD = "mix5k"
PROCESSES = (0, 1, 2, 3)
MORE_CORES = (8, 32)
FETCHER = "spiderd-fetcher"
FIGURE = re.compile(r"(\d+) us of the daemon's CPU a page")


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds: of start and end, and of CPU a page in each part."""

    start: float
    daemon: float
    fetcher: float
    server: float

    def rates(self, processes: int, cores: float) -> dict[str, float]:
        """Pages a second that each part allows."""
        both = self.daemon + self.fetcher
        bounds = (
            {"daemon": 1 / self.daemon, "fetchers": processes / self.fetcher}
            if processes
            else {"one process": 1 / both}
        )
        return {**bounds, "cores": cores / (both + self.server)}

    def wall(self, pages: int, processes: int, cores: float) -> float:
        """Seconds of a crawl."""
        return self.start + pages / min(self.rates(processes, cores).values())


def series(bench: Bench, rounds: int) -> Iterator[Row]:
    """Crawl one page and all of them with each number of processes, round by round; then the coordinator."""
    for number in range(rounds):
        for processes in PROCESSES:
            options = Options(bench.threads, str(processes), timeout=bench.timeout)
            for limit, run in ((1, _one_page), (0, _all_pages)):
                before = _server_cpu(bench.bed.work)
                row = run(bench, options)
                server = _server_cpu(bench.bed.work) - before
                row |= {"processes": processes, "limit": limit, "server": round(server, 2), "round": number}
                text = "round {round}, {processes} processes: {pages} pages, {wall} s, CPU {cpu} {cpu_of}"
                print(text.format(**row), file=sys.stderr, flush=True)
                yield row
        yield {"coordinator": _coordinator(), "round": number}


def _one_page(bench: Bench, options: Options) -> Row:
    configured = configuration(bench.bed, WORKLOAD, options)
    options = replace(options, settings=("crawl.max_pages=1",))
    return figures(start(new_folder(bench.bed.work, "one-page"), options, configured), 1)


def _all_pages(bench: Bench, options: Options) -> Row:
    return crawl(bench.bed, WORKLOAD, options)[0]


def told(rows: Iterable[Row]) -> Iterator[str]:
    """The runs beside the model, and the model beyond them, as Markdown."""
    rows = list(rows)
    alone = statistics.median(row["coordinator"] for row in rows if "coordinator" in row) / 1e6
    crawls = [row for row in rows if "coordinator" not in row]
    cores = os.cpu_count() or 1
    points = {processes: _costs(crawls, processes) for processes in PROCESSES}
    yield (
        "| processes | start s | daemon us | fetchers us | server us | wall s | model | pages/s "
        "| model | binds |\n|---|---|---|---|---|---|---|---|---|---|"
    )
    kept = []
    for processes, costs in points.items():
        whole = [row for row in crawls if row["processes"] == processes and not row["limit"]]
        wall, pages = _median(whole, "wall"), round(_median(whole, "pages"))
        foretold = costs.wall(pages, processes, cores)
        kept.append(foretold / wall)
        parts = (costs.daemon, costs.fetcher, costs.server)
        yield (
            f"| {processes} | {costs.start:.2f} | {' | '.join(f'{part * 1e6:.0f}' for part in parts)} "
            f"| {wall:.2f} | {foretold:.2f} | {pages / wall:,.0f} | {pages / foretold:,.0f} "
            f"| {_binds(costs.rates(processes, cores))} |"
        )
    share = statistics.median(kept)
    yield f"\nMeasured is {share:.0%} of the model (median; {min(kept):.0%} to {max(kept):.0%})."
    yield from _beyond(points[2], alone, share)


def _beyond(here: Costs, alone: float, share: float) -> Iterator[str]:
    """Yield what more cores would do; the fetchers' cost is that with two processes."""
    yield (
        f"The daemon alone (bench.coordinator): {alone * 1e6:.0f} us a page, so {1 / alone:,.0f} pages/s.\n\n"
        "| cores | fetchers | daemon allows | fetchers allow | cores allow | model | expected | binds |\n"
        "|---|---|---|---|---|---|---|---|"
    )
    costs = Costs(here.start, alone, here.fetcher, 0.0)
    for cores in MORE_CORES:
        rates = costs.rates(cores - 1, cores)
        least = min(rates.values())
        yield (
            f"| {cores} | {cores - 1} | {rates['daemon']:,.0f} | {rates['fetchers']:,.0f} "
            f"| {rates['cores']:,.0f} | {least:,.0f} | {least * share:,.0f} | {_binds(rates)} |"
        )
    yield f"\nThe daemon binds first from {costs.fetcher / costs.daemon:.1f} fetchers on."


def _costs(crawls: list[Row], processes: int) -> Costs:
    rows = [row for row in crawls if row["processes"] == processes]
    one = [row for row in rows if row["limit"]]
    whole = [row for row in rows if not row["limit"]]
    pages = _median(whole, "pages")

    def part(key: str) -> float:
        return max(0.0, _median(whole, key) - _median(one, key)) / pages

    for row in rows:
        row["fetchers"] = row["cpu_of"].get(FETCHER, 0.0)
        row["daemon"] = row["cpu"] - row["fetchers"]
    return Costs(_median(one, "wall"), part("daemon"), part("fetchers"), part("server"))


def _median(rows: list[Row], key: str) -> float:
    return float(statistics.median(row[key] for row in rows))


def _binds(rates: dict[str, float]) -> str:
    return min(rates, key=rates.__getitem__)


def _coordinator() -> float:
    """Microseconds of the daemon's CPU a page, with fetchers that fetch nothing."""
    command = [sys.executable, "-m", "bench.coordinator"]
    done = subprocess.run(command, env=environment({}), cwd=ROOT, check=True, capture_output=True, text=True)
    found = FIGURE.search(done.stdout)
    if found is None:
        raise SystemExit(f"bench.coordinator has said: {done.stdout}")
    return float(found[1])


def _server_cpu(work: Path) -> float:
    """Seconds of CPU that the bed's nginx has had."""
    master = int((work / "nginx" / "nginx.pid").read_text())
    spent = 0.0
    for child in Path(f"/proc/{master}/task/{master}/children").read_text().split():
        fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
        spent += (int(fields[11]) + int(fields[12])) * TICK
    return spent
