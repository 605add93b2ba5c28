"""The daemon under a service manager: what it tells when, and that a stall ends the signs of life."""

from __future__ import annotations

import threading
from functools import partial

import msgspec
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from spiderd.daemon.service import EXTEND_EVERY, MOST, STATUS_EVERY, Service, sentence, telling_failure
from spiderd.errors import DiskFull, StorageError
from spiderd.states import CrawlState, Reason
from spiderd.store.opening import open_ledger
from spiderd.store.thread import StoreThread
from tests.api.sample import SampleCrawl
from tests.daemon.managing import manager

WATCHDOG = 60.0


@pytest.fixture
def systemd(tmp_path):
    with manager(tmp_path) as found:
        yield found


@pytest.fixture
def clock():
    return MockClock()


def run(clock, job):
    trio.run(job, clock=clock)


async def pass_by(clock, seconds, step=1.0):
    """Let virtual time pass, in steps that every task can take."""
    for _ in range(round(seconds / step)):
        clock.jump(step)
        await wait_all_tasks_blocked()


class Crawl:
    def __init__(self):
        self.now = SampleCrawl().snapshot()
        self.changed = trio.Event()

    def snapshot(self):
        return self.now

    def go(self, state, reason=Reason.NONE):
        self.now = msgspec.structs.replace(self.now, state=state, reason=reason)
        self.changed.set()
        self.changed = trio.Event()


def test_ready_is_told_once_and_with_a_status(systemd):
    Service(systemd.notifier()).ready(SampleCrawl().snapshot())
    (told,) = systemd.pending()
    assert told["READY"] == "1"
    assert told["STATUS"] == "running, 30 pages (1.5/s), 60 waiting, 2 in flight, 3 errors"


def test_a_status_comes_every_ten_seconds_and_with_each_change_of_state(systemd, clock):
    async def main():
        crawl, service = Crawl(), Service(systemd.notifier())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(service.keep_telling, crawl.snapshot, lambda: crawl.changed)
            await wait_all_tasks_blocked()
            await pass_by(clock, 3 * STATUS_EVERY + 5)
            assert len(systemd.pending()) == 3
            crawl.go(CrawlState.PAUSED, Reason.USER)
            await wait_all_tasks_blocked()
            (told,) = systemd.pending()
            assert told["STATUS"].startswith("paused: user, 30 pages")
            crawl.go(CrawlState.STOPPING, Reason.SIGNAL)
            await wait_all_tasks_blocked()
            assert "STOPPING" in systemd.pending()[0]
            nursery.cancel_scope.cancel()

    run(clock, main)


def test_a_long_recovery_asks_for_time_until_it_is_over_but_not_for_ever(systemd, clock):
    async def main():
        service = Service(systemd.notifier())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(service.ask_for_time)
            await wait_all_tasks_blocked()
            await pass_by(clock, 20 * EXTEND_EVERY)
            asked = systemd.pending()
            assert 19 <= len(asked) <= 20
            assert all(int(told["EXTEND_TIMEOUT_USEC"]) > EXTEND_EVERY * 1e6 for told in asked)
            await pass_by(clock, MOST["starting"], step=EXTEND_EVERY)
            systemd.pending()
            await pass_by(clock, 100, step=EXTEND_EVERY)
            assert systemd.pending() == [], "a recovery that hangs is ended in the end"
            service.ready(SampleCrawl().snapshot())
            await pass_by(clock, 100)
            assert [set(told) for told in systemd.pending()] == [{"READY", "STATUS"}]
            service.stopping()
            await pass_by(clock, 20)
            first, *rest = systemd.pending()
            assert first["STOPPING"] == "1"
            assert rest
            assert all("EXTEND_TIMEOUT_USEC" in told for told in rest)
            service.done()

    run(clock, main)


def test_a_reload_is_told_with_its_time_and_its_end(systemd):
    service = Service(systemd.notifier())
    with service.reloading():
        (told,) = systemd.pending()
        assert told["RELOADING"] == "1"
        assert int(told["MONOTONIC_USEC"]) > 0
    assert systemd.pending() == [{"READY": "1"}]


def test_after_stopping_nothing_is_ready_again(systemd):
    service = Service(systemd.notifier())
    with service.reloading():
        service.stopping()
        service.stopping()
    assert [set(told) for told in systemd.pending()] == [
        {"RELOADING", "MONOTONIC_USEC"},
        {"STOPPING", "STATUS"},
    ]


