"""The crawl as a screen shows it: answered from memory, since every client asks twice a second."""

from __future__ import annotations

import os
import time
from pathlib import Path

import spiderd
from spiderd.archive.directory import directory_path
from spiderd.coordinator.coordinator import Coordinator
from spiderd.daemon.rates import RateMeter
from spiderd.daemon.settings import LiveSettings
from spiderd.protocol import (
    API_VERSION,
    Change,
    Counters,
    DirectoryRow,
    Hello,
    IndexState,
    Snapshot,
    WorkerRow,
)
from spiderd.states import Step
from spiderd.store import lists
from spiderd.store.records import DirectoryRecord
from spiderd.store.step import copy_of
from spiderd.store.thread import StoreThread


class Picture:
    """Draws the snapshot and the rows that it is made of."""

    def __init__(
        self,
        settings: LiveSettings,
        data_dir: Path,
        crawl: str,
        coordinator: Coordinator,
        store: StoreThread,
    ) -> None:
        self._settings = settings
        self._data_dir = data_dir
        self._crawl = crawl
        self._coordinator = coordinator
        self._store = store
        self._started = time.time()
        self._pages_before = coordinator.desk.counters.pages
        self._open: dict[int, tuple[int, DirectoryRecord]] = {}  # worker -> its directory
        self._directories = 0
        self._overrides: list[Change] = []
        self.rates = RateMeter()
        self.settings_changed()

    def settings_changed(self) -> None:
        """Show the settings as they are now."""
        self._overrides = self._settings.overridden()

    def hello(self) -> Hello:
        """Say who is there."""
        return Hello(
            api=API_VERSION,
            version=spiderd.__version__,
            pid=os.getpid(),
            crawl=self._crawl,
            started=self._started,
            data_dir=str(self._data_dir),
            rights="read",
        )

    def counters(self) -> Counters:
        """Counters of the last turn; what is in flight counts as processing, not as waiting."""
        counters = copy_of(self._coordinator.desk.counters)
        counters.processing = min(self._coordinator.desk.book.pages, counters.waiting)
        counters.waiting -= counters.processing
        return counters

    def snapshot(self, last_event: int, index: IndexState | None) -> Snapshot:
        """Describe the crawl as it is now."""
        lifecycle, config = self._coordinator.lifecycle, self._settings.running
        counters = self.counters()
        return Snapshot(
            now=time.time(),
            state=lifecycle.state,
            reason=lifecycle.reason,
            message=lifecycle.message,
            since=lifecycle.since,
            hello=self.hello(),
            counters=counters,
            rates=self.rates.rates(),
            workers=self.workers(),
            directories=[
                self.directory(n, r)
                for worker, (n, r) in sorted(self._open.items())
                if self._is_there(worker)
            ],
            directories_total=self._directories,
            last_event=last_event,
            order=config.crawl.order,
            threads=config.crawl.threads,
            max_pages=config.crawl.max_pages,
            index=index,
            pages_this_run=counters.pages - self._pages_before,
            overrides=self._overrides,
        )

    async def refresh(self) -> None:
        """Look the open directories up in the store; once a second is often enough."""
        rows = await self._store.call(lists.directories)
        self._directories = len(rows)
        self._open = {row.worker: (number, row) for number, row in rows if row.open}

    def workers(self) -> list[WorkerRow]:
        """Tell what each worker does; one that is to go is there until it has finished."""
        count = self._settings.running.crawl.threads
        leaving = sorted(worker for worker in self._coordinator.workers if worker >= count)
        return [self._worker(worker) for worker in (*range(count), *filter(self._is_there, leaving))]

    def _is_there(self, worker: int) -> bool:
        if worker < self._settings.running.crawl.threads:
            return True
        state = self._coordinator.workers.get(worker)
        return state is not None and state.step is not Step.IDLE

    def _worker(self, worker: int) -> WorkerRow:
        state = self._coordinator.workers.get(worker)
        pages, errors = self._coordinator.tallies.get(worker, (0, 0))
        return WorkerRow(
            worker=worker,
            step=state.step if state is not None else Step.IDLE,
            since=state.since if state is not None else self._started,
            url=state.url if state is not None else "",
            directory=self._open[worker][0] if worker in self._open else 0,
            pages=pages,
            errors=errors,
        )

    def directory(self, number: int, record: DirectoryRecord) -> DirectoryRow:
        """Show one download directory."""
        return DirectoryRow(
            directory=number,
            worker=record.worker,
            count=record.count,
            max_count=self._settings.running.archive.max_count,
            bytes=record.bytes,
            open=record.open,
            path=str(directory_path(self._data_dir / "pages", number)),
        )
