"""The ledger against a model: whatever happens, each URL is in exactly one queue and the counters agree."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from spiderd.messages import Links, Outcome
from spiderd.states import Failure, OutcomeKind
from spiderd.store.frontier import Found
from spiderd.store.ledger import Ledger
from spiderd.store.opening import open_ledger
from spiderd.store.outcomes import Done, record
from spiderd.store.records import WaitingUrl
from spiderd.urls import key_hash

HOSTS = ["a.test", "b.test:8080"]
FOLDERS = ["", "docs/", "docs/api/"]


def found(numbers: list[int], depth: int = 1) -> Found:
    urls = [f"http://{HOSTS[n % 2]}/{FOLDERS[n % 3]}{n}" for n in numbers]
    return Found(b"".join(map(key_hash, urls)), urls, depth)


def outcome(kind: OutcomeKind, failure: Failure = Failure.NONE, **more) -> Outcome:
    return Outcome(0, 0, kind, 200 if kind is not OutcomeKind.FAILED else 404, failure, **more)


def waiting(ledger: Ledger) -> dict[str, tuple[bytes, WaitingUrl]]:
    heads = [
        head
        for host in ledger.frontier.hosts_waiting(0, 100)
        for head in ledger.frontier.heads(host, b"", 1000)
    ]
    return {head[1].url: head for head in heads}


class LedgerMachine(RuleBasedStateMachine):
    """Random adds, outcomes, retries, aborts and restarts, held against plain sets."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.known: set[str] = set()
        self.done: dict[str, bool] = {}  # URL -> whether it failed
        self.delayed: set[str] = set()
        self.stored = 0
        self.saved: tuple = ()

    @initialize(order=st.sampled_from(["breadth", "depth", "best", "mixed"]))
    def open(self, order) -> None:
        self.order = order
        self.env, self.ledger = open_ledger(Path(self.folder.name), order, sync=False)
        self.directory = self.ledger.directories.new(0)
        self.commit()

    @rule(numbers=st.lists(st.integers(0, 40), max_size=8))
    def add(self, numbers) -> None:
        batch = found(numbers)
        expected = [url not in self.known and url not in batch.urls[:i] for i, url in enumerate(batch.urls)]
        assert self.ledger.frontier.add(batch) == expected
        self.known.update(batch.urls)

    @rule(pick=st.integers(0, 1000), links=st.lists(st.integers(0, 40), max_size=5))
    def store(self, pick, links) -> None:
        rows = waiting(self.ledger)
        if not rows:
            return
        url = sorted(rows)[pick % len(rows)]
        key, row = rows[url]
        self.stored += 1
        told = outcome(
            OutcomeKind.STORED,
            size=10,
            number=self.stored,
            directory=self.directory,
            digest=self.stored.to_bytes(16, "big"),
            links=Links(b"", [], b"links", {}),
        )
        batch = found(links)
        number = record(self.ledger, Done(key, row, told, 0.0, batch, len(links)))
        assert number
        assert record(self.ledger, Done(key, row, told)) == 0  # a lease has one end
        self.known.update(batch.urls)
        self.done[url] = False

    @rule(pick=st.integers(0, 1000), again=st.booleans())
    def fail(self, pick, again) -> None:
        rows = waiting(self.ledger)
        if not rows:
            return
        url = sorted(rows)[pick % len(rows)]
        key, row = rows[url]
        row.tries += 1
        told = outcome(OutcomeKind.FAILED, Failure.SERVER_ERROR)
        record(self.ledger, Done(key, row, told, 5.0 if again else 0.0))
        if again:
            self.delayed.add(url)
        else:
            self.done[url] = True

    @rule(now=st.sampled_from([1.0, 10.0]))
    def wake(self, now) -> None:
        due = self.ledger.aside.wake(now)
        if now > 5.0:
            self.delayed.clear()
        assert (due == 5.0) == bool(self.delayed)

    @rule()
    def retry(self) -> None:
        failed = {url for url, bad in self.done.items() if bad}
        assert self.ledger.errors.retry(lambda page: True) == len(failed)
        for url in failed:
            del self.done[url]

    @rule()
    def commit(self) -> None:
        self.ledger.commit()
        self.saved = (set(self.known), dict(self.done), set(self.delayed), self.stored)

    @rule()
    def lose_what_is_uncommitted(self) -> None:
        self.ledger.abort()
        known, done, delayed, self.stored = self.saved
        self.known, self.done, self.delayed = set(known), dict(done), set(delayed)

    @rule(order=st.sampled_from(["breadth", "depth", "best", "mixed"]))
    def restart_in_another_order(self, order) -> None:
        self.commit()
        self.env.close()
        self.env, self.ledger = open_ledger(Path(self.folder.name), order, sync=False)
        if order != self.order:
            self.ledger.frontier.rerank()
            self.order = order
        self.commit()

    @invariant()
    def the_site_tree_has_every_url_of_its_host(self) -> None:
        if not hasattr(self, "ledger"):
            return
        for number in range(1, self.ledger.state.next_host):
            host = self.ledger.hosts.tallies(number)
            below = self.ledger.tree.below(number, b"").values()
            found = host.waiting + host.complete + host.error
            assert sum(tally.found for tally in below) == found
            assert sum(tally.complete for tally in below) == host.complete
            assert sum(tally.error for tally in below) == host.error

    @invariant()
    def queues_and_counters_agree(self) -> None:
        if not hasattr(self, "ledger"):
            return
        self.ledger.begin()
        rows = waiting(self.ledger)
        assert set(rows) == self.known - set(self.done) - self.delayed
        counters = self.ledger.state.counters
        failed = sum(self.done.values())
        assert counters.known == len(self.known)
        assert counters.waiting == len(rows) + len(self.delayed)
        assert (counters.complete, counters.error) == (len(self.done) - failed, failed)
        assert counters.known == counters.waiting + counters.complete + counters.error
        assert counters.pages == self.stored
        for host in self.ledger.frontier.hosts_waiting(0, 100):
            record = self.ledger.hosts.tallies(host)
            mine = [url for url in (*rows, *self.delayed) if f"//{record.key}/" in url]
            assert record.waiting == len(mine)
            heads = [key for key, _ in self.ledger.frontier.heads(host, b"", 1000)]
            assert heads == sorted(heads)
        if self.stored:
            assert self.ledger.directories.get(self.directory).count == self.stored

    def teardown(self) -> None:
        if hasattr(self, "env"):
            self.ledger.abort()
            self.env.close()
        self.folder.cleanup()


