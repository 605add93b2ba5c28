"""What it costs to know many URLs: time to open a store, pages a second on top of it, memory in all.

    python -m bench.big fill --urls 10000000 --to BIG [--hosts 2000]
    python -m bench.big fill --urls 10000 --to SMALL
    python -m bench.big crawl SMALL BIG --bench DIR [--work DIR] [--rounds 3] [--workload mix5k]
    python -m bench.big open BIG

`fill` makes a store through the store's own functions: nine URLs of ten wait, one is done; their hosts are
held back for a year, as hosts are that do not answer. `crawl` copies each store into a new data directory and
crawls a workload of the bed on top of it, store after store, round by round, so that they meet the same moods
of the machine; the rate is that between the first twentieth of the pages and the last. `open` opens one as
the daemon does, in a process of its own, with the file out of the page cache and again with it there.

Stores are kept: making one takes minutes, and deleting large trees makes ext4 slow.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

from bench.bed import Options, add_bed_options, crawl
from bench.stored import page_records
from bench.truth import Bed
from spiderd.coordinator.hosts import MAX_HOSTS
from spiderd.messages import Outcome
from spiderd.schedule.politeness import HostState
from spiderd.states import Failure, OutcomeKind
from spiderd.store.frontier import Found
from spiderd.store.ledger import Ledger
from spiderd.store.opening import open_ledger, restore
from spiderd.store.outcomes import Done, record
from spiderd.store.records import encode, host_key_bytes
from spiderd.urls import key_hash

BATCH = 5000  # URLs in one transaction
DONE = 10  # one of so many URLs is done
YEAR = 365 * 86400.0


def fill(folder: Path, urls: int, hosts: int) -> None:
    """Make a store in which so many URLs are known."""
    chance = random.Random(7)
    env, ledger = open_ledger(folder / "store", "breadth", sync=False)
    with env:
        restore(ledger, "breadth", [], 1)
        for at in range(0, urls, BATCH):
            _add(ledger, at, min(BATCH, urls - at), hosts, chance)
            ledger.commit()
            if env.room() < 256 * 1024 * 1024:  # a transaction of this size may need it
                env.grow()
            if at % 500_000 == 0:
                print(f"{at:,}", flush=True)
        until = time.time() + YEAR
        for host in ledger.frontier.hosts_waiting(0, hosts):
            key = ledger.hosts.tallies(host).key
            state = HostState(key, held_until=until, hold="unreachable", hold_reason="made up")
            ledger.put("politeness", host_key_bytes(host), encode(state))
        ledger.state.durable = ledger.state.next_change - 1  # as an orderly end leaves it
        ledger.commit()
        env.sync()


def _add(ledger: Ledger, at: int, count: int, hosts: int, chance: random.Random) -> None:
    urls = [_url(number, hosts) for number in range(at, at + count)]
    found = Found(b"".join(map(key_hash, urls)), urls, depth=1 + at // 1_000_000)
    ledger.frontier.add(found)
    for host in list(ledger.frontier.take_touched())[: count // DONE]:
        for key, waiting in ledger.frontier.heads(host, b"", max(1, count // DONE // hosts)):
            outcome = Outcome(0, 0, OutcomeKind.SKIPPED, 200, Failure.TYPE_NOT_WANTED, fetched_at=1.7e9)
            number = record(ledger, Done(key, waiting, outcome))
            ledger.pages.put_content(chance.randbytes(16), number)


def _url(number: int, hosts: int) -> str:
    return (
        f"https://host{number % hosts}.example/documentation/chapter-{number // 100_000}/page-{number}.html"
    )


def opened(folder: Path) -> None:
    """Open a store as the daemon does; tells the seconds and the memory of this process."""
    began = time.perf_counter()
    env, ledger = open_ledger(folder / "store", "breadth")
    with env:
        found = restore(ledger, "breadth", [], MAX_HOSTS + 1)
        took = time.perf_counter() - began
        ledger.abort()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{found.counters.known:,} URLs known: opened in {took * 1000:.0f} ms, {memory} MiB in all")


def open_twice(folder: Path) -> None:
    """Open a store in new processes, with a cold page cache and a warm one."""
    with (folder / "store" / "data.mdb").open("rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    for cache in ("cold", "warm"):
        print(f"{cache}: ", end="", flush=True)
        subprocess.run([sys.executable, "-m", "bench.big", "opened", str(folder)], check=True)


def compare(given: argparse.Namespace) -> None:
    """Crawl on top of each store, in turns."""
    bed = Bed(given.bench, given.work)
    rows: dict[str, list[dict[str, float]]] = {str(folder): [] for folder in given.stores}
    for number in range(given.rounds):
        for folder in given.stores:
            settings = tuple(given.set)
            row, verdict = crawl(
                bed, given.workload, Options(store=folder / "store", threads=given.threads, settings=settings)
            )
            print(*verdict.complaints(3), sep="\n", end="", file=sys.stderr)
            row["rate"] = round(rate(Path(row["folder"]) / "data"), 1)
            (Path(row["folder"]) / "data" / "store" / "data.mdb").unlink()  # one file of gigabytes
            rows[str(folder)].append(row)
            print(json.dumps({"round": number, "store": str(folder), **row}), flush=True)
    for folder, measured in rows.items():
        figures = {key: statistics.median(row[key] for row in measured) for key in ("rate", "cpu", "wall")}
        most = {key: max(row[key] for row in measured) for key in ("rss_mb", "pss_mb")}
        print(
            f"{folder}: {figures['rate']:.0f} pages/s on the way, {figures['wall']:.2f} s in all, "
            f"CPU {figures['cpu']:.2f} s, "
            f"at the most {most['pss_mb']:.0f} MiB resident ({most['rss_mb']:.0f} by sums of each process)"
        )


def rate(data: Path) -> float:
    """Pages a second between the first twentieth of them and the last: without start and end."""
    times = sorted(row.fetched_at for row in page_records(data) if row.kind is OutcomeKind.STORED)
    early, late = times[len(times) // 20], times[-len(times) // 20]
    return 0.9 * len(times) / (late - early)


def main() -> None:
    """Fill, open or crawl."""
    parser = argparse.ArgumentParser(prog="python -m bench.big", description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    filling = commands.add_parser("fill")
    filling.add_argument("--urls", type=int, default=10_000_000)
    filling.add_argument("--hosts", type=int, default=0, help="one for 5,000 URLs by default")
    filling.add_argument("--to", type=Path, required=True)
    for name in ("open", "opened"):
        commands.add_parser(name).add_argument("folder", type=Path)
    crawling = commands.add_parser("crawl")
    crawling.add_argument("stores", type=Path, nargs="+")
    add_bed_options(crawling)
    crawling.add_argument("--workload", default="mix5k")
    crawling.add_argument("--rounds", type=int, default=3)
    crawling.add_argument("--threads", type=int, default=32)
    crawling.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    given = parser.parse_args()
    match given.command:
        case "fill":
            fill(given.to, given.urls, given.hosts or max(2, given.urls // 5000))
        case "open":
            open_twice(given.folder)
        case "opened":
            opened(given.folder)
        case _:
            compare(given)


if __name__ == "__main__":
    main()
