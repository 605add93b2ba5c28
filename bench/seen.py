"""What "seen before?" costs: the seen-hash trie beside a Python set and a flat LMDB key a hash.

usage: seen.py [--millions N ...] [--batch N] [--sync] [--only NAME ...] [--cpu] [--folder DIR]

Prints a Markdown table with a row for each structure at each size. Each structure grows in a process of its
own, by batches of new hashes, one transaction each; both LMDB structures get the same batches, flags and map.

    database    bytes a URL in pages that the table uses
    file        bytes a URL of data.mdb: with the pages that LMDB keeps free for the next transactions
    resident    growth of the process's own memory (Anonymous in /proc/self/smaps_rollup, Linux) since before
                the first hash, in MiB and in bytes a URL. The pages of the map are the page cache's and do
                not count; LMDB's copies of the pages that a transaction changes do.
    insert      microseconds a hash in batches of --batch, all new, with the commit: mean over the last tenth
    present     microseconds a look-up of hashes that are there, chosen over the whole history
    absent      microseconds a look-up of hashes that are not
    page        microseconds a hash in the 30 links of a page, of which one is new and the others were seen at
                any time; 100 pages a transaction, with the commit
    site        the same, where 22 of the known links are of 2,000 that come again and again, as navigation
                does (in real documentation sites 71 to 91 links of a hundred do)

The set holds SHA-1 hex digests, as crawlers do that keep them in memory, and is left out above --set-up-to
millions: it takes 140 bytes of memory a URL. Times are of the wall; with --cpu, of the process, which other
work on the machine disturbs less, but which leaves out waiting for the disk.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import multiprocessing
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import lmdb

from spiderd.store.trie import SeenTrie

MAP_BYTES = 1 << 36  # address space: enough for all sizes, so that growing the map is not what is measured
LOOK_UPS = 100_000
LINKS, PAGES, TRANSACTIONS = 30, 100, 10
HOT_LINKS, HOT = 22, 2_000
MIB = 1 << 20
TIMES = ("insert", "present", "absent", "page", "site")


@dataclass(frozen=True, slots=True)
class Job:
    """One structure through all its sizes."""

    name: str
    sizes: list[int]
    batch: int
    sync: bool
    cpu: bool
    folder: str | None


class Structure(Protocol):
    """What is compared."""

    def key(self, h: bytes) -> Any: ...
    def add(self, batches: Iterable[Sequence[Any]]) -> int: ...
    def look_up(self, keys: Sequence[Any]) -> list[bool]: ...
    def sizes(self) -> tuple[int, int]: ...


class InMemory:
    """A set of hex digests. `add` is a membership test and an insertion, as crawlers write it."""

    def __init__(self, job: Job, folder: Path) -> None:
        del job, folder  # it has no use for them
        self._seen: set[str] = set()

    def key(self, h: bytes) -> str:
        return hashlib.sha1(h, usedforsecurity=False).hexdigest()

    def add(self, batches: Iterable[Sequence[str]]) -> int:
        new = 0
        for batch in batches:
            for digest in batch:
                if digest not in self._seen:
                    self._seen.add(digest)
                    new += 1
        return new

    def look_up(self, keys: Sequence[str]) -> list[bool]:
        return [digest in self._seen for digest in keys]

    def sizes(self) -> tuple[int, int]:
        return 0, 0


class OnDisk:
    """What the two tables in LMDB have in common."""

    def __init__(self, job: Job, folder: Path) -> None:
        self._file = folder / "data.mdb"
        self.env = lmdb.open(
            str(folder), map_size=MAP_BYTES, max_dbs=1, sync=job.sync, readahead=False, meminit=False
        )
        self.db = self.env.open_db(b"seen")

    def key(self, h: bytes) -> bytes:
        return h

    def sizes(self) -> tuple[int, int]:
        with self.env.begin() as txn:
            table = txn.stat(self.db)
        pages = table["branch_pages"] + table["leaf_pages"] + table["overflow_pages"]
        return pages * table["psize"], self._file.stat().st_size


class Flat(OnDisk):
    """A key a hash, without a value."""

    def add(self, batches: Iterable[Sequence[bytes]]) -> int:
        new = 0
        with self.env.begin(write=True) as txn, txn.cursor(self.db) as cursor:
            for batch in batches:
                # In order, as the trie does it: large batches gain by it.
                new += sum([cursor.put(h, b"", overwrite=False) for h in sorted(batch)])
        return new

    def look_up(self, keys: Sequence[bytes]) -> list[bool]:
        with self.env.begin() as txn, txn.cursor(self.db) as cursor:
            return [cursor.set_key(h) for h in keys]


class Trie(OnDisk):
    """The seen-hash trie."""

    def __init__(self, job: Job, folder: Path) -> None:
        super().__init__(job, folder)
        self._trie = SeenTrie(self.db)

    def add(self, batches: Iterable[Sequence[bytes]]) -> int:
        with self.env.begin(write=True) as txn:
            return sum(sum(self._trie.add_many(txn, batch)) for batch in batches)

    def look_up(self, keys: Sequence[bytes]) -> list[bool]:
        with self.env.begin() as txn:
            return self._trie.contains_many(txn, keys)


STRUCTURES: dict[str, Callable[[Job, Path], Structure]] = {"set": InMemory, "flat": Flat, "trie": Trie}


@dataclass(slots=True)
class Row:
    """What was measured at one size: bytes, and seconds a hash."""

    name: str
    urls: int
    database: int = 0
    file: int = 0
    resident: int = 0
    times: dict[str, float] = field(default_factory=dict)


def hashes_of(number: int, batch: int) -> list[bytes]:
    """Batch `number` of the history: BLAKE2b's output cannot be told from this. Negative: never inserted."""
    data = random.Random(number).randbytes(8 * batch)
    return [data[at : at + 8] for at in range(0, 8 * batch, 8)]


