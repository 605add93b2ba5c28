"""Runs crawlers on workloads of the bed, interleaved, and prints medians as Markdown.

    python -m bench.compare --bench DIR [--work DIR] [--rounds N] [--workloads NAME ...] [--peers NAME ...]
    python -m bench.compare --bench DIR --aims [--only NAME ...]    # the table of aims: bench.aims
    python -m bench.compare --bench DIR --scaling                   # more processes; a model of more cores
    python -m bench.compare --bench DIR [--aims] --from ROWS.jsonl  # the tables of an earlier series again

A peer is `spiderd`, `spiderd:KEY=VALUE[,KEY=VALUE]` (with settings), or one that the bed's own runner knows
(wget, wget2, scrapy, scrapy-jobdir, httrack, floor, ...). Only ratios within one series count: machines have
moods, so every peer runs once a round. Rows are appended to WORK/compare-TIME.jsonl as they come.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bench import aims, scaling
from bench.bed import Options, add_bed_options, crawl
from bench.peers import by_runner
from bench.runs import Bench
from bench.truth import Bed
from spiderd.parse import scan

Row = dict[str, Any]

WORKLOADS = ["mix5k", "many40", "docs20k"]
PEERS = ["spiderd", "wget", "scrapy"]
HEADER = (
    "| crawler | runs | pages | pages/s: median (range) | spiderd is | wall s | CPU s | peak MiB | conns |\n"
    "|---|---|---|---|---|---|---|---|---|"
)


def run_ours(bed: Bed, workload: str, peer: str, threads: int, timeout: float) -> Row:
    """One run of spiderd; what is not complete is said aloud."""
    settings = tuple(setting for setting in peer.partition(":")[2].split(",") if setting)
    row, verdict = crawl(bed, workload, Options(threads=threads, settings=settings, timeout=timeout))
    for line in verdict.complaints(3):
        print(f"  {line}", file=sys.stderr)
    return {**row, "peer": peer}


def series(bed: Bed, given: argparse.Namespace) -> Iterator[Row]:
    """Run everything, a round after the other."""
    for workload in given.workloads:
        for number in range(given.rounds):
            for peer in given.peers:
                if peer.partition(":")[0] == "spiderd":
                    row = run_ours(bed, workload, peer, given.threads, given.timeout)
                else:
                    row = by_runner(bed, workload, peer, threads=given.threads, timeout=given.timeout)
                row |= {"round": number}
                text = "{workload} round {round}: {peer} {pages}/{truth} pages, {wall:.2f} s, exit {rc}"
                print(text.format(**row), file=sys.stderr, flush=True)
                yield row


def tables(rows: Iterable[Row]) -> Iterator[str]:
    """Markdown, a table a workload; the factor says how many times a peer's pages a second spiderd has."""
    by_workload: dict[str, dict[str, list[Row]]] = {}
    for row in rows:
        by_workload.setdefault(row["workload"], {}).setdefault(row["peer"], []).append(row)
    for workload, peers in by_workload.items():
        first = next(iter(peers.values()))[0]
        ours = _median(peers["spiderd"], "pps") if "spiderd" in peers else 0.0
        yield f"\n**{workload}**: {first['truth']:,} pages\n"
        yield HEADER
        for peer, runs in sorted(peers.items(), key=lambda item: -_median(item[1], "pps")):
            yield _line(peer, runs, ours)


def _line(peer: str, runs: list[Row], ours: float) -> str:
    speeds = [row["pps"] for row in runs]
    factor = f"{ours / statistics.median(speeds):.2f} x" if ours and peer != "spiderd" else ""
    cells = [
        peer,
        f"{len(runs)}",
        " / ".join(sorted({f"{row['pages']:,}" for row in runs})),
        f"**{statistics.median(speeds):,.0f}** ({min(speeds):,.0f}-{max(speeds):,.0f})",
        factor,
        f"{_median(runs, 'wall'):.2f}",
        f"{_median(runs, 'cpu'):.2f}",
        f"{_median(runs, 'rss_mb'):.0f}",
        f"{_median(runs, 'conns'):.0f}",
    ]
    return f"| {' | '.join(cells)} |"


def _median(runs: list[Row], key: str) -> float:
    return float(statistics.median(row[key] for row in runs))


def machine() -> str:
    """The machine in a line: without it, figures say little."""
    cpu = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.machine(),
    )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    code = "" if scan.__file__.endswith(".py") else ", compiled"
    return (
        f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores ({cpu}), {memory:.0f} GiB, "
        f"{platform.system()} {platform.release()}, Python {platform.python_version()}{code}"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.compare", description=__doc__.split("\n")[0])
    add_bed_options(parser)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workloads", nargs="+", default=WORKLOADS)
    parser.add_argument("--peers", nargs="+", default=PEERS)
    parser.add_argument("--aims", action="store_true", help="the table of aims instead")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="lines of the table of aims")
    parser.add_argument("--scaling", action="store_true", help="the model of more cores instead")
    parser.add_argument("--threads", type=int, default=32, help="and connections, for all that have several")
    parser.add_argument("--timeout", type=float, default=400.0)
    parser.add_argument("--from", dest="source", type=Path, help="rows of an earlier series")
    return parser.parse_args()


def kept(rows: Iterable[Row], file: Path) -> Iterator[Row]:
    """Append rows to a file as they come."""
    with file.open("a") as out:
        for row in rows:
            row["machine"] = machine()
            out.write(json.dumps(row) + "\n")
            out.flush()
            yield row


def main() -> None:
    """Run a series, or read one, and print its tables."""
    given = _options()
    bed = Bed(given.bench, given.work)
    bench = Bench(bed, given.threads, given.timeout)
    lines = aims.wanted(given.only)
    kind = "aims" if given.aims else "scaling" if given.scaling else "compare"
    if given.source:
        rows = [json.loads(line) for line in given.source.read_text().splitlines()]
    else:
        if given.aims:
            made = aims.series(bench, lines, given.rounds)
        elif given.scaling:
            made = scaling.series(bench, given.rounds)
        else:
            made = series(bed, given)
        rows = list(kept(made, bed.work / f"{kind}-{time.strftime('%Y%m%d-%H%M%S')}.jsonl"))
    print(rows[0]["machine"] + "\n")
    written = aims.table(rows, lines) if given.aims else scaling.told(rows) if given.scaling else tables(rows)
    print("\n".join(written))


if __name__ == "__main__":
    main()
