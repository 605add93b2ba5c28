"""What is known about the line to the daemon: a state machine without any I/O.

               begin            greeted
    WAITING ----------> TRYING ---------> LIVE <-----> STALE      heard / nothing heard for STALE_AFTER
       ^                  |                 |            |
       |     lost         v       lost      |            |
       +------------------+<----------------+------------+
    TRYING -> MISMATCHED  (greeted by a daemon that speaks another version; tried again, slowly)

Whoever owns the socket tells this machine what happened and when; it says what to do next and what the
screen may claim. All times are monotonic seconds. The back-off grows while nothing useful was heard: a
daemon that greets and then talks nonsense is not asked at full speed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from spiderd.protocol import API_VERSION

FIRST_DELAY = 0.25  # a daemon that is being restarted is back in well under a second
GROWTH = 1.5
LONGEST_DELAY = 5.0
STALE_AFTER = 3.0  # six snapshots that did not come
NOBODY_AFTER = 1.0  # before this "connecting" is the honest word, afterwards "nobody answers"


class Phase(StrEnum):
    """Where the line stands."""

    WAITING = "waiting"  # not connected, the next try is due at `retry_at`
    TRYING = "trying"  # a try is under way
    LIVE = "live"
    STALE = "stale"  # connected, but nothing has come for a while
    MISMATCHED = "mismatched"  # the daemon speaks another version of the protocol


class Problem(StrEnum):
    """Why there is no line."""

    NONE = ""
    NO_SOCKET = "no socket"  # there is no file at the path
    NOBODY = "nobody listens"  # a file, but no daemon behind it
    FORBIDDEN = "forbidden"  # file permissions
    SILENT = "no answer"  # somebody listens and says nothing
    BROKEN = "connection lost"
    GARBLED = "not understood"  # an answer that is not of the protocol


@dataclass(slots=True)
class Connection:
    """The state of the line; fields may be read by anyone, methods belong to the link."""

    phase: Phase = Phase.WAITING
    problem: Problem = Problem.NONE
    detail: str = ""
    tries: int = 0  # since something useful was last heard
    started: float = 0.0
    retry_at: float = 0.0
    heard_at: float = -1.0  # when the last snapshot came; negative = never
    their_version: int = API_VERSION

    @property
    def connected(self) -> bool:
        """Whether commands can be sent."""
        return self.phase in {Phase.LIVE, Phase.STALE}

    def begin(self, now: float) -> None:
        """Note that a try starts."""
        if self.started == 0.0:
            self.started = now
        self.phase = Phase.TRYING
        self.tries += 1

    def greeted(self, version: int, now: float, jitter: float = 0.5) -> bool:
        """Note the daemon's greeting; says whether we understand each other."""
        self.their_version = version
        if version == API_VERSION:
            self.problem, self.detail = Problem.NONE, ""
            return True
        self.phase = Phase.MISMATCHED
        self._schedule(now, jitter)
        return False

    def heard(self, now: float) -> None:
        """Note that a snapshot has come."""
        self.phase, self.heard_at, self.tries = Phase.LIVE, now, 0
        self.problem, self.detail = Problem.NONE, ""

    def lost(self, problem: Problem, detail: str, now: float, jitter: float = 0.5) -> None:
        """Note that there is no line (any more); `jitter` in [0, 1) spreads clients apart."""
        self.phase, self.problem, self.detail = Phase.WAITING, problem, detail
        self._schedule(now, jitter)

    def retry(self, now: float) -> None:
        """Try at once: somebody asked for it."""
        self.retry_at = now
        self.tries = min(self.tries, 1)

    def tick(self, now: float) -> None:
        """Let time pass: a line without news goes stale."""
        if self.phase is Phase.LIVE and now - self.heard_at > STALE_AFTER:
            self.phase = Phase.STALE

    def wait(self, now: float) -> float:
        """Seconds until the next try is due."""
        return max(0.0, self.retry_at - now)

    def age(self, now: float) -> float:
        """Seconds since the last snapshot; 0 where there was none."""
        return max(0.0, now - self.heard_at) if self.heard_at >= 0 else 0.0

    def nobody(self, now: float) -> bool:
        """Whether to say that there is no daemon: never heard one, and it has been a while."""
        if self.heard_at >= 0 or self.phase is Phase.MISMATCHED:
            return False
        return self.problem is not Problem.NONE and now - self.started >= NOBODY_AFTER

    def _schedule(self, now: float, jitter: float) -> None:
        delay = min(LONGEST_DELAY, FIRST_DELAY * GROWTH ** max(0, self.tries - 1))
        self.retry_at = now + delay * (0.9 + 0.2 * jitter)