def own_memory() -> int:
    """Bytes of memory that are this process's own, not the page cache's; 0 where that is not known."""
    gc.collect()
    try:
        text = Path("/proc/self/smaps_rollup").read_text("ascii")
    except FileNotFoundError:
        return 0
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Anonymous:")) * 1024


class Stopwatch:
    """Seconds a hash of the work done under `timed`."""

    def __init__(self, job: Job) -> None:
        self._clock = time.process_time if job.cpu else time.perf_counter
        self._seconds = 0.0
        self._hashes = 0

    @contextmanager
    def timed(self, hashes: int) -> Iterator[None]:
        started = self._clock()
        yield
        self._seconds += self._clock() - started
        self._hashes += hashes

    def result(self) -> float:
        return self._seconds / self._hashes


def run(job: Job) -> list[Row]:
    """Grow one structure and measure it at each size."""
    with tempfile.TemporaryDirectory(dir=job.folder) as folder:
        structure = STRUCTURES[job.name](job, Path(folder))
        before = own_memory()
        rows, done = [], 0
        for urls in job.sizes:
            watch = Stopwatch(job)
            for number in range(done, urls // job.batch):
                batch = [structure.key(h) for h in hashes_of(number, job.batch)]
                if number < (done + 9 * urls // job.batch) // 10:
                    structure.add([batch])
                    continue
                with watch.timed(len(batch)):
                    new = structure.add([batch])
                if new != len(batch):
                    raise SystemExit(f"{job.name}: {len(batch) - new} of {len(batch)} new hashes were lost")
            done = urls // job.batch
            batch = []
            row = Row(job.name, urls, *structure.sizes(), own_memory() - before)
            row.times = {"insert": watch.result(), **asked(structure, job, done)}
            rows.append(row)
            print(f"{job.name} at {urls / 1e6:g} million: done", file=sys.stderr)
        return rows


def asked(structure: Structure, job: Job, batches: int) -> dict[str, float]:
    """Time look-ups and the crawl's mix."""
    rng = random.Random(batches)
    share = 50
    present = [
        structure.key(h)
        for _ in range(LOOK_UPS // share)
        for h in rng.sample(hashes_of(rng.randrange(batches), job.batch), share)
    ]
    rng.shuffle(present)
    absent = [structure.key(h) for h in hashes_of(-1 - batches, LOOK_UPS)]
    times = {}
    for name, keys in (("present", present), ("absent", absent)):
        watch = Stopwatch(job)
        with watch.timed(len(keys)):
            answers = structure.look_up(keys)
        if set(answers) != {name == "present"}:
            raise SystemExit(f"{job.name}: a wrong answer about hashes that are {name}")
        times[name] = watch.result()
    # What these add is too little to count.
    half = len(absent) // 2
    times["page"] = pages(structure, job, rng, absent[:half], [(present, LINKS - 1)])
    mix = [(present[:HOT], HOT_LINKS), (present[HOT:], LINKS - 1 - HOT_LINKS)]
    times["site"] = pages(structure, job, rng, absent[half:], mix)
    return times


def pages(
    structure: Structure, job: Job, rng: random.Random, unknown: list[Any], mix: list[tuple[list[Any], int]]
) -> float:
    """Time pages whose links are one that is new, and so many of each list in `mix`."""
    watch = Stopwatch(job)
    for at in range(TRANSACTIONS):
        batches = []
        for new in unknown[at * PAGES : (at + 1) * PAGES]:
            batch = [new]
            for known, count in mix:
                batch += rng.sample(known, count)
            rng.shuffle(batch)
            batches.append(batch)
        with watch.timed(LINKS * PAGES):
            found = structure.add(batches)
        if found != PAGES:
            raise SystemExit(f"{job.name}: {found} of {PAGES} new links were new")
    return watch.result()


def table(rows: Iterable[Row]) -> str:
    """The rows as Markdown."""
    titles = ["million URLs", "structure", "database, B/URL", "file, B/URL", "resident, MiB (B/URL)"]
    titles += [f"{name}, us" for name in TIMES]
    lines = [f"| {' | '.join(titles)} |", "|---:|---" + "|---:" * (len(titles) - 2) + "|"]
    for row in rows:
        disk = [f"{size / row.urls:.1f}" if size else "-" for size in (row.database, row.file)]
        own = f"{row.resident / MIB:.0f} ({row.resident / row.urls:.1f})"
        times = [f"{row.times[name] * 1e6:.2f}" for name in TIMES]
        lines.append(f"| {' | '.join([f'{row.urls / 1e6:g}', row.name, *disk, own, *times])} |")
    return "\n".join(lines)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--millions", type=float, nargs="+", default=[1, 10], metavar="N")
    parser.add_argument("--batch", type=int, default=5000, metavar="N", help="hashes a transaction")
    parser.add_argument("--sync", action="store_true", help="wait for the disk at each commit")
    parser.add_argument("--cpu", action="store_true", help="time of the process, not of the wall")
    parser.add_argument("--only", nargs="+", choices=STRUCTURES, default=list(STRUCTURES))
    parser.add_argument("--set-up-to", type=float, default=10, metavar="N", help="millions (default: 10)")
    parser.add_argument("--folder", help="where the tables are made (default: the temporary folder)")
    return parser.parse_args()


def main() -> None:
    """Run each structure in a process of its own, one after the other."""
    chosen = arguments()
    sizes = sorted(
        {max(2, round(millions * 1e6 / chosen.batch)) * chosen.batch for millions in chosen.millions}
    )
    rows: list[Row] = []
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context, max_tasks_per_child=1) as pool:
        for name in chosen.only:
            wanted = [size for size in sizes if name != "set" or size <= chosen.set_up_to * 1e6]
            job = Job(name, wanted, chosen.batch, chosen.sync, chosen.cpu, chosen.folder)
            rows += pool.submit(run, job).result()
    print(table(sorted(rows, key=lambda row: row.urls)))


if __name__ == "__main__":
    main()
