"""Composition of the daemon: start in order, stop in reverse.

lock -> socket -> store (recovered) -> API answers -> coordinator and fetchers
"""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import msgspec
import trio

from spiderd.api.metrics_port import serve_port
from spiderd.api.server import serve
from spiderd.archive.directory import cut_back
from spiderd.config import Config
from spiderd.config.loading import Loaded
from spiderd.coordinator.coordinator import Coordinator
from spiderd.coordinator.hosts import MAX_HOSTS
from spiderd.daemon import intake
from spiderd.daemon.disk import Place, expect_room, watch_disk, watch_place
from spiderd.daemon.fetchers import Forked, opener, process_count
from spiderd.daemon.happenings import Happenings
from spiderd.daemon.log import Log
from spiderd.daemon.notify import Notifier
from spiderd.daemon.service import Service
from spiderd.daemon.settings import LiveSettings
from spiderd.daemon.showing import showing
from spiderd.daemon.steering import STOP_GRACE, Steering
from spiderd.errors import ConfigError, SpiderdError, StorageError, UsageError
from spiderd.messages import Setup
from spiderd.report import Report
from spiderd.states import CrawlState, Reason
from spiderd.store import lists
from spiderd.store.commands import add_seeds, save_settings
from spiderd.store.opening import Restored, open_ledger, restore
from spiderd.store.step import copy_of
from spiderd.store.syncing import BESIDE_EVERY, Syncing, sync_files
from spiderd.store.thread import BATCH_INTERVAL, COMMIT_INTERVAL, StoreThread
from spiderd.units import counted
from spiderd.verify import Mending

PROGRESS_INTERVAL = 0.5  # seconds
INDEX_GRACE = 0.3  # seconds that the index has to catch up at the end of a crawl,
INDEX_SHARE = 0.1  # or this part of the time that the crawl took
FORCE_AFTER = 3.0  # seconds beyond the grace until whoever still hangs is left behind


