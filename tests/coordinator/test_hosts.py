"""Hosts on a bench with few places: whatever links to whatever, every page is asked for once."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spiderd.config.declaration import Config, Crawl, Order, Politeness
from spiderd.coordinator.desk import Desk
from spiderd.coordinator.hosts import Hosts
from spiderd.messages import Links, Outcome
from spiderd.schedule.workbench import READ_AHEAD
from spiderd.states import OutcomeKind
from spiderd.store.frontier import Found
from spiderd.store.ledger import Ledger
from spiderd.store.opening import open_ledger
from spiderd.store.outcomes import Done
from spiderd.store.records import WaitingUrl
from spiderd.store.step import perform
from spiderd.urls import key_hash

Site = Mapping[str, Sequence[str]]
"""URL -> the URLs that the page links to."""


class Quiet:
    def add(self, *_: object, **__: object) -> None:
        """Events are nobody's business here."""


class Bench:
    """The coordinator's turn without robots, workers and messages: a real store, desk and workbench."""

    def __init__(self, ledger: Ledger, site: Site, limit: int, chance: random.Random) -> None:
        self.ledger = ledger
        self.site = site
        self.limit = limit
        self.chance = chance
        self.now = 1000.0
        self.desk = Desk(
            Config(politeness=Politeness(delay=0.0, per_host=2), crawl=Crawl(threads=4)),
            Quiet(),
            lambda: self.now,
        )
        self.hosts = Hosts(self.desk, limit=limit)
        self.in_flight: list[tuple[bytes, WaitingUrl]] = []
        self.asked: list[str] = []
        self.most = 0

    def turn(self) -> None:
        """One turn: outcomes into the store, what it answers onto the bench, URLs out."""
        desk = self.desk
        self.hosts.ask()
        step = desk.take_step(self.now)
        effects = perform(self.ledger, step)
        desk.counters = effects.counters
        for done in step.done:
            desk.book.release(done.waiting.hash)
        self.hosts.apply(effects, step.more_hosts, self.now)
        self.most = max(self.most, len(desk.bench.hosts))
        while len(self.in_flight) < 4 and (host := desk.bench.take(self.now)) is not None:
            key, waiting = host.heads[0]
            if desk.book.holds(waiting.hash):
                host.heads.popleft()
            else:
                desk.bench.lease(host, self.now)
                desk.book.reserve(waiting.hash)
                self.in_flight.append((key, waiting))
                self.asked.append(waiting.url)
            desk.bench.place(host, self.now)

    def answer(self, count: int) -> None:
        """Some of the requests end, in any order."""
        self.chance.shuffle(self.in_flight)
        for _ in range(min(count, len(self.in_flight))):
            key, waiting = self.in_flight.pop()
            links = self.site[waiting.url]
            outcome = Outcome(0, 0, OutcomeKind.DUPLICATE, 200, links=Links(b"", [], b"", {}))
            self.desk.step.done.append(Done(key, waiting, outcome, found=found(links, waiting.depth + 1)))
            host = self.desk.bench.hosts[int.from_bytes(key[:4], "big")]
            host.in_flight -= 1
            self.desk.bench.place(host, self.now)

    def crawl(self) -> None:
        """Turn until all that waits has been asked for, or nothing happens any more."""
        idle = 0
        while idle < 5:
            before = len(self.asked)
            self.turn()
            self.answer(self.chance.randint(0, 3) if len(self.in_flight) > 1 else 1)
            idle = 0 if self.in_flight or self.desk.step.done or len(self.asked) > before else idle + 1
            if self.chance.random() < 0.1:
                self.ledger.commit()


def found(urls: Sequence[str], depth: int) -> Found:
    return Found(b"".join(map(key_hash, urls)), list(urls), depth)


@contextmanager
def benched(
    folder: Path, site: Site, seeds: Sequence[str], limit: int, *, order: Order = "breadth", seed: int = 0
) -> Iterator[Bench]:
    env, ledger = open_ledger(folder, order, sync=False)
    with env:
        bench = Bench(ledger, site, limit, random.Random(seed))
        bench.desk.step.adds.append(found(seeds, 0))
        try:
            yield bench
        finally:
            ledger.abort()


def url(host: int, page: int = 0) -> str:
    return f"http://h{host:02d}.test/{page}"


def reachable(site: Site, seeds: Sequence[str]) -> set[str]:
    reached, todo = set(seeds), list(seeds)
    while todo:
        new = set(site[todo.pop()]) - reached
        reached |= new
        todo.extend(new)
    return reached


def check(bench: Bench, seeds: Sequence[str]) -> None:
    bench.crawl()
    counts = Counter(bench.asked)
    assert set(counts) == reachable(bench.site, seeds)
    assert set(counts.values()) == {1}
    assert bench.most <= bench.limit
    assert bench.desk.counters.waiting == 0
    assert bench.desk.counters.complete == len(counts)
    assert bench.hosts.is_settled


def test_many_hosts_have_their_turn_in_few_places(tmp_path: Path) -> None:
    site = {
        url(host, page): [url(host, page + 1)] if page < 2 else [] for host in range(20) for page in range(3)
    }
    seeds = [url(host) for host in range(20)]
    with benched(tmp_path, site, seeds, 3) as bench:
        check(bench, seeds)


def test_a_host_that_has_left_comes_back_when_there_is_work_for_it_again(tmp_path: Path) -> None:
    """The first host is done and gone when the last one links to it; all places are taken then."""
    site = {url(host): [url(host, 1)] for host in range(8)}
    site |= {url(host, 1): [url(other, 2) for other in range(8) if other < host] for host in range(8)}
    site |= {url(host, 2): [] for host in range(8)}
    seeds = [url(host) for host in range(8)]
    with benched(tmp_path, site, seeds, 2) as bench:
        check(bench, seeds)


@pytest.mark.parametrize("order", ["breadth", "depth", "best"])
def test_a_host_with_more_than_is_read_ahead_is_read_on(tmp_path: Path, order: Order) -> None:
    """In some orders, what is found on the way goes before what was read."""
    pages = [url(0, page) for page in range(4 * READ_AHEAD)]
    site = {one: [f"{one}/below"] for one in pages} | {f"{one}/below": pages[:2] for one in pages}
    with benched(tmp_path, site, pages, 2, order=order) as bench:
        check(bench, pages)


@settings(max_examples=80)
@given(
    hosts=st.integers(2, 12),
    limit=st.integers(1, 4),
    seed=st.integers(0, 2**32),
    fan=st.integers(1, 6),
    order=st.sampled_from(["breadth", "depth", "best"]),
)
def test_whatever_links_to_whatever(
    tmp_path_factory, hosts: int, limit: int, seed: int, fan: int, order: Order
) -> None:
    chance = random.Random(seed)
    urls = [url(host, page) for host in range(hosts) for page in range(4)]
    site = {one: chance.sample(urls, min(len(urls), chance.randint(0, fan))) for one in urls}
    seeds = chance.sample(urls, chance.randint(1, hosts))
    with benched(tmp_path_factory.mktemp("law"), site, seeds, limit, order=order, seed=seed) as bench:
        check(bench, seeds)
