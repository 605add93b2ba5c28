"""Crawls that wait: for a host that answers late, and for a thousand hosts that may be asked once a second.

The web is made up (bench.madeup). What is measured is how close a crawl comes to what its connections or its
hosts allow. For the late host that is pages over the whole run, start and end included. For the many hosts
it is the requests after each host's first over the seconds between first request and last answer, as the
server saw them: a host that is asked N times, a second apart, is done after N - 1 seconds.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.bed import Options, figures, new_folder, start
from bench.madeup import MadeUp, made_up
from bench.measure import Measured
from bench.stored import page_records
from spiderd.states import OutcomeKind

LATE, LATENCY, CONNECTIONS = 12_000, 0.050, 32  # pages, seconds
HOSTS, PAGES, DELAY = 1000, 30, 1.0  # pages of a host, seconds

CONFIG = """[crawl]
seeds = {seeds}
threads = {threads}

[scope]
follow = "host"

[politeness]
delay = "{delay}s"
per_host = {per_host}
per_ip = {per_host}

[search]
enabled = false
"""


def late_host(work: Path, options: Options) -> dict[str, Any]:
    """One host that takes its time for each answer; share of what so many connections can get."""
    folder = new_folder(work, "late")
    with made_up(pages=LATE, latency=LATENCY) as web:
        config = CONFIG.format(
            seeds=json.dumps([f"http://127.0.0.1:{web.port}/"]),
            threads=CONNECTIONS,
            delay=0,
            per_host=CONNECTIONS,
        )
        run = start(folder, options, config.replace("[search]", "latency_factor = 0.0\n\n[search]"))
    row = _row(folder, run, web, LATE)
    return {**row, "share": row["pps"] / (CONNECTIONS / LATENCY)}


def many_hosts(work: Path, options: Options) -> dict[str, Any]:
    """Many hosts, each of which may be asked once a second; share of what they allow, and of a core."""
    folder = new_folder(work, "polite")
    hosts = [f"127.{1 + number // 250}.{number % 250}.1" for number in range(HOSTS)]
    with made_up(pages=PAGES) as web:
        seeds = json.dumps([f"http://{host}:{web.port}/" for host in hosts])
        run = start(folder, options, CONFIG.format(seeds=seeds, threads=32, delay=DELAY, per_host=1))
    row = _row(folder, run, web, HOSTS * PAGES)
    rate = (web.seen["requests"] - HOSTS) / web.seen["span"]
    return {**row, "rate": rate, "share": rate / (HOSTS / DELAY), "core": row["cpu"] / row["wall"]}


def _row(folder: Path, run: Measured, web: MadeUp, truth: int) -> dict[str, Any]:
    kept = {record.url for record in page_records(folder / "data") if record.kind is OutcomeKind.STORED}
    return {
        **figures(run, len(kept)),
        "peer": "spiderd",
        "truth": truth,
        "complete": len(kept) == truth,
        "server": {name: round(value, 4) for name, value in web.seen.items()},
        "server_core": round(web.seen["cpu"] / run.wall, 3),
        "folder": str(folder),
    }
