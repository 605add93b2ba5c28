"""The indexer: a process that follows the crawl and keeps the index up to date.

    python -m spiderd.search.indexer TASK      (an `exchange.Task` as JSON)

On standard output it says how far it is, an `IndexState` a line. A line on its standard input makes it look
at the store at once, and answer when everything is in. The end of its standard input tells it to end, and
comes with the death of whoever started it, too; it commits what it has done and goes. It may be killed at
any moment: the next one goes on behind the last commit.

It must never slow the crawl. It runs when a processor would be idle (nice 19 where the system has no such
class), has no lock that the crawl waits for, and reads the store in short snapshots; when the crawl leaves it
no time it falls behind and catches up later. Measured with two busy fetchers on two cores that others use
as well: a crawl takes 9 % longer with SCHED_IDLE, 24 % with nice 19 alone.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from spiderd.errors import SpiderdError, StorageError
from spiderd.protocol import IndexState
from spiderd.search import linkage
from spiderd.search.attempts import Attempts
from spiderd.search.exchange import Task
from spiderd.search.following import Following
from spiderd.search.log import log_to_stderr
from spiderd.search.pace import Pace
from spiderd.search.places import Places
from spiderd.search.schema import VERSION
from spiderd.search.writing import Writing
from spiderd.store.reader import StoreReader
from spiderd.urls import key_hash, seen_key

NICE = 19
PAUSE = 0.25  # seconds between two looks at a store with nothing new
TELL = 0.5  # seconds between two reports

log = logging.getLogger(__name__)


class Ended(Exception):
    """Somebody wants the indexer to end."""


class Bell:
    """What others want of the indexer; set from any thread."""

    def __init__(self) -> None:
        self.ended = False
        self._rung = threading.Event()

    def ring(self) -> None:
        """Ask it to look now."""
        self._rung.set()

    def end(self) -> None:
        """Ask it to end."""
        self.ended = True
        self._rung.set()

    def wait(self, seconds: float) -> bool:
        """Sleep until it rings, but no longer; whether it rang.

        Raises:
            Ended: it is to end.
        """
        rung = self._rung.wait(seconds)
        self._rung.clear()
        if self.ended:
            raise Ended
        return rung


class Indexer:
    """Follows one data directory."""

    def __init__(self, task: Task, bell: Bell, tell: Callable[[IndexState], None]) -> None:
        """Prepare.

        Args:
            task: what to do.
            bell: rung by others.
            tell: called with how far it is, now and then.
        """
        self._task = task
        self._bell = bell
        self._tell = tell
        self._data_dir = Path(task.data_dir)
        self._places = Places(self._data_dir)
        self._pace = Pace()
        self._state = IndexState(state="starting", indexed=0, pages=0)
        self._told = 0.0
        self._ranking: tuple[Path | None, int] = (None, 0)  # the last one, and how many pages it knew

    def run(self) -> None:
        """Work until everything is in or somebody wants an end.

        Raises:
            SpiderdError: the index or the store cannot be used.
        """
        with self._places.locked(), StoreReader(self._data_dir / "store") as reader:
            attempts = Attempts(self._places.root / "attempt")
            with self._writing() as writing:
                following = Following(self._data_dir, reader, writing, attempts)
                with suppress(Ended):
                    self._follow(following, writing, reader)
                following.commit()
            attempts.close()

    def _writing(self) -> Writing:
        """Open the index that counts, or a new one where there is none that can be used."""
        current = None if self._task.rebuild else self._places.current("words", VERSION)
        if current is not None:
            self._published = True
            try:
                return Writing(current)
            except StorageError as error:
                log.warning("%s It is built anew.", error)
        folder = self._places.new("words")
        writing = Writing(folder)
        self._published = self._places.current("words", VERSION) is None
        if self._published:
            self._places.publish("words", VERSION, folder)
        self._places.sweep("words", folder, *filter(None, [self._places.current("words", VERSION)]))
        return writing

    def _follow(self, following: Following, writing: Writing, reader: StoreReader) -> None:
        asked = False  # to say so when everything is in
        while True:
            more = following.step()
            now = time.monotonic()
            if following.uncommitted and self._pace.commit_due(now, idle=not more, asked=asked):
                following.commit()
                self._pace.committed(now, time.monotonic())
            if not more and not following.uncommitted:
                self._publish(writing)
            self._rank(following, writing, reader, idle=not more)
            settled = not more and not following.uncommitted
            state = "indexing" if self._published else "rebuilding"
            self._report(state, following, writing, idle=not more, force=settled and asked)
            if settled and not self._task.follow:
                return
            asked = (asked and not settled) or self._bell.wait(0.0 if more else PAUSE)

    def _publish(self, writing: Writing) -> None:
        """Everything is in: from now on the new index answers."""
        if not self._published:
            self._places.publish("words", VERSION, writing.folder)
            self._places.sweep("words", writing.folder)
            self._published = True

    def _rank(self, following: Following, writing: Writing, reader: StoreReader, *, idle: bool) -> None:
        pages = following.progress()[1]
        now = time.monotonic()
        if not self._pace.ranking_due(now, pages, self._ranked(), idle=idle):
            return
        self._report("ranking", following, writing, idle=False, force=True)
        linkage.update(self._places, reader, self._hash_of, lambda *_: self._unless_ended())
        self._pace.ranked(now, time.monotonic())

    def _ranked(self) -> int:
        """Pages that were there at the last ranking."""
        folder = self._places.current("links", linkage.VERSION)
        if folder != self._ranking[0]:
            self._ranking = folder, linkage.pages_of(folder) if folder is not None else 0
        return self._ranking[1]

    def _hash_of(self, url: str) -> bytes:
        return key_hash(seen_key(url, self._task.urls))

    def _report(
        self, state: str, following: Following, writing: Writing, *, idle: bool, force: bool = False
    ) -> None:
        now = time.monotonic()
        indexed, pages = following.progress()
        settled = idle and indexed >= pages and not following.uncommitted
        name = "idle" if settled else state
        if not force and name == self._state.state and now < self._told + TELL:
            return
        if name != self._state.state or name != "idle":
            self._state.documents = writing.documents()
            self._state.bytes = self._places.size()
        self._state.state = name  # type: ignore[assignment]  # one of the words of the protocol
        self._state.indexed, self._state.pages = indexed, pages
        self._told = now
        self._tell(self._state)

    def _unless_ended(self) -> None:
        if self._bell.ended:
            raise Ended


def main() -> None:
    """Run as a process."""
    task = msgspec.json.decode(sys.argv[1], type=Task)
    bell = Bell()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: bell.end())
    _step_back()
    threading.Thread(target=_heed_input, args=[bell], daemon=True).start()
    log_to_stderr("index")
    try:
        Indexer(task, bell, _print).run()
    except SpiderdError as error:
        log.error("%s", error)  # noqa: TRY400  # a sentence for the log, not a fault of ours
        sys.exit(error.exit_code)


def _step_back() -> None:
    """Let everybody else go first; threads that come later inherit it."""
    with suppress(OSError):
        os.nice(NICE)
        if sys.platform == "linux":
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def _heed_input(bell: Bell) -> None:
    while os.read(0, 4096):
        bell.ring()
    bell.end()


def _print(state: IndexState) -> None:
    try:
        sys.stdout.buffer.write(msgspec.json.encode(state) + b"\n")
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise Ended from None


if __name__ == "__main__":
    main()
