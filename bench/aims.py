"""The table of aims: each line holds the median of some runs of spiderd against a peer, a bound or a limit.

All runs that the wanted lines need are made once a round, one after the other, so that every line compares
figures of the same series. A line is reached where its ratio is at least what it should be, or its figure at
most, and every run of spiderd for it was complete.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bench.runs import ONCE, RUNS, Bench, Row

HEADER = (
    "| workload | format | spiderd: median (range) | peer: median (range) | ratio | aim | reached |\n"
    "|---|---|---|---|---|---|---|"
)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table.

    Where there is a `peer`, which is a run, too, the ratio of both figures is to be at least `aim`; where
    there is a `bound` instead, the figure's share of it; where neither, the figure is to be at most `aim`.
    """

    name: str
    workload: str
    run: str
    aim: float
    peer: str = ""
    bound: float = 0.0
    bound_is: str = ""
    figure: str = "pps"
    unit: str = "pages/s"
    archive: str = "files"
    digits: int = 0

    @property
    def runs(self) -> list[str]:
        """Names of the runs that it is made of."""
        return [self.run, self.peer] if self.peer else [self.run]


LINES = [
    Line("wget", "mix5k against wget", "mix5k", 1.0, "mix5k wget"),
    Line("warc", "mix5k against wget", "mix5k warc", 1.2, "mix5k wget", archive="warc"),
    Line("scrapy", "mix5k against Scrapy with JOBDIR", "mix5k", 10.0, "mix5k scrapy-jobdir"),
    Line("many40", "many40 against wget", "many40", 1.0, "many40 wget"),
    Line("docs20k", "docs20k against wget2", "docs20k", 1.0, "docs20k wget2"),
    Line("tls", "mix5k over TLS against wget", "mix5k tls", 1.0, "mix5k tls wget"),
    Line("gzip", "mix5k, gzip, against wget2", "mix5k gzip", 1.0, "mix5k gzip wget2"),
    Line("late", "1 host, 50 ms", "late", 0.9, bound=640, bound_is="connections/latency"),
    Line(
        "polite",
        "1,000 hosts, delay 1 s",
        "polite",
        0.95,
        bound=1000,
        bound_is="hosts/delay",
        figure="rate",
        unit="requests/s",
    ),
    Line("polite-cpu", "the same: CPU", "polite", 0.3, figure="core", unit="cores", digits=2),
    Line("known", "mix5k, 10 million known against 10 thousand", "10M known", 0.85, "10k known"),
    Line("memory", "docs20k: peak of all processes", "docs20k", 250.0, figure="pss_mb", unit="MiB (PSS)"),
    Line("idle", "idle daemon", "rest", 0.005, figure="idle", unit="cores", archive="-", digits=4),
    Line("help", "start of `spiderd --help`", "rest", 150.0, figure="help_ms", unit="ms", archive="-"),
    Line("status", "start of `spiderd status`", "rest", 250.0, figure="status_ms", unit="ms", archive="-"),
]


def wanted(names: Sequence[str]) -> list[Line]:
    """The lines of these names; all where none is given.

    Raises:
        SystemExit: there is no such line.
    """
    unknown = set(names) - {line.name for line in LINES}
    if unknown:
        there = ", ".join(line.name for line in LINES)
        raise SystemExit(f"There is no line {', '.join(sorted(unknown))}; there are: {there}.")
    return [line for line in LINES if not names or line.name in names]


def series(bench: Bench, lines: Sequence[Line], rounds: int) -> Iterator[Row]:
    """Make all runs, a round after the other; what is not complete is said aloud."""
    needed = list(dict.fromkeys(run for line in lines for run in line.runs))
    for number in range(rounds):
        for name in needed:
            if number and name in ONCE:
                continue
            row = {**RUNS[name](bench), "run": name, "round": number}
            told = [f"{key} {row[key]}" for key in ("pages", "truth", "wall", "cpu", "skipped") if key in row]
            print(f"round {number}, {name}: {', '.join(told)}", file=sys.stderr, flush=True)
            for complaint in row.get("complaints", ()):
                print(f"  {complaint}", file=sys.stderr)
            yield row


def table(rows: Iterable[Row], lines: Sequence[Line]) -> Iterator[str]:
    """Markdown, with notes on what the figures leave out."""
    by_run: dict[str, list[Row]] = {}
    for row in rows:
        by_run.setdefault(row["run"], []).append(row)
    yield HEADER
    for line in lines:
        yield _line(line, by_run)
    yield ""
    yield from _notes(by_run)


def _line(line: Line, by_run: dict[str, list[Row]]) -> str:
    left = [row for row in by_run.get(line.run, []) if "skipped" not in row]
    right = [row for row in by_run.get(line.peer, []) if "skipped" not in row]
    if not left or (line.peer and not right):
        return f"| {line.workload} | {line.archive} | - | - | - | {_aim(line)} | not measured |"
    ours, theirs = [row[line.figure] for row in left], [row[line.figure] for row in right]
    against = statistics.median(theirs) if theirs else line.bound
    ratio = statistics.median(ours) / against if against else 0.0
    reached = ratio >= line.aim if against else statistics.median(ours) <= line.aim
    cells = [
        line.workload,
        line.archive,
        f"{_spread(ours, line.digits)} {line.unit}",
        _spread(theirs, line.digits)
        if theirs
        else f"{line.bound:,.0f} ({line.bound_is})"
        if against
        else "-",
        f"{ratio:.2f}" if against else "-",
        _aim(line),
        _verdict(left, reached=reached),
    ]
    return f"| {' | '.join(cells)} |"


def _spread(values: list[float], digits: int) -> str:
    middle = f"**{statistics.median(values):,.{digits}f}**"
    if len(values) == 1:
        return middle
    return f"{middle} ({min(values):,.{digits}f}-{max(values):,.{digits}f})"


def _aim(line: Line) -> str:
    return f"at least {line.aim:g}" if line.peer or line.bound else f"at most {line.aim:g}"


def _verdict(runs: list[Row], *, reached: bool) -> str:
    if not all(row["complete"] for row in runs):
        return "**no: runs are incomplete**"
    return "yes" if reached else "**no**"


def _notes(by_run: dict[str, list[Row]]) -> Iterator[str]:
    """Yield what each run has stored, with CPU and memory: whoever leaves out pages is not faster for it."""
    yield "| run | runs | pages stored | wall s | CPU s | peak RSS MiB | peak PSS MiB | connections |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, rows in by_run.items():
        if skipped := next((row["skipped"] for row in rows if "skipped" in row), ""):
            yield f"| {name} | 0 | {skipped} | | | | | |"
            continue
        pages = " / ".join(sorted({f"{row['pages']:,}" for row in rows}))
        cells = [name, f"{len(rows)}", f"{pages} of {rows[0]['truth']:,}"]
        for key, digits in (("wall", 2), ("cpu", 2), ("rss_mb", 0), ("pss_mb", 0), ("conns", 0)):
            values = [row[key] for row in rows if key in row]
            cells.append(f"{statistics.median(values):,.{digits}f}" if values else "")
        yield f"| {' | '.join(cells)} |"
    for row in by_run.get("rest", []):
        yield f"\nidle, ms of CPU by process: {row['idle_ms']}; `python -c pass`: {row['python_ms']:.0f} ms"
    for row in by_run.get("late", []) + by_run.get("polite", []):
        yield f"\n{row['run']}: the server took {row['server_core']:.0%} of a core; {row['server']}"
