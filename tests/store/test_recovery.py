"""What a killed process has left: steps since the last commit are performed again, each once and in order.

The death of a process is a copy of the store's folder, made while the store is open: what LMDB has committed,
and the journal as far as it was written.
"""

from __future__ import annotations

import os
import shutil
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
import trio

from spiderd.messages import Outcome
from spiderd.protocol import Counters
from spiderd.states import OutcomeKind
from spiderd.store import lists
from spiderd.store.frontier import Found
from spiderd.store.ledger import Ledger
from spiderd.store.opening import open_ledger
from spiderd.store.outcomes import Done
from spiderd.store.records import WaitingUrl
from spiderd.store.step import Effects, Read, Step, copy_of
from spiderd.store.thread import StoreThread
from spiderd.urls import key_hash

pytestmark = pytest.mark.trio


@asynccontextmanager
async def running(path: Path) -> AsyncIterator[StoreThread]:
    """A store that commits by itself only at its end."""
    store = StoreThread(partial(open_ledger, path, "breadth"), interval=3600.0)
    async with trio.open_nursery() as nursery:
        await nursery.start(store.run)
        try:
            yield store
        finally:
            store.close()


def adding(*numbers: int) -> Step:
    urls = [f"http://h.test/{n}" for n in numbers]
    return Step(now=1.0, adds=[Found(b"".join(map(key_hash, urls)), urls, 1)])


def finishing(*heads: tuple[bytes, WaitingUrl]) -> Step:
    skipped = Outcome(0, 0, OutcomeKind.SKIPPED, 200)
    return Step(
        now=2.0, leased=[key for key, _ in heads], done=[Done(key, row, skipped) for key, row in heads]
    )


async def heads(store: StoreThread) -> list[tuple[bytes, WaitingUrl]]:
    effects: Effects = await store.perform(Step(now=1.0, reads=[Read(1, b"", 100)]))
    return effects.heads[0][1]


def counted(ledger: Ledger) -> tuple[Counters, int]:
    return copy_of(ledger.state.counters), ledger.frontier.forget_leases()


def state(counters: Counters) -> tuple[int, int, int]:
    return counters.known, counters.waiting, counters.complete


async def found_in(path: Path) -> tuple[int, int, int]:
    async with running(path) as store:
        counters, leased = await store.call(counted)
        assert leased == 0
        return state(counters)


async def test_steps_that_were_never_committed_are_there_after_a_kill(tmp_path: Path) -> None:
    async with running(tmp_path / "store") as store:
        for step in (adding(1, 2, 3), adding(3, 4)):
            await store.perform(step)
        await store.perform(finishing(*(await heads(store))[:2]))
        shutil.copytree(tmp_path / "store", tmp_path / "killed")
    assert await found_in(tmp_path / "killed") == (4, 2, 2)
    assert await found_in(tmp_path / "killed") == (4, 2, 2)  # and once only
    assert await found_in(tmp_path / "store") == (4, 2, 2)


async def test_a_journal_that_a_commit_has_overtaken_changes_nothing(tmp_path: Path) -> None:
    """Killed after the commit and before the journal was emptied."""
    async with running(tmp_path / "store") as store:
        await store.perform(Step(now=1.0, rolls=[0]))
        journal = (tmp_path / "store" / "journal").read_bytes()
        await store.flush()
        assert (tmp_path / "store" / "journal").read_bytes() == b""
        shutil.copytree(tmp_path / "store", tmp_path / "killed")
    (tmp_path / "killed" / "journal").write_bytes(journal)
    async with running(tmp_path / "killed") as store:
        assert [number for number, _ in await store.call(lists.directories)] == [1]


async def test_a_torn_journal_gives_the_steps_that_are_whole(tmp_path: Path) -> None:
    sizes = []
    async with running(tmp_path / "store") as store:
        for number in range(4):
            await store.perform(adding(number))
            sizes.append((tmp_path / "store" / "journal").stat().st_size)
        shutil.copytree(tmp_path / "store", tmp_path / "killed")
    for whole, size in enumerate(sizes):
        for cut in (size - 1, size - 20):
            torn = tmp_path / f"torn-{cut}"
            shutil.copytree(tmp_path / "killed", torn)
            os.truncate(torn / "journal", cut)
            assert await found_in(torn) == (whole, whole, 0), cut


async def test_a_step_that_fails_again_is_left_out_and_the_others_are_not(tmp_path: Path) -> None:
    broken = Step(now=1.0, adds=[Found(b"no hash", ["http://h.test/"], 1)])
    async with running(tmp_path / "store") as store:
        await store.perform(adding(1))
        size = (tmp_path / "store" / "journal").stat().st_size
        with pytest.raises(struct.error):
            await store.perform(broken)
        assert (tmp_path / "store" / "journal").stat().st_size == size
        await store.perform(adding(2))
        shutil.copytree(tmp_path / "store", tmp_path / "killed")
    assert await found_in(tmp_path / "killed") == (2, 2, 0)


async def test_recovered_steps_are_committed_before_anybody_sees_the_store(tmp_path: Path) -> None:
    async with running(tmp_path / "store") as store:
        await store.perform(adding(1, 2))
        shutil.copytree(tmp_path / "store", tmp_path / "killed")
    async with running(tmp_path / "killed") as store:
        assert store.commits == 1
        assert (tmp_path / "killed" / "journal").read_bytes() == b""
        shutil.copytree(tmp_path / "killed", tmp_path / "killed again")
    assert await found_in(tmp_path / "killed again") == (2, 2, 0)
