"""What the screen shows: the newest snapshot, the events that have come, and nothing that draws.

Snapshots are never changed once they are here, so "frozen" is simply holding on to one.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from msgspec import structs

from spiderd.protocol import Event, Hello, Snapshot
from spiderd.states import CrawlState, Reason
from tui.connection import Connection

EVENTS_KEPT = 2000
RECENT_ERRORS = 50
OLD_AFTER = 5.0  # seconds without news after which figures are dimmed

SEVERE = frozenset({"warning", "error"})


@dataclass(slots=True)
class Model:
    """The daemon as we know it."""

    hello: Hello | None = None
    snapshot: Snapshot | None = None
    events: deque[Event] = field(default_factory=lambda: deque(maxlen=EVENTS_KEPT))
    errors: deque[Event] = field(default_factory=lambda: deque(maxlen=RECENT_ERRORS))  # newest last
    last_event: int = 0  # id of the newest event that we have
    lost_events: bool = False  # the daemon's ring had dropped some before we asked

    def greet(self, hello: Hello) -> None:
        """Take in who answers: another crawl is another story."""
        before, self.hello = self.hello, hello
        if before is None:
            return
        if before.crawl != hello.crawl:
            self.snapshot = None
            self.events.clear()
            self.errors.clear()
            self.last_event = 0
        elif (before.pid, before.started) != (hello.pid, hello.started):
            self.last_event = 0  # another daemon counts its events anew

    def show(self, snapshot: Snapshot) -> None:
        """Take in a snapshot; it may be that of a daemon that was restarted between two of them."""
        self.greet(snapshot.hello)
        self.snapshot = snapshot

    def become(self, state: CrawlState, reason: Reason) -> None:
        """Take in what a command has brought about, before the next snapshot tells it."""
        if self.snapshot is not None:
            self.snapshot = structs.replace(self.snapshot, state=state, reason=reason)

    def hear(self, rows: list[Event], last: int, *, gap: bool) -> None:
        """Take in events, oldest first; repeated ones are dropped.

        Args:
            rows: the events.
            last: id of the daemon's newest; below ours where another daemon counts anew.
            gap: whether some between ours and these are lost.
        """
        if last < self.last_event:
            self.last_event, gap = 0, False
        new = [row for row in rows if row.id > self.last_event]
        self.last_event = max(self.last_event, last, new[-1].id if new else 0)
        self.lost_events = self.lost_events or (gap and bool(self.events))
        if new:
            self.events.extend(new)
            self.errors.extend(row for row in new if row.level in SEVERE)


@dataclass(frozen=True, slots=True)
class Picture:
    """What is to be drawn now: the newest snapshot, or the one that is being held still."""

    snapshot: Snapshot | None
    events: list[Event]  # oldest first
    errors: list[Event]  # oldest first
    connection: Connection
    socket: str
    now: float  # monotonic seconds
    frozen: bool = False
    read_only: bool = False
    lost_events: bool = False

    @property
    def old(self) -> bool:
        """Whether the figures are to be shown as things of the past."""
        return not self.connection.connected or self.connection.age(self.now) > OLD_AFTER

    @property
    def rights(self) -> str:
        """What the daemon lets us do."""
        return self.snapshot.hello.rights if self.snapshot else ""
