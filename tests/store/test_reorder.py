"""The order changes while URLs are leased: every lease still ends, and the rest comes in the new order."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from spiderd.messages import Outcome
from spiderd.states import OutcomeKind
from spiderd.store.commands import reorder
from spiderd.store.frontier import Found
from spiderd.store.ledger import Ledger
from spiderd.store.opening import open_ledger, restore
from spiderd.store.outcomes import Done, record
from spiderd.store.ranks import rank
from spiderd.store.records import WaitingUrl
from spiderd.urls import key_hash

orders = st.sampled_from(["breadth", "depth", "mixed", "best"])


def add(ledger: Ledger, numbers: list[int], depth: int) -> None:
    urls = [f"http://a.test/{number}" for number in numbers]
    ledger.frontier.add(Found(b"".join(map(key_hash, urls)), urls, depth))


def heads(ledger: Ledger) -> list[tuple[bytes, WaitingUrl]]:
    return ledger.frontier.heads(ledger.hosts.id_of("a.test"), b"", 1000)


@given(
    orders,
    st.lists(st.tuples(orders, st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=5),
    st.booleans(),
)
def test_leases_end_and_ranks_are_those_of_the_new_order(first, changes, reopened_as_it_is) -> None:
    with tempfile.TemporaryDirectory() as folder:
        env, ledger = open_ledger(Path(folder), first, sync=False)
        restore(ledger, first, (), 10)
        leased: dict[bytes, WaitingUrl] = {}
        for turn, (order, depth, count) in enumerate(changes):
            add(ledger, list(range(10 * turn, 10 * turn + 10)), depth)
            add(ledger, [10 * turn + 3], depth)  # a second link to it
            free = [head for head in heads(ledger) if head[0] not in leased]
            leased.update(free[:count])
            ledger.frontier.mark_leased([key for key, _ in free[:count]], 1.0)
            moved = reorder(ledger, order)
            assert set(moved) == set(leased)
            leased = {moved[key]: waiting for key, waiting in leased.items()}
            for key, waiting in heads(ledger):
                inlinks = waiting.inlinks if order == "best" else 0
                assert key[4:] == rank(order, waiting.depth, waiting.sequence, inlinks)
        waits = len(heads(ledger))
        for key, waiting in leased.items():
            outcome = Outcome(0, 0, OutcomeKind.SKIPPED, 200)
            assert record(ledger, Done(key, waiting, outcome))
        assert len(heads(ledger)) == waits - len(leased)
        assert ledger.frontier.forget_leases() == 0
        ledger.commit()
        ledger.abort()
        env.close()
        wanted = changes[-1][0] if reopened_as_it_is else first
        env, ledger = open_ledger(Path(folder), wanted, sync=False)
        restored = restore(ledger, wanted, (), 10)
        assert restored.counters.waiting == waits - len(leased)
        for key, waiting in heads(ledger):
            assert key[4:] == rank(wanted, waiting.depth, waiting.sequence, waiting.inlinks)
        ledger.abort()
        env.close()


def test_what_was_set_aside_comes_back_whatever_the_order_is_by_then() -> None:
    with tempfile.TemporaryDirectory() as folder:
        env, ledger = open_ledger(Path(folder), "breadth", sync=False)
        restore(ledger, "breadth", ["http://a.test/seed", "http://a.test/seed"], 10)
        add(ledger, [1, 2, 3], 1)
        for key, waiting in heads(ledger)[:2]:
            ledger.aside.park(key, waiting, b"12345678")
        reorder(ledger, "depth")
        assert [waiting.url for _, waiting in heads(ledger)] == ["http://a.test/3"]
        assert ledger.aside.unpark(b"12345678") == 2
        assert sorted(waiting.url[-1] for _, waiting in heads(ledger)) == ["1", "2", "3"]
        assert ledger.state.counters.parked == 0
        ledger.commit()
        ledger.abort()
        env.close()
        env, ledger = open_ledger(Path(folder), "depth", sync=False)
        assert restore(ledger, "depth", ["http://b.test/\udce9"], 10).seeds.count("http://a.test/seed") == 1
        assert len(ledger.seeds.all()) == 2
        ledger.abort()
        env.close()
