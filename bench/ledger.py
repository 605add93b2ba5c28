"""What the ledger costs: microseconds a page, by part, on outcomes like those of a crawl.

usage: python -m bench.ledger [--known N,N] [--rounds N] [--hosts N] [--order ORDER]
                              [--near SHARE] [--no-sync] [--folder FOLDER]

For each number of URLs known: a store is made with so many URLs waiting, then steps of 50 outcomes each are
performed as the store's thread does it (journal, `perform`, a commit every so many steps). Each page has 28
links, of which one is new. Of the known ones a share (`--near`) are among the last 5,000 that became known,
the others are drawn from all. On real documentation sites nine in ten links were met a moment ago; `--near 0`
is the worst case. As many URLs are leased as outcomes come back, and read ahead as the workbench does.

Written is what the disk of the folder has taken meanwhile, by its own account, so nobody else may write
there; its ratio to what the store grows by is the write amplification. Little of the journal is in it: that
is overwritten and cut before it reaches the disk. (A process's own `write_bytes` will not do: it counts the
whole of a large folio for each page that is changed in it.)

CPU is the thread's own account of whole rounds; of some rounds the best counts, since other work on the
machine only ever makes them slower. The parts are timed in rounds of their own (the timing itself costs 0.1
us a call), each without what it calls.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from spiderd.messages import Links, Outcome
from spiderd.states import OutcomeKind
from spiderd.store import outcomes
from spiderd.store import step as steps
from spiderd.store.frontier import Found
from spiderd.store.journal import Journal
from spiderd.store.opening import open_ledger
from spiderd.store.outcomes import Done
from spiderd.store.records import WaitingUrl, encode
from spiderd.store.step import Read, Step, perform

LINKS = 28
BATCH = 50  # outcomes a step
COMMIT_EVERY = 10  # steps: 200 ms at 2,500 pages a second
NEAR = 5000  # URLs
READ_AHEAD = 64
WORKERS = 32
ROUND = 2000  # pages


class Clock:
    """Own time of each part, in nanoseconds."""

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter()
        self._inner = [0]

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            self._inner.append(0)
            began = time.perf_counter_ns()
            try:
                return function(*args, **kwargs)
            finally:
                took = time.perf_counter_ns() - began
                self.spent[name] += took - self._inner.pop()
                self._inner[-1] += took

        return call

    def watch(self, part: str, owner: object, *names: str) -> None:
        for name in names:
            setattr(owner, name, self.timed(part, getattr(owner, name)))


class Crawl:
    """A store with URLs waiting, and a crawl that goes on in it."""

    def __init__(self, folder: Path, known: int, hosts: int, order: Any, *, near: float, sync: bool) -> None:
        self._chance = random.Random(7)
        self._hosts = hosts
        self._near = near
        self._known: list[bytes] = []
        self._env, self.ledger = open_ledger(folder, order, sync=sync)
        self.journal = Journal(folder / "journal")
        self._number = 0
        self._resource = [0] * WORKERS
        for at in range(0, known, 5000):
            self.ledger.frontier.add(self._new_urls(min(5000, known - at), depth=1 + at // 5000))
            self.ledger.commit()
        self._directories = [self.ledger.directories.new(worker) for worker in range(WORKERS)]
        self._heads: dict[int, deque[tuple[bytes, WaitingUrl]]] = {}
        self._after: dict[int, bytes] = {}
        for host in self.ledger.frontier.hosts_waiting(0, hosts):
            self._heads[host], self._after[host] = deque(), b""
        self._turn = deque(self._heads)
        self._held: set[bytes] = set()
        self._in_flight: deque[tuple[bytes, WaitingUrl]] = deque()
        self._supply([Read(host, b"", READ_AHEAD) for host in self._heads])
        self._in_flight.extend(self._leased(2 * BATCH))
        self.ledger.commit()
        self.steps = 0

    def _new_urls(self, count: int, depth: int) -> Found:
        keys, urls = [], []
        for _ in range(count):
            self._number += 1
            host = f"host{self._number % self._hosts}.example"
            keys.append(self._chance.randbytes(8))
            urls.append(
                f"https://{host}/documentation/chapter-{self._number // 100}/page-{self._number}.html"
            )
        self._known.extend(keys)
        return Found(b"".join(keys), urls, depth)

    def _known_url(self) -> bytes:
        span = min(NEAR, len(self._known)) if self._chance.random() < self._near else len(self._known)
        return self._known[-self._chance.randrange(span) - 1]

    def _leased(self, count: int) -> Iterator[tuple[bytes, WaitingUrl]]:
        given = empty = 0
        while given < count and empty < len(self._turn):
            host = self._turn[0]
            self._turn.rotate(-1)
            empty += 1
            if self._heads[host]:
                given, empty = given + 1, 0
                head = self._heads[host].popleft()
                self._held.add(head[1].hash)
                yield head

    def _supply(self, reads: list[Read]) -> None:
        for read in reads:
            self._take(read, self.ledger.frontier.heads(read.host, read.after, read.count))

    def _take(self, read: Read, heads: list[tuple[bytes, WaitingUrl]]) -> None:
        self._heads[read.host].extend(head for head in heads if head[1].hash not in self._held)
        if heads:
            self._after[read.host] = heads[-1][0]

    def next_step(self) -> Step:
        """What the coordinator would ask for next."""
        step = Step(now=1.7e9 + self.steps, max_count=5000)
        for _ in range(min(BATCH, len(self._in_flight))):
            step.done.append(self._done(*self._in_flight.popleft()))
        for head in self._leased(BATCH):
            self._in_flight.append(head)
            step.leased.append(head[0])
        step.reads = [Read(h, self._after[h], READ_AHEAD) for h in self._heads if len(self._heads[h]) < 24]
        return step

    def _done(self, key: bytes, waiting: WaitingUrl) -> Done:
        worker = self._chance.randrange(WORKERS)
        self._resource[worker] += 1
        known = [self._known_url() for _ in range(LINKS - 1)]
        found = self._new_urls(1, waiting.depth + 1)
        place = self._chance.randrange(LINKS)
        keys = [*known[:place], found.keys, *known[place:]]
        urls = [found.urls[0]] * LINKS
        outcome = Outcome(
            0,
            worker,
            OutcomeKind.STORED,
            200,
            address="127.0.0.1",
            content_type="text/html; charset=utf-8",
            charset="utf-8",
            etag='"66b0-6123456789abc"',
            last_modified="Sun, 02 Aug 2026 10:00:00 GMT",
            size=15_000,
            wire_size=4_000,
            digest=self._chance.randbytes(16),
            directory=self._directories[worker],
            number=self._resource[worker],
            index_bytes=100 * self._resource[worker],
            title="A page of the documentation",
            lang="en",
            fetched_at=1.7e9,
            links=Links(b"".join(keys), urls, self._chance.randbytes(400), {"mailto": 1}),
        )
        links = Found(b"".join(keys), urls, waiting.depth + 1)
        return Done(key, waiting, outcome, 0.0, links, LINKS + 1)

    def run(self, step: Step) -> None:
        """Do what the store's thread does with a step."""
        payload = encode(step)
        self.journal.append(self.ledger.state.commits, payload)
        effects = perform(self.ledger, step)
        self._held.difference_update([done.waiting.hash for done in step.done])
        for read, heads in effects.heads:
            self._take(read, heads)
        for host, key in effects.touched.items():
            if key <= self._after[host]:  # something ranks better than what was read ahead
                self._heads[host].clear()
                self._after[host] = b""
        self.steps += 1
        if self.steps % COMMIT_EVERY == 0:
            self.ledger.commit()
            self.journal.cut(0)

    def round(self) -> Iterator[Step]:
        for _ in range(ROUND // BATCH):
            yield self.next_step()

    @property
    def size(self) -> int:
        """Bytes of the store that are in use."""
        return self._env.bytes_used()

    def close(self) -> None:
        self.ledger.abort()
        self.journal.close()
        self._env.close()


def cpu_of_round(crawl: Crawl) -> float:
    """Microseconds of CPU a page."""
    spent = 0.0
    for step in crawl.round():
        began = time.thread_time()
        crawl.run(step)
        spent += time.thread_time() - began
    return spent / ROUND * 1e6


def written_to(disk: int) -> int:
    """Bytes that a disk has taken so far."""
    stat = Path(f"/sys/dev/block/{os.major(disk)}:{os.minor(disk)}/stat").read_text()
    return 512 * int(stat.split()[6])  # Linux, block/stat: sectors


def written_in_round(crawl: Crawl, disk: int) -> tuple[float, float]:
    """KiB that the disk has to write for a page, and by which the store grows for it."""
    began, size = written_to(disk), crawl.size
    for step in crawl.round():
        crawl.run(step)
    return (written_to(disk) - began) / ROUND / 1024, (crawl.size - size) / ROUND / 1024


def parts_of_round(crawl: Crawl, clock: Clock) -> Counter[str]:
    """Microseconds a page by part."""
    clock.spent.clear()
    run = clock.timed("step, the rest", crawl.run)
    for step in crawl.round():
        run(step)
    return Counter({name: spent / ROUND / 1000 for name, spent in clock.spent.items()})


def watch(crawl: Crawl) -> Clock:
    clock, ledger = Clock(), crawl.ledger
    frontier = ledger.frontier
    clock.watch("journal (encoding apart)", crawl.journal, "append", "cut")
    clock.watch("leases marked", frontier, "mark_leased")
    clock.watch("read ahead", frontier, "heads")
    clock.watch("delayed looked at", ledger.aside, "wake")
    clock.watch("record: lease ended", frontier, "finish")
    clock.watch("record: page row", ledger.pages, "put")
    clock.watch("record: content", ledger.pages, "put_content")
    clock.watch("record: directory", ledger.directories, "fill")
    steps.record = clock.timed("record: the rest", outcomes.record)
    clock.watch("links: seen trie", frontier._trie, "add_many")  # noqa: SLF001  # a part of the frontier is timed alone
    clock.watch("links: enqueue new", frontier, "enqueue")
    clock.watch("links: the rest", frontier, "add")
    clock.watch("site tree", ledger.tree, "write")
    clock.watch("commit", ledger, "commit")
    return clock


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--known", default="10000,1000000", help="numbers of URLs, with commas")
    parser.add_argument(
        "--rounds", type=int, default=4, help=f"of {ROUND} pages; as many again for the parts"
    )
    parser.add_argument("--hosts", type=int, default=20)
    parser.add_argument("--order", default="breadth", choices=["breadth", "depth", "mixed", "best"])
    parser.add_argument("--near", type=float, default=0.9, help="share of known links that are near")
    parser.add_argument("--no-sync", action="store_true", help="leave it to the system when data is on disk")
    parser.add_argument(
        "--folder", type=Path, help="where stores are made; else the place for temporary files"
    )
    chosen = parser.parse_args()

    for known in map(int, chosen.known.split(",")):
        with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
            crawl = Crawl(
                Path(folder),
                known,
                chosen.hosts,
                chosen.order,
                near=chosen.near,
                sync=not chosen.no_sync,
            )
            cpu = [cpu_of_round(crawl) for _ in range(chosen.rounds)]
            print(f"\n{known:,} URLs known, order {chosen.order}: microseconds of CPU a page")
            print(f"{min(cpu):8.1f}  all  (median {statistics.median(cpu):.1f}, worst {max(cpu):.1f})")
            os.sync()
            disk = Path(folder).stat().st_dev
            rounds_written = [written_in_round(crawl, disk) for _ in range(chosen.rounds)]
            store, growth = (statistics.fmean(part) for part in zip(*rounds_written, strict=True))
            print(
                f"{store:8.2f}  KiB a page written, where the store grows by {growth:.2f}: "
                f"{store / growth:.1f} times"
            )
            clock = watch(crawl)
            rounds = [parts_of_round(crawl, clock) for _ in range(chosen.rounds)]
            for part in rounds[0]:
                print(f"{min(r[part] for r in rounds):8.2f}  {part}")
            crawl.close()


if __name__ == "__main__":
    main()
