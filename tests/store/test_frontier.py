"""The frontier against a model: leases, tails, parked shapes, in-links, and the order changed under way."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from spiderd.messages import Outcome
from spiderd.states import OutcomeKind
from spiderd.store.commands import reorder
from spiderd.store.frontier import Found
from spiderd.store.ledger import Ledger
from spiderd.store.opening import open_ledger
from spiderd.store.outcomes import Done, record
from spiderd.store.ranks import ranking
from spiderd.store.records import WaitingUrl, host_key_bytes
from spiderd.urls import key_hash

ORDERS = ["breadth", "depth", "best", "mixed"]
SHAPES = [b"shape--1", b"shape--2"]
PICK = st.integers(0, 1000)


def found(*numbers: int, depth: int = 1) -> Found:
    urls = [f"http://h{n % 2}.test/{n}" for n in numbers]
    return Found(b"".join(map(key_hash, urls)), urls, depth)


def rows_of(ledger: Ledger) -> dict[str, tuple[bytes, WaitingUrl]]:
    """All rows of the table `frontier` by URL."""
    frontier = ledger.frontier
    hosts = frontier.hosts_waiting(0, 100)
    return {head[1].url: head for host in hosts for head in frontier.heads(host, b"", 1000)}


class FrontierMachine(RuleBasedStateMachine):
    """What happens between coordinator and frontier, in any sequence."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.leased: dict[str, tuple[bytes, WaitingUrl]] = {}  # as they were handed out
        self.waiting: set[str] = set()  # in the frontier, leased or not
        self.delayed: set[str] = set()
        self.parked: dict[str, bytes] = {}
        self.complete: set[str] = set()
        self.tail: set[str] = set()
        self.inlinks: Counter[str] = Counter()
        self.stayed: set[str] = set()  # had a lease: their rows did not move meanwhile

    @initialize(order=st.sampled_from(ORDERS))
    def open(self, order) -> None:
        self.order = order
        self.env, self.ledger = open_ledger(Path(self.folder.name), order, sync=False)
        self.frontier = self.ledger.frontier
        self.ledger.state.order = order
        self.urls_are_found(list(range(8)), 1)

    def pick(self, number: int, urls) -> str:
        return sorted(urls)[number % len(urls)]

    @property
    def free(self) -> set[str]:
        return self.waiting - self.leased.keys()

    @rule(numbers=st.lists(st.integers(0, 30), max_size=6), depth=st.integers(0, 5))
    def urls_are_found(self, numbers, depth) -> None:
        batch = found(*numbers, depth=depth)
        known = self.waiting | self.delayed | self.parked.keys() | self.complete
        new = self.frontier.add(batch)
        for index, url in enumerate(batch.urls):
            assert new[index] == (url not in known)
            if new[index]:
                known.add(url)
                self.waiting.add(url)
                self.inlinks[url] = 1
            elif url in self.waiting and self.order == "best":
                self.inlinks[url] += 1

    @precondition(lambda self: self.free)
    @rule(numbers=st.lists(PICK, min_size=1, max_size=4))
    def some_are_handed_out(self, numbers) -> None:
        rows = rows_of(self.ledger)
        for url in {self.pick(number, self.free) for number in numbers}:
            self.leased[url] = rows[url]
            self.frontier.mark_leased([rows[url][0]], 1.0)
            self.stayed.add(url)

    @precondition(lambda self: self.leased)
    @rule(ends=st.lists(st.tuples(PICK, st.sampled_from(["done", "failed", "busy", "back"])), max_size=4))
    def leases_end(self, ends) -> None:
        for number, how in ends:
            if self.leased:
                url = self.pick(number, self.leased)
                getattr(self, how)(url, *self.leased.pop(url))

    def done(self, url: str, key: bytes, waiting: WaitingUrl) -> None:
        assert self.frontier.finish(key, waiting)
        assert not self.frontier.finish(key, waiting)
        assert not self.ledger.aside.delay(key, waiting, 9.0)
        self.waiting.remove(url)
        self.complete.add(url)

    def failed(self, url: str, key: bytes, waiting: WaitingUrl) -> None:
        self.forget_inlinks(url, waiting)
        waiting.tries += 1
        assert self.ledger.aside.delay(key, waiting, 5.0)
        self.waiting.remove(url)
        self.delayed.add(url)

    def busy(self, url: str, key: bytes, waiting: WaitingUrl) -> None:
        self.forget_inlinks(url, waiting)
        self.frontier.forget_leases([key])
        self.frontier.to_tail(key, waiting)
        self.tail.add(url)

    def forget_inlinks(self, url: str, waiting: WaitingUrl) -> None:
        """Those counted during the lease are kept where they matter."""
        if self.order != "best":
            self.inlinks[url] = waiting.inlinks

    def back(self, url: str, key: bytes, _: WaitingUrl) -> None:
        assert self.frontier.forget_leases([key]) == 1

    @precondition(lambda self: self.delayed)
    @rule(due=st.booleans())
    def time_passes(self, due) -> None:
        assert self.ledger.aside.wake(5.0 if due else 4.999) == (None if due else 5.0)
        if due:
            self.waiting |= self.delayed
            self.tail |= self.delayed
            self.delayed.clear()
            assert self.ledger.aside.wake(1e9) is None

    @rule(numbers=st.lists(PICK, max_size=3), shape=st.sampled_from(SHAPES))
    def a_shape_is_parked_or_released(self, numbers, shape) -> None:
        for number in numbers:
            if self.free:
                url = self.pick(number, self.free)
                self.ledger.aside.park(*rows_of(self.ledger)[url], shape)
                self.waiting.remove(url)
                self.parked[url] = shape
        if not numbers:
            back = {url for url, under in self.parked.items() if under == shape}
            assert self.ledger.aside.unpark(shape) == len(back)
            self.waiting |= back
            self.stayed -= back
            self.parked = {url: under for url, under in self.parked.items() if under != shape}

    @rule(order=st.sampled_from(ORDERS))
    def the_order_is_changed(self, order) -> None:
        moved = reorder(self.ledger, order)
        self.order = order
        self.leased = {url: (moved.get(key, key), row) for url, (key, row) in self.leased.items()}
        self.stayed = set(self.leased)

    @rule()
    def the_daemon_is_started_again(self) -> None:
        self.ledger.commit()
        self.env.close()
        self.env, self.ledger = open_ledger(Path(self.folder.name), self.order, sync=False)
        self.frontier = self.ledger.frontier
        assert self.frontier.forget_leases() == len(self.leased)
        self.leased.clear()

    @invariant()
    def all_are_where_they_should_be(self) -> None:
        rows = rows_of(self.ledger)
        assert set(rows) == self.waiting
        counters = self.ledger.state.counters
        assert counters.waiting == len(self.waiting) + len(self.delayed) + len(self.parked)
        assert counters.parked == len(self.parked)
        for host in self.frontier.hosts_waiting(0, 100):
            name = f"//{self.ledger.hosts.tallies(host).key}/"
            mine = [url for url in (*self.waiting, *self.delayed, *self.parked) if name in url]
            assert self.ledger.hosts.tallies(host).waiting == len(mine)

    @invariant()
    def each_lies_where_its_rank_says(self) -> None:
        rank = ranking(self.order)
        for url, (key, row) in rows_of(self.ledger).items():
            assert row.inlinks == self.inlinks[url], url
            if url not in self.stayed:
                tail = url in self.tail
                assert key[4:] == rank(row.depth, row.sequence, row.inlinks, tail), url
            if url in self.leased:
                assert key == self.leased[url][0]

    def teardown(self) -> None:
        if hasattr(self, "env"):
            self.ledger.abort()
            self.env.close()
        self.folder.cleanup()