def test_the_watchdog_is_fed_at_twice_its_rate_while_loop_and_writer_go_on(systemd, clock, tmp_path):
    async def main(store):
        service = Service(systemd.notifier(watchdog=WATCHDOG))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(
                service.keep_alive, partial(store.call, lambda _: None), lambda: store.trouble is not None
            )
            for _ in range(4):
                assert await trio.to_thread.run_sync(systemd.until, "WATCHDOG")
                assert systemd.pending() == []
                await wait_all_tasks_blocked()
                clock.jump(WATCHDOG / 2)
            nursery.cancel_scope.cancel()

    run(clock, partial(with_store, tmp_path, main))


def test_a_stalled_writer_stops_the_watchdog(systemd, clock, tmp_path):
    async def main(store):
        service, stall = Service(systemd.notifier(watchdog=WATCHDOG)), threading.Event()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(store.call, lambda _: stall.wait())  # a commit that hangs in the kernel
            await wait_all_tasks_blocked()
            nursery.start_soon(
                service.keep_alive, partial(store.call, lambda _: None), lambda: store.trouble is not None
            )
            await pass_by(clock, 10 * WATCHDOG, step=WATCHDOG / 2)
            assert systemd.pending() == []
            stall.set()
            assert await trio.to_thread.run_sync(systemd.until, "WATCHDOG")
            nursery.cancel_scope.cancel()

    run(clock, partial(with_store, tmp_path, main))


def test_a_full_disk_is_no_stall(systemd, clock):
    """Nothing that a restart would mend: the crawl waits for room, and says so."""
    trouble = [DiskFull("no room")]

    async def main():
        service = Service(systemd.notifier(watchdog=WATCHDOG))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(service.keep_alive, trio.sleep_forever, lambda: bool(trouble))
            await wait_all_tasks_blocked()
            await pass_by(clock, 2 * WATCHDOG, step=WATCHDOG / 2)
            assert len(systemd.pending()) == 4
            trouble.clear()
            await pass_by(clock, 2 * WATCHDOG, step=WATCHDOG / 2)
            assert systemd.pending() == []
            nursery.cancel_scope.cancel()

    run(clock, main)


def test_a_stalled_loop_stops_the_watchdog(systemd):
    stall, stalled, end = threading.Event(), threading.Event(), trio.Event()
    tokens = []

    async def block():
        stalled.set()
        stall.wait()  # blocks the loop: what no task of ours may do

    async def main():
        tokens.append(trio.lowlevel.current_trio_token())
        service = Service(systemd.notifier(watchdog=0.02))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(service.keep_alive, trio.lowlevel.checkpoint, lambda: False)
            nursery.start_soon(block)
            await end.wait()
            nursery.cancel_scope.cancel()

    loop = threading.Thread(target=trio.run, args=[main], daemon=True)
    loop.start()
    assert stalled.wait(10)
    systemd.pending()  # what was told before
    assert systemd.next(timeout=0.2) is None, "ten times the interval"
    stall.set()
    assert systemd.until("WATCHDOG")
    tokens[0].run_sync_soon(end.set)
    loop.join(10)
    assert not loop.is_alive()


def test_a_failure_is_told_with_its_sentence_and_errno(systemd):
    notifier = systemd.notifier()
    full = DiskFull("No room left.")
    full.__cause__ = OSError(28, "No space left on device")
    with pytest.raises(StorageError), telling_failure(notifier):
        raise full
    assert systemd.pending() == [{"STATUS": "No room left.", "ERRNO": "28"}]
    with pytest.raises(StorageError), telling_failure(notifier):
        raise StorageError("The store failed.")
    assert systemd.pending() == [{"STATUS": "The store failed."}]


def test_a_sentence_has_one_line_and_names_the_reason():
    snapshot = SampleCrawl().snapshot()
    snapshot = msgspec.structs.replace(snapshot, state=CrawlState.PAUSED, message="No room left on the disk")
    assert sentence(snapshot).startswith("paused: No room left on the disk, ")


async def with_store(folder, main):
    store = StoreThread(partial(open_ledger, folder / "store", "breadth"))
    async with trio.open_nursery() as nursery:
        await nursery.start(store.run)
        try:
            await main(store)
        finally:
            store.close()
