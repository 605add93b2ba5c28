"""When files are forced to the disk: with the commit of the rows that name them, or beside it."""

from __future__ import annotations

import ctypes
import errno
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
import trio

from spiderd.errors import DiskFull, StorageError
from spiderd.messages import Outcome
from spiderd.states import OutcomeKind
from spiderd.store import syncing
from spiderd.store.environment import Environment
from spiderd.store.frontier import Found
from spiderd.store.ledger import Ledger
from spiderd.store.opening import open_ledger
from spiderd.store.outcomes import Done
from spiderd.store.records import decode
from spiderd.store.step import Read, Step
from spiderd.store.syncing import Syncing, sync_files
from spiderd.store.thread import StoreThread
from spiderd.store.transaction import State
from spiderd.urls import key_hash


def durable(path: Path) -> int:
    """What a new process would find committed."""
    with Environment(path) as env, env.begin(write=False) as txn:
        return decode(State, bytes(txn.get(b"state", db=env.tables["meta"]))).durable


@asynccontextmanager
async def running(path: Path, syncing: Syncing, **more) -> AsyncIterator[StoreThread]:
    store = StoreThread(partial(open_ledger, path, "breadth"), interval=3600.0, syncing=syncing, **more)
    async with trio.open_nursery() as nursery:
        await nursery.start(store.run)
        try:
            yield store
        finally:
            store.close()


async def settle(store: StoreThread, number: int) -> None:
    """Let the store record one more answer."""
    url = f"http://h.test/{number}"
    await store.perform(Step(now=1.0, adds=[Found(key_hash(url), [url], 1)]))
    heads = (await store.perform(Step(now=1.0, reads=[Read(1, b"", 100)]))).heads[0][1]
    skipped = Outcome(0, 0, OutcomeKind.SKIPPED, 200)
    await store.perform(Step(now=2.0, done=[Done(key, row, skipped) for key, row in heads]))


def no_sync() -> None:
    pass


@pytest.mark.trio
async def test_files_are_on_the_disk_before_the_rows_that_name_them(tmp_path: Path) -> None:
    seen: list[int] = []
    async with running(tmp_path, Syncing(lambda: seen.append(store.commits))) as store:
        await settle(store, 1)
        await store.flush()
        await store.flush()  # nothing new: nothing to sync
        await settle(store, 2)
    assert seen == [0, 2]
    assert durable(tmp_path) == 2


@pytest.mark.trio
async def test_beside_the_commits_nobody_waits_for_the_disk(tmp_path: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        begun.set()
        go_on.wait()

    async with running(tmp_path, Syncing(slow, every=1e-9)) as store:
        await settle(store, 1)
        await store.flush()
        begun.wait()
        await settle(store, 2)
        await store.flush()
        assert await store.call(durable_now) == 0
        go_on.set()
    assert durable(tmp_path) == 2  # an orderly end leaves nothing behind


def durable_now(ledger: Ledger) -> int:
    return ledger.state.durable


def test_what_a_sync_beside_has_reached_is_written_by_the_next_commit() -> None:
    sync, state = Syncing(no_sync, every=1e-9), State(next_change=5)
    sync.before_commit(state)
    sync.after_commit()
    assert state.durable == 0
    assert sync._thread is not None
    sync._thread.join()
    state.next_change = 9
    sync.before_commit(state)
    assert state.durable == 4
    assert sync.is_behind(state)


def test_a_sync_beside_that_fails_is_told_by_the_next_commit() -> None:
    def fail() -> None:
        raise StorageError("The disk is broken.")

    sync, state = Syncing(fail, every=1e-9), State(next_change=5)
    sync.before_commit(state)
    sync.after_commit()
    sync._thread.join()
    with pytest.raises(StorageError, match="broken"):
        sync.before_commit(state)
    assert state.durable == 0


@pytest.mark.trio
async def test_rows_behind_the_last_sync_are_mended_before_anybody_sees_them(tmp_path: Path) -> None:
    called: list[int] = []

    def mend(ledger: Ledger) -> None:
        called.append(ledger.state.next_change)

    async with running(tmp_path, Syncing(no_sync), mend=mend) as store:
        await settle(store, 1)
    assert called == []
    async with running(tmp_path, Syncing(no_sync), mend=mend):
        pass
    assert called == []
    env, ledger = open_ledger(tmp_path, "breadth")
    with env:
        ledger.state.durable = 0
        ledger.commit()
    async with running(tmp_path, Syncing(no_sync), mend=mend) as store:
        assert called == [2]
        assert await store.call(durable_now) == 1


def test_a_folder_is_synced_and_one_that_is_not_there_is_passed_over(tmp_path: Path) -> None:
    sync_files(tmp_path)
    sync_files(tmp_path / "none")


@pytest.mark.parametrize(("number", "error"), [(errno.ENOSPC, DiskFull), (errno.EIO, StorageError)])
def test_a_disk_that_fails_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, error: type[Exception]
) -> None:
    def fail(_: int) -> int:
        ctypes.set_errno(number)
        return -1

    monkeypatch.setattr(syncing, "_syncfs", lambda: fail)
    with pytest.raises(error, match=tmp_path.name):
        sync_files(tmp_path)
