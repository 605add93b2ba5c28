"""The store's thread: group commits, growth, failures in the middle, a full disk."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
import trio

from spiderd.errors import CannotCreate, StorageError
from spiderd.store import environment
from spiderd.store.environment import Environment
from spiderd.store.ledger import Ledger
from spiderd.store.opening import open_ledger
from spiderd.store.step import Step
from spiderd.store.thread import StoreThread

pytestmark = pytest.mark.trio


@asynccontextmanager
async def running(path: Path, *, interval: float = 0.05, **callbacks) -> AsyncIterator[StoreThread]:
    store = StoreThread(partial(open_ledger, path, "breadth"), interval=interval, **callbacks)
    async with trio.open_nursery() as nursery:
        await nursery.start(store.run)
        try:
            yield store
        finally:
            store.close()


def committed(path: Path, key: bytes) -> bytes | None:
    with Environment(path) as env, env.begin(write=False) as txn:
        row = txn.get(key, db=env.tables["robots"])
        return None if row is None else bytes(row)


def put(ledger: Ledger, key: bytes, value: bytes) -> None:
    ledger.put("robots", key, value)


async def save(store: StoreThread, key: bytes, value: bytes) -> None:
    await store.perform(Step(now=0.0, saves=[("robots", key, value)]))


async def test_steps_see_each_other_before_they_are_committed(tmp_path: Path) -> None:
    async with running(tmp_path, interval=60.0) as store:
        await save(store, b"a", b"1")
        assert await store.call(Ledger.get, "robots", b"a") == b"1"
        assert store.commits == 0


async def test_flush_commits_and_close_commits(tmp_path: Path) -> None:
    async with running(tmp_path, interval=60.0) as store:
        await save(store, b"a", b"1")
        await store.flush()
        assert store.commits == 1
        await save(store, b"b", b"2")
    assert committed(tmp_path, b"a") == b"1"
    assert committed(tmp_path, b"b") == b"2"


async def test_a_store_that_is_cancelled_while_it_opens_ends(tmp_path: Path) -> None:
    opening, go_on = trio.Event(), threading.Event()
    token = trio.lowlevel.current_trio_token()

    def open_slowly() -> tuple[Environment, Ledger]:
        token.run_sync_soon(opening.set)
        go_on.wait()
        return open_ledger(tmp_path, "breadth")

    store = StoreThread(open_slowly)
    with trio.fail_after(10):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(nursery.start, store.run)
            await opening.wait()
            nursery.cancel_scope.cancel()
            go_on.set()
    assert store.commits == 0


async def test_a_store_that_is_cancelled_commits_what_it_has(tmp_path: Path) -> None:
    store = StoreThread(partial(open_ledger, tmp_path, "breadth"), interval=60.0)
    async with trio.open_nursery() as nursery:
        await nursery.start(store.run)
        await save(store, b"a", b"1")
        nursery.cancel_scope.cancel()
    assert committed(tmp_path, b"a") == b"1"


async def test_an_error_at_opening_is_raised_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("in the way")
    with pytest.raises(CannotCreate, match="in the way"):
        await StoreThread(partial(open_ledger, tmp_path / "store", "breadth")).run()


async def test_an_idle_store_is_committed_by_time(tmp_path: Path) -> None:
    async with running(tmp_path, interval=0.01) as store:
        await save(store, b"a", b"1")
        with trio.fail_after(10):
            await store.committed.wait()


async def test_a_failing_step_leaves_nothing_and_the_others_everything(tmp_path: Path) -> None:
    def half(ledger: Ledger) -> None:
        ledger.put("robots", b"half", b"x")
        raise ZeroDivisionError

    async with running(tmp_path, interval=60.0) as store:
        await save(store, b"before", b"1")
        with pytest.raises(ZeroDivisionError):
            await store.call(half)
        await save(store, b"after", b"2")
    assert [committed(tmp_path, key) for key in (b"before", b"half", b"after")] == [b"1", None, b"2"]


async def test_the_map_grows_in_the_middle_of_a_transaction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "FIRST_MAP", 1024 * 1024)
    monkeypatch.setattr(environment, "HEADROOM", 64 * 1024)
    monkeypatch.setattr(Environment.__init__, "__kwdefaults__", {"map_size": 1024 * 1024, "sync": True})
    async with running(tmp_path, interval=60.0) as store:  # one transaction for all of it
        for number in range(200):
            await save(store, b"%05d" % number, os.urandom(64 * 1024))
    with Environment(tmp_path) as env, env.begin(write=False) as txn:
        assert txn.stat(db=env.tables["robots"])["entries"] == 200


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    mount = tmp_path / "small"
    mount.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", mount], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("needs the right to mount a tmpfs")
    yield mount
    subprocess.run(["umount", mount], check=True)


async def test_a_full_disk_is_waited_for_and_nothing_is_lost(small_disk: Path) -> None:
    told: list[StorageError | None] = []
    full = trio.Event()

    def tell(trouble: StorageError | None) -> None:
        told.append(trouble)
        full.set()

    filler = small_disk / "filler"
    async with running(small_disk / "store", interval=0.01, on_trouble=tell) as store:
        await save(store, b"before", b"1")
        await store.flush()
        filler.write_bytes(b"x" * 2 * 1024 * 1024)

        async def write_much() -> None:
            for number in range(20):
                await save(store, b"%05d" % number, os.urandom(64 * 1024))
            await store.flush()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(write_much)
            with trio.fail_after(20):
                await full.wait()
            assert told[0] is not None
            assert "No room left" in str(told[0])
            filler.unlink()
        assert told[-1] is None
    with Environment(small_disk / "store") as env, env.begin(write=False) as txn:
        assert txn.stat(db=env.tables["robots"])["entries"] == 21


async def test_a_store_of_another_schema_is_refused(tmp_path: Path) -> None:
    with Environment(tmp_path) as env, env.begin() as txn:
        txn.put(b"schema", b"99", db=env.tables["meta"])
    with pytest.raises(StorageError, match="schema 99"):
        Environment(tmp_path)


async def test_reading_writes_nothing(tmp_path: Path) -> None:
    async with running(tmp_path, interval=0.0) as store:
        await save(store, b"a", b"1")
        await store.flush()
        commits, size = store.commits, (tmp_path / "data.mdb").stat().st_mtime_ns
        for _ in range(20):
            assert await store.call(Ledger.get, "robots", b"a") == b"1"
        await store.call(lambda _: None)
        assert store.commits == commits
        assert (tmp_path / "data.mdb").stat().st_mtime_ns == size