class Daemon:
    """One run of the daemon on a locked data directory and a listening socket."""

    def __init__(
        self,
        config: Config,
        data_dir: Path,
        sock: socket.socket,
        *,
        once: bool,
        report: Report,
        reread: Callable[[], Loaded] | None = None,
        source: Path | None = None,
        notifier: Notifier | None = None,
        forked: list[Forked] | None = None,
        clock: Callable[[], float] = time.time,
        tick: float = PROGRESS_INTERVAL,
    ) -> None:
        """Prepare a run.

        Args:
            config: the effective configuration.
            data_dir: locked.
            sock: listening, for the API.
            once: end when the crawl is complete.
            report: told of milestones and progress.
            reread: reads the configuration again; by default it is always the same.
            source: the file that the configuration was read from.
            notifier: the way to the service manager, if there is one.
            forked: fetchers that are there already.
            clock: tells unix time.
            tick: seconds between two reports of progress.
        """
        self._clock = clock
        self._tick = tick
        self._config = config
        self._filed = Loaded(config, source)
        self._reread = reread or (lambda: self._filed)
        self._data_dir = data_dir
        self._sock = sock
        self._once = once
        self._report = report
        self._happenings = Happenings(Log(config.log.level, form=config.log.format))
        self._service = Service(notifier or Notifier())
        self._forked = [] if forked is None else forked
        self._started = time.monotonic()
        self._tell_trouble: Callable[[StorageError | None], None] = self._say_trouble
        self._stops = 0
        self._force = trio.Event()

    async def run(self) -> int:
        """Crawl until stopped, or (once) until complete; the exit code."""
        with self._happenings.capturing():
            return await self._run()

    async def _run(self) -> int:
        order = self._config.crawl.order
        archive = self._data_dir / "pages"
        batched = self._config.archive.durability == "batch"
        mending = Mending(archive, self._config.urls)
        self._store = StoreThread(
            partial(open_ledger, self._data_dir / "store", order),
            interval=BATCH_INTERVAL if batched else COMMIT_INTERVAL,
            syncing=Syncing(partial(sync_files, archive), every=BESIDE_EVERY if batched else 0.0),
            mend=mending,
            on_trouble=lambda trouble: self._tell_trouble(trouble),  # noqa: PLW0108  # it changes
        )
        await trio.to_thread.run_sync(expect_room, self._data_dir)
        self._place = Place(self._data_dir)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._service.ask_for_time)
            await nursery.start(self._keep_store)
            if mending.lost:
                text = f"files of {counted(mending.lost, 'page')} were lost, as in a power cut; fetched again"
                self._happenings.add("warning", "store", text)
            try:
                kept, outside = await self._store.call(lists.settings)
                await self._take_settings(kept)
                order = self._config.crawl.order
                seeds = [one.url for one in intake.examine(self._config.crawl.seeds, self._config) if one.url]
                restored = await self._store.change(restore, order, seeds, MAX_HOSTS + 1)
                await self._crawl(restored, outside)
            finally:
                self._store.close()
        self._report.stopped(self._steering.snapshot(), self._elapsed())
        return 0

    async def _keep_store(self, task_status: trio.TaskStatus[None]) -> None:
        try:
            await self._store.run(task_status=task_status)
        finally:
            self._service.done()

    async def _take_settings(self, kept: bytes | None) -> None:
        """Put the settings that were made live over those of the file."""
        overrides = msgspec.msgpack.decode(kept, type=dict[str, object]) if kept else {}
        self._settings = settings = LiveSettings(self._filed, self._reread, overrides)
        self._config = settings.running
        self._happenings.log_by(self._config.log)
        for change in settings.overridden():
            text = f"{change.key} = {change.value} holds, which was set live (the file has {change.filed})"
            self._happenings.add("info", "settings", text)
        for sentence in settings.dropped:
            text = f"a setting that was made live does not fit any more and is dropped: {sentence}"
            self._happenings.add("warning", "settings", text)
        if settings.dropped:
            await self._store.change(save_settings, msgspec.msgpack.encode(settings.overrides))

    async def _crawl(self, restored: Restored, outside: bytes | None) -> None:
        if restored.counters.known:
            found = copy_of(restored.counters)
            found.processing = restored.leased
            found.waiting -= restored.leased
            self._report.restored(found)
        await trio.to_thread.run_sync(self._place.begin)
        self._build(restored, outside)
        await self._add_seeds()
        await self._cut_back()
        async with showing(self._steering, self._config.web), trio.open_nursery() as nursery:
            await nursery.start(serve, self._steering, self._sock)
            if place := self._config.api.metrics:
                await nursery.start(serve_port, self._steering, place)
            nursery.start_soon(self._heed_signals, nursery)
            nursery.start_soon(self._keep_time)
            nursery.start_soon(self._obey_force)
            nursery.start_soon(watch_place, self._place, self._coordinator)
            nursery.start_soon(watch_disk, self._data_dir, self._coordinator, self._store)
            nursery.start_soon(self._steering.searching.run)
            nursery.start_soon(self._steering.auditing.run)
            nursery.start_soon(self._serve_manager)
            with trio.CancelScope() as self._crawling:
                await self._coordinator.run(restored.hosts, paused=restored.paused)
                await self._settle_index()
            nursery.cancel_scope.cancel()
        if missing := await trio.to_thread.run_sync(self._place.missing):
            raise StorageError(missing)
        await self._cut_back()

    async def _settle_index(self) -> None:
        """After a crawl that has come to its end, give the index a moment to come to its own."""
        if self._coordinator.lifecycle.reason is Reason.DRAINED:
            await self._store.flush()
            pages = await self._store.call(lists.pages)
            await self._steering.searching.settle(pages, max(INDEX_GRACE, INDEX_SHARE * self._elapsed()))

    async def _cut_back(self) -> None:
        """Remove from the archive what was never recorded: a fetcher died, or was not waited for.

        Workers do that for their own directories; this is for those that have no worker now.
        """
        for number, row in await self._store.call(lists.directories):
            if row.open:
                place = (self._data_dir / "pages", number, row.count, row.index_bytes, row.records_bytes)
                await trio.to_thread.run_sync(cut_back, *place)

    def _build(self, restored: Restored, outside: bytes | None) -> None:
        processes = process_count(self._config)
        setup = Setup(self._config, [], str(self._data_dir / "pages"), restored.seeds)
        fetchers = opener(processes, self._forked)
        self._coordinator = Coordinator(
            self._config, self._store, self._happenings, fetchers, setup, processes, self._clock
        )
        self._tell_trouble = self._coordinator.on_trouble
        self._coordinator.desk.counters = restored.counters  # until the first turn: rates begin at nothing
        self._coordinator.auth.update(restored.auth)
        self._coordinator.revisiting.once = self._once
        self._coordinator.watch.restore(restored.shapes)
        seeds = self._coordinator.seeds
        self._coordinator.outside.restore(outside, seeds, fresh=not restored.counters.known)
        self._steering = Steering(
            self._settings, self._data_dir, restored.crawl, self._coordinator, self._store, self._happenings
        )
        self._steering.stop_asked = partial(self._stop, Reason.USER)
        self._steering.reloading = self._service.reloading

    async def _add_seeds(self) -> None:
        candidates = intake.examine(self._config.crawl.seeds, self._config)
        refused = [candidate.text for candidate in candidates if candidate.reason]
        for candidate in intake.examine(refused, self._filed.config):
            if candidate.reason:
                raise ConfigError(f"The seed {candidate.text} cannot be used: {candidate.reason}.")
        for text in refused:
            sentence = f"the seed {text} is left out: a scope that was set live refuses it"
            self._happenings.add("warning", "settings", sentence)
        candidates = [candidate for candidate in candidates if candidate.url]
        if candidates:
            urls = [candidate.url for candidate in candidates]
            auth = intake.auth_of(candidates)
            self._coordinator.auth.update(auth)
            await self._store.change(add_seeds, intake.found(candidates), urls, auth)
        elif self._once and not self._coordinator.desk.counters.known:
            raise UsageError("There is nothing to crawl, so --once would wait for ever: name a URL.")

    def _say_trouble(self, trouble: StorageError | None) -> None:
        """The store cannot be written before there is a crawl that could be paused."""
        if trouble is not None:
            self._happenings.add("error", "store", str(trouble))

    def _elapsed(self) -> float:
        return time.monotonic() - self._started

    # tasks

    async def _serve_manager(self) -> None:
        """Tell the service manager that we are ready, then how it goes, as long as it goes."""
        self._service.ready(self._steering.snapshot())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(
                self._service.keep_telling,
                self._steering.snapshot,
                lambda: self._coordinator.lifecycle.changed,
            )
            nursery.start_soon(
                self._service.keep_alive,
                partial(self._store.call, lambda _: None),
                lambda: self._store.trouble is not None,
            )

    async def _heed_signals(self, nursery: trio.Nursery) -> None:
        with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:
            async for number in signals:
                if number == signal.SIGHUP:
                    nursery.start_soon(self._reload)
                else:
                    self._stop(Reason.SIGNAL)

    async def _reload(self) -> None:
        with suppress(SpiderdError):  # it is in the log, and the crawl goes on as it was
            await self._steering.reload()

    def _stop(self, reason: Reason) -> None:
        """Stop in order; when asked again, at once."""
        self._service.stopping()
        self._stops += 1
        self._coordinator.stop(reason, grace=STOP_GRACE if self._stops == 1 else 0.0)
        self._force.set()

    async def _obey_force(self) -> None:
        await self._force.wait()
        with trio.move_on_after(STOP_GRACE + FORCE_AFTER):
            while self._stops < 2:
                self._force = trio.Event()
                await self._force.wait()
            await trio.sleep(FORCE_AFTER)
        self._crawling.cancel()

    async def _keep_time(self) -> None:
        """Sample rates, report progress, and notice the end."""
        sample_due = 0.0
        told: float | None = None
        fetched = -1  # URLs that were known when it was told
        while True:
            if time.monotonic() >= sample_due:
                sample_due = time.monotonic() + 1.0
                self._steering.rates.sample(time.monotonic(), self._steering.counters())
                await self._steering.refresh_directories()
                self._happenings.sweep()
            lifecycle = self._coordinator.lifecycle
            known = self._coordinator.desk.counters.known
            ended = lifecycle.state is CrawlState.COMPLETE and lifecycle.since != told
            if ended or (lifecycle.state is CrawlState.WAITING and known != fetched):
                told, fetched = lifecycle.since, known  # rests between visits are told if there was news
                self._report.complete(self._steering.snapshot(), self._elapsed())
                if self._once:
                    self._service.stopping()
                    self._coordinator.stop(Reason.DRAINED, grace=0.0)
            self._report.progress(self._steering.snapshot())
            with trio.move_on_after(self._tick):
                await lifecycle.changed.wait()


def run_daemon(
    loaded: Loaded,
    data_dir: Path,
    sock: socket.socket,
    *,
    once: bool,
    report: Report,
    reread: Callable[[], Loaded] | None,
    notifier: Notifier,
    forked: list[Forked],
) -> int:
    """Run the daemon; the exit code.

    Raises:
        SpiderdError: it cannot start or go on, with a sentence for the user.
    """
    daemon = Daemon(
        loaded.config,
        data_dir,
        sock,
        once=once,
        report=report,
        reread=reread,
        source=loaded.source,
        notifier=notifier,
        forked=forked,
    )
    with _single_error():
        return trio.run(daemon.run)


@contextmanager
def _single_error() -> Iterator[None]:
    """Raise the one error for the user that a nursery has wrapped into a group."""
    try:
        yield
    except BaseExceptionGroup as group:
        ours = group.subgroup(SpiderdError)
        while isinstance(ours, BaseExceptionGroup):
            ours = ours.exceptions[0]  # type: ignore[assignment]  # a member of the group, at some depth
        if ours is None:
            raise
        raise ours from None