TestFrontierMachine = FrontierMachine.TestCase
TestFrontierMachine.settings = settings(max_examples=120, stateful_step_count=40, deadline=None)


@pytest.fixture
def ledger(tmp_path: Path):
    env, ledger = open_ledger(tmp_path, "best")
    with env:
        yield ledger
        ledger.abort()


def urls_in_order(ledger: Ledger) -> list[str]:
    return [row.url.rpartition("/")[2] for _, row in ledger.frontier.heads(1, b"", 100)]


def test_in_best_first_order_what_is_linked_most_goes_first(ledger: Ledger) -> None:
    ledger.frontier.add(found(0, depth=0))
    ledger.frontier.add(found(2, 4, 6))
    ledger.frontier.add(found(6, 4))
    ledger.frontier.add(found(6))
    assert urls_in_order(ledger) == ["0", "6", "4", "2"]


def test_a_link_to_a_leased_url_counts_and_leaves_its_row_in_place(ledger: Ledger) -> None:
    ledger.frontier.add(found(2, 4))
    (key, row), _ = ledger.frontier.heads(1, b"", 2)
    ledger.frontier.mark_leased([key], 1.0)
    ledger.frontier.add(found(2))
    assert [k for k, _ in ledger.frontier.heads(1, b"", 1)] == [key]
    ledger.aside.delay(key, row, 1.0)
    ledger.aside.wake(2.0)
    assert {row.url[-1]: row.inlinks for _, row in ledger.frontier.heads(1, b"", 9)} == {"4": 1, "2": 2}


def test_the_lowest_new_key_of_each_host_is_told_once(ledger: Ledger) -> None:
    ledger.frontier.add(found(1, 2, 3, 4))
    heads = {host: ledger.frontier.heads(host, b"", 1)[0][0] for host in (1, 2)}
    assert ledger.frontier.take_touched() == heads
    assert ledger.frontier.take_touched() == {}
    ledger.frontier.add(found(1, 2))
    ledger.frontier.add(found(3, 3, 4, 4))  # which moves them before those
    heads = {host: ledger.frontier.heads(host, b"", 1)[0] for host in (1, 2)}
    assert [row.url[-1] for _, row in heads.values()] == ["3", "4"]
    assert ledger.frontier.take_touched() == {host: key for host, (key, _) in heads.items()}


def test_hosts_are_listed_from_one_on(ledger: Ledger) -> None:
    urls = [f"http://h{n}.test/{k}" for n in range(10) for k in range(3)]
    ledger.frontier.add(Found(b"".join(map(key_hash, urls)), urls, 0))
    ledger.frontier.add(found(0, 1, 2, 3))
    assert ledger.frontier.hosts_waiting(0, 4) == [1, 2, 3, 4]
    assert ledger.frontier.hosts_waiting(4, 100) == [5, 6, 7, 8, 9, 10]
    assert ledger.frontier.hosts_waiting(10, 1) == []
    for key, row in ledger.frontier.heads(5, b"", 10):
        record(ledger, Done(key, row, Outcome(0, 0, OutcomeKind.SKIPPED, 200)))
    assert 5 not in ledger.frontier.hosts_waiting(0, 100)
    assert key[:4] == host_key_bytes(5)
