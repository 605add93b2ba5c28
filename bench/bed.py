"""Crawls a workload of the bed with spiderd, measures it, and holds the result against the ground truth.

    python -m bench.bed mix5k --bench DIR [--work DIR] [--processes N] [--threads N] [--set KEY=VALUE ...]

The bed (real pages on nginx, loopback) is described in its own README. The whole process is measured,
start-up and clean end included. Afterwards every page that the truth lists must have been stored once, byte
for byte as it lies on the server's disk, and nothing else; exit status 1 if not.

Nothing is deleted: each run has a new folder. Deleting a large tree makes ext4 slow at creating files for
minutes afterwards, and that would be measured. `--tidy` deletes the folders of all earlier runs, and ends.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.measure import Measured, measure
from bench.stored import Verdict, examine
from bench.truth import Bed

ROOT = Path(__file__).parents[1]
OURS = (sys.executable, "-m", "spiderd")
MIB = 1024 * 1024


@dataclass(frozen=True)
class Options:
    """How a workload is crawled."""

    threads: int = 32
    processes: str = "auto"
    archive: str = "files"
    command: tuple[str, ...] = ()  # empty: the one of this checkout
    timeout: float = 400.0
    settings: tuple[str, ...] = field(default=())
    store: Path | None = None  # a store to begin with, which is copied
    env: tuple[tuple[str, str], ...] = ()  # more of the environment


def configuration(bed: Bed, workload: str, options: Options) -> str:
    """The configuration of a run: the bed's rule, no waiting, everything else as it is by default."""
    processes = options.processes if options.processes.isdigit() else json.dumps(options.processes)
    return f"""[crawl]
seeds = {json.dumps(bed.seeds(workload))}
threads = {options.threads}
processes = {processes}

[scope]
follow = "host"
include = {json.dumps([bed.follow])}

[politeness]
delay = "0s"
latency_factor = 0.0
per_host = {options.threads}
per_ip = {options.threads}

[fetch]
types = ["text/html", "application/octet-stream"] # nginx's word for a file that is called ".html"

[archive]
format = {json.dumps(options.archive)}

[search]
enabled = false
"""


def new_folder(work: Path, name: str) -> Path:
    """A folder for a run that no other has."""
    folder = work / "spiderd-runs" / f"{name}-{time.time_ns()}"
    folder.mkdir(parents=True)
    return folder


def start(folder: Path, options: Options, configuration: str) -> Measured:
    """Crawl in a folder once, from start to clean end; where that fails, tell what spiderd has said last."""
    config = folder / "config.toml"
    config.write_text(configuration)
    run = measure(
        [
            *(options.command or OURS),
            *("start", "--once", "--config", config, "--data-dir", folder / "data"),
            *("--log-level", "warning"),
            *(part for setting in options.settings for part in ("--set", setting)),
        ],
        cwd=folder,
        log=folder / "log",
        timeout=options.timeout,
        env=environment(dict(options.env), ours=not options.command),
    )
    if run.exit_code:
        sys.stderr.write((folder / "log").read_text()[-2000:])
    return run


def environment(more: dict[str, str], *, ours: bool = True) -> dict[str, str]:
    """The environment of a run; the spiderd of this checkout is found by it."""
    return {**os.environ, **({"PYTHONPATH": str(ROOT)} if ours else {}), **more}


def figures(run: Measured, pages: int) -> dict[str, Any]:
    """What a run took, as it is kept."""
    return {
        "wall": round(run.wall, 3),
        "cpu": round(run.user + run.system, 3),
        "cpu_of": {name: round(seconds, 2) for name, seconds in run.cpu_of.items()},
        "rss_mb": round(run.peak_rss / MIB, 1),
        "pss_mb": round(run.peak_pss / MIB, 1),
        "anon_mb": round(run.peak_anon / MIB, 1),
        "pages": pages,
        "pps": round(pages / run.wall, 1),
        "rc": run.exit_code,
        "timed_out": run.timed_out,
    }


def crawl(bed: Bed, workload: str, options: Options) -> tuple[dict[str, Any], Verdict]:
    """Crawl a workload once; the figures, and what is wrong."""
    folder = new_folder(bed.work, workload)
    if options.store is not None:
        shutil.copytree(options.store, folder / "data" / "store")
    os.sync()
    bed.warm(bed.truth(workload))
    before = bed.served()
    run = start(folder, options, configuration(bed, workload, options))
    after = bed.served()
    verdict = examine(folder / "data", bed, workload)
    row = {
        "workload": workload,
        "peer": "spiderd",
        **figures(run, verdict.pages),
        "truth": verdict.truth,
        "complete": verdict.complete,
        "requests": after.requests - before.requests - 1,
        "conns": after.connections - before.connections - 1,
        "folder": str(folder),
    }
    return row, verdict


def tidy(bed: Bed) -> None:
    """Delete the folders of all runs."""
    shutil.rmtree(bed.work / "spiderd-runs", ignore_errors=True)


def add_bed_options(parser: argparse.ArgumentParser) -> None:
    """Add what says where the bed is."""
    parser.add_argument("--bench", type=Path, required=True, help="folder of the bed's programs")
    parser.add_argument(
        "--work", type=Path, default=Path("~/.cache/spider-bench"), help="folder of its corpus"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.bed", description=__doc__.split("\n")[0])
    parser.add_argument("workload", nargs="?")
    add_bed_options(parser)
    parser.add_argument("--threads", type=int, default=32)
    parser.add_argument("--processes", default="auto")
    parser.add_argument("--format", default="files", choices=["files", "warc"])
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="handed to spiderd")
    parser.add_argument("--command", nargs="+", default=[], help="another spiderd")
    parser.add_argument("--timeout", type=float, default=Options.timeout)
    parser.add_argument("--json", type=Path, help="append the figures to this file, a line a run")
    parser.add_argument("--tidy", action="store_true", help="delete what earlier runs have left, and end")
    return parser.parse_args()


def main() -> int:
    """Crawl once and print what came of it."""
    given = _options()
    bed = Bed(given.bench, given.work)
    if given.tidy:
        tidy(bed)
        return 0
    if given.workload not in bed.workloads:
        raise SystemExit(f"There is no workload {given.workload}; there are: {', '.join(bed.workloads)}.")
    options = Options(
        given.threads, given.processes, given.format, tuple(given.command), given.timeout, tuple(given.set)
    )
    row, verdict = crawl(bed, given.workload, options)
    print(
        "{workload}: {pages}/{truth} pages, {wall:.2f} s, {pps:.0f} pages/s, CPU {cpu:.2f} s, "
        "peak {pss_mb:.0f} MiB (resident {rss_mb:.0f}, anonymous {anon_mb:.0f}), "
        "{requests} requests, {conns} connections, exit {rc}".format(**row),
        f"{verdict.duplicates} pages are duplicates; statuses {dict(sorted(verdict.statuses.items()))}",
        *verdict.complaints(10),
        f"see {row['folder']}",
        sep="\n  ",
    )
    if given.json:
        with given.json.open("a") as file:
            file.write(json.dumps(row) + "\n")
    return 0 if verdict.complete and not run_failed(row) else 1


def run_failed(row: dict[str, Any]) -> bool:
    """Whether the crawler itself says that it has failed."""
    return bool(row["rc"] or row["timed_out"])


if __name__ == "__main__":
    sys.exit(main())
