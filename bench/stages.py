"""The cost of a page by stage, as one Markdown table; of several versions of the program beside each other.

    python -m bench.stages --bench DIR [--work DIR] [--rounds N] [--tree NAME=FOLDER ...]

Each stage is measured alone, by the program that measures it (bench.fetch, bench.parse, bench.archive,
bench.ledger, bench.coordinator), in a process of its own; of the rounds the best counts, since other work on
the machine only ever makes them slower. `--tree before=FOLDER` is another checkout (`git worktree add FOLDER
COMMIT`) whose programs are run in turn with those of this one; what it does not have yet is left out.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bench.bed import ROOT, add_bed_options
from bench.truth import Bed

MIX = "{mix}"  # stands for the folder of pages
RUNS = "{runs}"  # stands for a folder that may be filled
NOTHING = "-"


@dataclass(frozen=True, slots=True)
class Program:
    """One program, and what its output says: name of the stage -> where its figure is."""

    arguments: tuple[str, ...]
    figures: dict[str, str]


PROGRAMS = [
    Program(
        ("bench.fetch", "--only", "ours,stock", "--requests", "4000", "--rounds", "1"),
        {
            "fetch: one GET, connection kept": r"^ours +cpu +([\d.]+)",
            "(instead: httpx as it comes, a client a worker)": r"^stock +cpu +([\d.]+)",
        },
    ),
    Program(
        ("bench.parse", MIX, "--rounds", "3", "--lxml"),
        {
            "parse: decode": r"^decode +([\d.]+)",
            "parse: collect references": r"^collect +([\d.]+)",
            "parse: resolve, hash and judge them": r"^judge, afresh +([\d.]+)",
            "parse: all": r"^whole +([\d.]+)",
            "(instead: lexbor's tree alone)": r"^tree +([\d.]+)",
            "(instead: lxml, //a/@href)": r"^lxml, \S+ +([\d.]+)",
        },
    ),
    Program(
        ("bench.archive", MIX, "--to", RUNS, "--rounds", "1"),
        {"archive: a file a page": r"^file +([\d.]+)", "archive: a record a page": r"^record +([\d.]+)"},
    ),
    Program(
        ("bench.ledger", "--known", "10000", "--rounds", "2"),
        {"store's thread, 10 thousand URLs known": r"^ *([\d.]+)  all"},
    ),
    Program(
        ("bench.ledger", "--known", "1000000", "--rounds", "2"),
        {"store's thread, 1 million URLs known": r"^ *([\d.]+)  all"},
    ),
    Program(("bench.coordinator",), {"daemon, all of it": r": (\d+) us of the daemon's CPU"}),
]


def measured(program: Program, tree: Path, bed: Bed) -> dict[str, float]:
    """Run a program of a tree; what it says, nothing where the tree does not have it."""
    stands_for = {MIX: str(bed.work / "www" / "mix"), RUNS: str(bed.work / "spiderd-runs")}
    arguments = [stands_for.get(argument, argument) for argument in program.arguments]
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        print(f"{tree}: {arguments[0]}: {done.stderr.strip()[-300:]}", file=sys.stderr)
    found = {name: re.search(where, done.stdout, re.MULTILINE) for name, where in program.figures.items()}
    return {name: float(match[1]) for name, match in found.items() if match}


def table(best: dict[str, dict[str, float]]) -> list[str]:
    """Markdown: a line a stage, a column a tree."""
    lines = [f"| us of CPU a page | {' | '.join(best)} |", "|---|" + "---|" * len(best)]
    for stage in (stage for program in PROGRAMS for stage in program.figures):
        cells = [f"{column[stage]:,.0f}" if stage in column else NOTHING for column in best.values()]
        lines.append(f"| {stage} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    """Measure all stages of all trees in turn, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.stages", description=__doc__.split("\n")[0])
    add_bed_options(parser)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tree", action="append", default=[], metavar="NAME=FOLDER")
    given = parser.parse_args()
    bed = Bed(given.bench, given.work)
    trees = {name: Path(folder).resolve() for name, _, folder in (tree.partition("=") for tree in given.tree)}
    trees["now"] = ROOT
    best: dict[str, dict[str, float]] = {name: {} for name in trees}
    for number in range(given.rounds):
        for program in PROGRAMS:
            for name, tree in trees.items():
                for stage, cost in measured(program, tree, bed).items():
                    best[name][stage] = min(cost, best[name].get(stage, cost))
            print(f"round {number}: {program.arguments[0]}", file=sys.stderr, flush=True)
    print("\n".join(table(best)))


if __name__ == "__main__":
    main()
