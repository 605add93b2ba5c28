"""The thread that owns the store: every read and write of LMDB happens here, off the event loop.

One thread, one open write transaction. Steps (functions of the ledger) are executed in the order in which
they were asked for; the transaction is committed when the oldest step in it is `interval` seconds old, so
a commit and its fsync are shared by all that happened meanwhile (group commit).

Steps since the last commit are kept in memory. Where a transaction cannot go on (the map is full, the disk is
full, a step failed in the middle), it is aborted and they are replayed, after the map has grown or once there
is room. Steps are deterministic, so whoever was answered before the replay was answered rightly. A full disk
thus stops the crawl without losing a step; as long as it lasts, `trouble` says so.

Page files are forced to the disk with the commit of the rows that name them, or beside it
(`spiderd.store.syncing`). When a store is opened, rows whose files may be lost are put right (`mend`).

The steps of the crawl itself (`perform`) are also written to the journal (`spiderd.store.journal`), so that a
killed process loses none of them. Rare calls that change something (`change`) are committed at once.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import Concatenate, Generic, ParamSpec, TypeVar

import lmdb
import trio

from spiderd.errors import DiskFull, StorageError
from spiderd.histogram import Histogram
from spiderd.store.environment import Environment, MapFull, translated
from spiderd.store.journal import Journal
from spiderd.store.ledger import Ledger
from spiderd.store.records import decode, encode
from spiderd.store.step import Effects, Step, perform
from spiderd.store.syncing import Syncing

P = ParamSpec("P")
R = TypeVar("R")

# Seconds between commits: what a power cut may cost, beside the sync itself. Measured on 5,000 real pages
# (3 s): syncs took 0.5 s of the store's thread in all with 0.1, 0.3 s with 0.25 and with 0.4.
COMMIT_INTERVAL = 0.25
BATCH_INTERVAL = 1.0  # where speed counts more
TRIM_EVERY = 0.02  # seconds between two looks how much of the file is resident in memory
SWEEP_EVERY = 10.0  # seconds between two looks for readers that were killed
DISK_FULL_PAUSE = 1.0  # seconds between two looks whether there is room again


class _Call(Generic[R]):
    """One step on its way through the thread."""

    def __init__(
        self, step: Callable[[Ledger], R], *, commit: bool = False, kept: Step | None = None
    ) -> None:
        self.step = step
        self.commit = commit
        self.kept = kept  # to be written to the journal
        self.done = trio.Event()
        self.result: R
        self.error: BaseException | None = None

    def unwrap(self) -> R:
        if self.error is not None:
            raise self.error
        return self.result


class StoreThread:
    """Runs steps on a ledger in a thread of its own. Start it in a nursery; `close` commits and ends it."""

    def __init__(
        self,
        open_ledger: Callable[[], tuple[Environment, Ledger]],
        *,
        interval: float = COMMIT_INTERVAL,
        syncing: Syncing | None = None,
        mend: Callable[[Ledger], None] = lambda _: None,
        on_trouble: Callable[[StorageError | None], None] = lambda _: None,
    ) -> None:
        """Prepare; nothing is opened yet.

        Args:
            open_ledger: opens environment and ledger, in the thread.
            interval: seconds between commits.
            syncing: forces page files to the disk; by default nobody does, and `State.durable` is left alone.
            mend: given the ledger when it is opened while there are rows whose files may be lost; it may be
                called again, and must then do the same.
            on_trouble: told on the event loop when the disk is full, and (None) when it goes on.
        """
        self._open_ledger = open_ledger
        self._interval = interval
        self._syncing = syncing
        self._mend = mend
        self._on_trouble = on_trouble
        self._queue: queue.SimpleQueue[_Call[object] | None] = queue.SimpleQueue()
        self._closing = threading.Event()
        self._since_commit: list[_Call[object]] = []
        self._commit_due = 0.0
        self._sweep_due = 0.0
        self._trim_due = 0.0
        self.commits = 0
        self.commit_times = Histogram()
        self.committed = trio.Event()  # set by the next commit
        self.trouble: StorageError | None = None

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Own the thread until `close`. Reports started when the store is open.

        Raises:
            CannotCreate, StorageError: the store cannot be opened.
        """
        self._token = trio.lowlevel.current_trio_token()
        failed: Exception | None = None
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._close_at_the_end)
            with trio.CancelScope(shield=True):  # ends by `close`, so that the last commit is never cut short
                try:
                    await trio.to_thread.run_sync(self._main, task_status)
                except Exception as error:  # noqa: BLE001  # raised below, outside of the nursery: no group
                    failed = error
            nursery.cancel_scope.cancel()
        if failed is not None:
            raise failed

    async def _close_at_the_end(self) -> None:
        """Close when cancelled from outside: the store may be waiting for room, and nobody else is left."""
        try:
            await trio.sleep_forever()
        finally:
            self.close()

    async def call(self, step: Callable[Concatenate[Ledger, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Execute a function of the ledger that changes nothing, and return its result."""
        return await self._ask(_Call(lambda ledger: step(ledger, *args, **kwargs)))

    async def change(self, step: Callable[Concatenate[Ledger, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Execute a function of the ledger and commit; for changes that people ask for."""
        return await self._ask(_Call(lambda ledger: step(ledger, *args, **kwargs), commit=True))

    async def perform(self, step: Step) -> Effects:
        """Perform a step of the crawl. It survives the death of the process; committed later."""
        return await self._ask(_Call(lambda ledger: perform(ledger, step), kept=step))

    async def flush(self) -> None:
        """Commit now; returns when everything asked for before is on the disk."""
        await self._ask(_Call(lambda _: None, commit=True))

    async def _ask(self, call: _Call[R]) -> R:
        self._queue.put(call)  # type: ignore[arg-type]  # the queue does not care what a call returns
        await call.done.wait()
        return call.unwrap()

    async def usage(self) -> tuple[int, int, int]:
        """Bytes of the store's file; snapshots of it that are open; commits since the oldest of these."""
        return await self._ask(_Call(lambda _: (self._env.bytes_used(), *self._env.readers())))

    def close(self) -> None:
        """Let the thread execute what it was asked for, commit and end."""
        self._closing.set()
        self._queue.put(None)

    # everything below runs in the thread

    def _main(self, task_status: trio.TaskStatus[None]) -> None:
        env, self._ledger = self._open_ledger()
        self._env = env
        with env, closing(Journal(env.path / "journal")) as self._journal:
            self._recover()
            trio.from_thread.run_sync(task_status.started)
            try:
                while (call := self._next()) is not None:
                    self._execute(call)
            finally:
                self._ledger.abort()

    def _recover(self) -> None:
        """Perform again what a killed process had done since its last commit."""
        self._ledger.begin()
        for payload in self._journal.read(self._ledger.state.commits):
            step = decode(Step, payload)
            call: _Call[object] = _Call(partial(perform, step=step))
            self._attempt(partial(self._run, call))
            if call.error is None:
                self._since_commit.append(call)
        if self._is_behind():
            mending: _Call[object] = _Call(self._mend)
            self._attempt(lambda: self._run(mending))
            mending.unwrap()
            self._since_commit.append(mending)
        self._commit()
        self._journal.cut(0)

    def _next(self) -> _Call[object] | None:
        while True:
            wait = self._commit_due - time.monotonic() if self._since_commit else None
            try:
                call = self._queue.get(timeout=None if wait is None else max(0.0, wait))
            except queue.Empty:
                self._commit()
                continue
            if call is None:
                self._commit_last()
            return call

    def _commit_last(self) -> None:
        """Commit, and leave nothing that is not known to be on the disk."""
        self._commit()
        if self._syncing is not None:
            self._syncing.finish()
        if self._is_behind():
            self._since_commit.append(_Call(lambda _: None))
            self._commit()

    def _is_behind(self) -> bool:
        return self._syncing is not None and self._syncing.is_behind(self._ledger.state)

    def _execute(self, call: _Call[object]) -> None:
        if not self._since_commit:
            self._commit_due = time.monotonic() + self._interval
        before = self._journal.end
        if call.kept is not None:
            payload = encode(call.kept)
            self._attempt(lambda: self._keep(payload))
        self._attempt(lambda: self._run(call))
        if call.error is None and (call.commit or call.kept is not None):
            self._since_commit.append(call)
        elif call.kept is not None:
            self._journal.cut(before)
        elif not self._since_commit:
            self._ledger.rest()  # it only read: a daemon at rest writes nothing
        if call.commit or time.monotonic() >= self._commit_due:
            self._commit()
        if time.monotonic() >= self._trim_due:
            self._trim_due = time.monotonic() + TRIM_EVERY
            self._env.trim()
        self._token.run_sync_soon(call.done.set)

    def _keep(self, payload: bytes) -> None:
        self._ledger.begin()
        self._journal.append(self._ledger.state.commits, payload)

    def _run(self, call: _Call[object]) -> None:
        with translated(self._env.path):
            try:
                call.result = call.step(self._ledger)
            except (MapFull, StorageError, lmdb.Error):
                raise
            except Exception as error:  # noqa: BLE001  # it is raised where the step was asked for
                call.error = error
                self._replay()

    def _commit(self) -> None:
        if not self._since_commit:
            return
        began = time.monotonic()
        self._attempt(self._commit_once)
        self._journal.cut(0)
        self.commit_times.observe(time.monotonic() - began)
        self._since_commit.clear()
        if self._syncing is not None:
            self._syncing.after_commit()
        self._sweep()
        self.commits += 1
        self._token.run_sync_soon(self._announce)

    def _sweep(self) -> None:
        """Look now and then for readers that were killed: what they held makes the file grow for ever."""
        if time.monotonic() >= self._sweep_due:
            self._env.sweep_readers()
            self._sweep_due = time.monotonic() + SWEEP_EVERY

    def _announce(self) -> None:
        self.committed.set()
        self.committed = trio.Event()

    def _commit_once(self) -> None:
        with translated(self._env.path):
            if self._syncing is not None:
                self._syncing.before_commit(self._ledger.state)
            self._ledger.commit()

    def _attempt(self, action: Callable[[], None]) -> None:
        """Do something that may need a larger map or a roomier disk, as often as it takes."""
        replay = False
        while True:
            try:
                if replay:
                    self._replay()
                action()
            except MapFull:
                self._ledger.abort()
                self._env.grow()
            except DiskFull as error:
                self._ledger.abort()
                self._tell(error)
                if self._closing.wait(DISK_FULL_PAUSE):
                    raise
            else:
                self._tell(None)
                return
            replay = True

    def _replay(self) -> None:
        """Begin a new transaction that holds what the aborted one held."""
        self._ledger.abort()
        for call in self._since_commit:
            with translated(self._env.path):
                call.step(self._ledger)

    def _tell(self, trouble: StorageError | None) -> None:
        if (trouble is None) != (self.trouble is None):
            self.trouble = trouble
            self._token.run_sync_soon(self._on_trouble, trouble)
