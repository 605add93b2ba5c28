"""The daemon as a service: tells the manager how far it is, and shows that it is alive only where it is.

    starting   EXTEND_TIMEOUT_USEC every so often while the store recovers, for at most an hour
    running    READY=1 once the store is recovered and clients are answered; STATUS every 10 s and when the
               state changes; RELOADING=1 ... READY=1 around a reload
    stopping   STOPPING=1 before anything else, then EXTEND_TIMEOUT_USEC while there is something to commit

The watchdog. A process that is there proves nothing, nor does a timer that still fires. A sign of life is
sent when a question has made the round: the loop has put it to the store's thread, the thread has come to it
(so it has finished whatever it did before), and the loop has taken the answer. A loop that stalls or a
writer that hangs in a commit sends nothing, and the manager ends the process; crash safety does the rest. A
full disk is told apart: the thread is alive and says that it waits for room, which no restart would bring.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import trio

from spiderd.daemon.notify import Notifier
from spiderd.errors import SpiderdError
from spiderd.protocol import Snapshot
from spiderd.states import CrawlState
from spiderd.units import counted, human_count, human_rate

STATUS_EVERY = 10.0  # seconds
EXTEND_EVERY = 5.0  # seconds between two requests for time,
EXTENSION = 30.0  # each for so many seconds
MOST = {"starting": 3600.0, "stopping": 600.0}  # seconds after which nobody asks any more
DOING = {"starting": "the store is being recovered", "stopping": "what is left is being committed"}


class Service:
    """One run of the daemon under a service manager; without one it does nothing."""

    def __init__(self, notifier: Notifier) -> None:
        self._notifier = notifier
        self._is_ready = False
        self._is_stopping = False
        self._asking = trio.CancelScope()

    # milestones

    def ready(self, snapshot: Snapshot) -> None:
        """The store is recovered and clients are answered."""
        self._is_ready = True
        self._notifier.send(READY=1, STATUS=sentence(snapshot))

    @contextmanager
    def reloading(self) -> Iterator[None]:
        """Say that the configuration is being read again, and when that is over."""
        microseconds = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        self._notifier.send(RELOADING=1, MONOTONIC_USEC=microseconds)
        try:
            yield
        finally:
            if not self._is_stopping:
                self._notifier.send(READY=1)

    def stopping(self) -> None:
        """The daemon is on its way out; told once, before anything is done about it."""
        if not self._is_stopping:
            self._is_stopping = True
            self._notifier.send(STOPPING=1, STATUS="stopping")

    def done(self) -> None:
        """Everything is committed: no more time is needed."""
        self._asking.cancel()

    # tasks

    async def keep_telling(self, snapshot: Callable[[], Snapshot], changed: Callable[[], trio.Event]) -> None:
        """Tell how the crawl is, now and then and when its state changes.

        Args:
            snapshot: describes the crawl.
            changed: the event that the next change of its state sets.
        """
        if not self._notifier.is_there:
            return
        while True:
            with trio.move_on_after(STATUS_EVERY):
                await changed().wait()
            now = snapshot()
            if now.state is CrawlState.STOPPING:
                self.stopping()
            self._notifier.send(STATUS=sentence(now))

    async def keep_alive(
        self, round_trip: Callable[[], Awaitable[object]], excused: Callable[[], bool]
    ) -> None:
        """Feed the watchdog at twice the rate that it wants, as long as there is progress.

        Args:
            round_trip: returns when loop and writer have both gone on.
            excused: whether the writer waits for something that it has told about.
        """
        if not self._notifier.watchdog:
            return
        every = self._notifier.watchdog / 2
        while True:
            with trio.move_on_after(every):
                await round_trip()
                self._notifier.send(WATCHDOG=1)
                await trio.sleep_forever()
            if excused():
                self._notifier.send(WATCHDOG=1)

    async def ask_for_time(self) -> None:
        """Ask for more time as long as starting or stopping takes it: a long recovery is no hang."""
        with self._asking:
            since, phase = trio.current_time(), ""
            while self._notifier.is_there:
                await trio.sleep(EXTEND_EVERY)
                if phase != (phase := self._phase()):
                    since = trio.current_time() - EXTEND_EVERY
                if phase and trio.current_time() - since <= MOST[phase]:
                    extension = int(EXTENSION * 1e6)
                    self._notifier.send(EXTEND_TIMEOUT_USEC=extension, STATUS=f"{phase}: {DOING[phase]}")

    def _phase(self) -> str:
        if self._is_stopping:
            return "stopping"
        return "" if self._is_ready else "starting"


@contextmanager
def telling_failure(notifier: Notifier) -> Iterator[None]:
    """Tell the manager why the daemon ends, where it ends with a sentence for the user."""
    try:
        yield
    except SpiderdError as error:
        notifier.send(**_failure(error))
        raise


def _failure(error: Exception) -> dict[str, str | int]:
    cause: BaseException | None = error
    while cause is not None and not (isinstance(cause, OSError) and cause.errno):
        cause = cause.__cause__
    number = {"ERRNO": cause.errno} if isinstance(cause, OSError) and cause.errno else {}
    return {"STATUS": str(error), **number}


def sentence(snapshot: Snapshot) -> str:
    """Say how the crawl is, on one line."""
    counters = snapshot.counters
    why = snapshot.message or snapshot.reason
    said = [
        f"{snapshot.state}: {why}" if why else str(snapshot.state),
        f"{counted(counters.pages, 'page')} ({human_rate(snapshot.rates.pages)})",
        f"{human_count(counters.waiting)} waiting",
        f"{human_count(counters.processing)} in flight",
        counted(counters.error, "error"),
    ]
    return ", ".join(said)