TestLedgerMachine = LedgerMachine.TestCase
TestLedgerMachine.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)


@pytest.fixture
def ledger(tmp_path: Path):
    env, ledger = open_ledger(tmp_path, "breadth")
    with env:
        yield ledger
        ledger.abort()


def test_heads_go_on_behind_a_key(ledger: Ledger) -> None:
    ledger.frontier.add(found(list(range(0, 20, 2))))
    first = ledger.frontier.heads(1, b"", 4)
    rest = ledger.frontier.heads(1, first[-1][0], 100)
    assert [head[1].url for head in first + rest] == found(list(range(0, 20, 2))).urls


def test_leases_of_a_dead_daemon_are_counted_and_forgotten(ledger: Ledger) -> None:
    ledger.frontier.add(found([1, 3, 5]))
    keys = [key for key, _ in ledger.frontier.heads(1, b"", 2)]
    ledger.frontier.mark_leased(keys, 1.0)
    ledger.commit()
    assert ledger.frontier.forget_leases() == 2
    assert ledger.frontier.forget_leases() == 0
    assert len(ledger.frontier.heads(1, b"", 10)) == 3


def test_a_url_marked_as_seen_is_never_fetched(ledger: Ledger) -> None:
    batch = found([1, 2])
    assert ledger.frontier.mark_seen([batch.keys[:8]]) == 1
    assert ledger.frontier.add(batch) == [False, True]
