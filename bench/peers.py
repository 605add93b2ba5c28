"""Runs other crawlers on a workload of the bed, by the bed's own runner or behind a door.

The runner of the bed deletes its last output before a run, and on ext4 that slows down whoever comes next
(see bench.bed); so its output is moved aside first, and it finds nothing to delete.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.bed import figures, new_folder
from bench.measure import measure
from bench.truth import Bed

PAGES = (".html", ".htm")


def by_runner(bed: Bed, workload: str, peer: str, *, threads: int, timeout: float) -> dict[str, Any]:
    """One run of a crawler that the bed's own runner knows.

    Raises:
        SystemExit: the runner failed.
    """
    output, results = bed.work / "out", bed.work / "results.jsonl"
    if output.exists():
        aside = bed.work / "spiderd-runs"
        aside.mkdir(exist_ok=True)
        output.rename(aside / f"out-{time.time_ns()}")
    command = [sys.executable, "-B", str(bed.bench / "run.py"), workload, "1", peer]
    done = subprocess.run(
        [*command, "--work", str(bed.work), "--timeout", str(timeout)],
        env={**os.environ, "BENCH_CONC": str(threads)},
        check=False,
        stdout=subprocess.DEVNULL,
    )
    if done.returncode:
        raise SystemExit(f"The bed's runner failed on {peer}.")
    row: dict[str, Any] = json.loads(results.read_text().splitlines()[-1])
    return {**row, "pages": row["uniq"]}


def mirrored(
    bed: Bed, workload: str, peer: str, command: Sequence[str | Path], *, timeout: float
) -> dict[str, Any]:
    """One run of a crawler that mirrors into the folder it is started in; its .html files are its pages."""
    folder = new_folder(bed.work, f"{workload}-{peer}")
    os.sync()
    truth = bed.truth(workload)
    bed.warm(truth)
    output = folder / "out"
    output.mkdir()
    before = bed.served()
    run = measure(command, cwd=output, log=folder / "log", timeout=timeout)
    after = bed.served()
    pages = sum(name.endswith(PAGES) for _, _, names in os.walk(output) for name in names)
    return {
        "workload": workload,
        "peer": peer,
        **figures(run, pages),
        "truth": len(truth),
        "requests": after.requests - before.requests - 1,
        "conns": after.connections - before.connections - 1,
        "folder": str(folder),
    }


def wget(bed: Bed, workload: str, *more: str) -> list[str]:
    """The command line of wget, as the bed's runner has it."""
    return [
        *("wget", "-r", "-l", "inf", "-q", "-t", "1", "-x", "--follow-tags=a"),
        *("--regex-type=posix", "--accept-regex", bed.follow),
        *(*more, *bed.seeds(workload)),
    ]


def wget2(bed: Bed, workload: str, threads: int, *more: str) -> list[str]:
    """The command line of wget2, as the bed's runner has it (it stores nothing under --accept-regex)."""
    return [
        *("wget2", "-r", "-l", "inf", "-q", "--tries=1", f"--max-threads={threads}", "--follow-tags=a"),
        *("--filter-urls", "-A", "*.html,*.htm,*/", "-x"),
        *(*more, *bed.seeds(workload)),
    ]
