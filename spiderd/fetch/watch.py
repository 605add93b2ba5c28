"""The clock of one exchange: all its time limits on one cancel scope, and what is known when it ends.

A scope around every receive would cost as much as the receive itself. Here one scope spans the exchange; its
deadline is the nearest of all limits that apply now, and `_why` remembers whose it is. On a warm connection
whose answer comes in one piece the deadline is set once and never moved.

The minimum rate needs no timer of its own either: within a window (from the first byte on) the deadline is
the window's end as long as the bytes that are due have not come; when they have, the window cannot fail any
more and the next receive after its end opens a new one.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import trio

from spiderd.fetch.failure import FetchError
from spiderd.fetch.headers import Headers
from spiderd.fetch.limits import Limits
from spiderd.states import Failure, Step

OnStep = Callable[[Step], None]


def ignore(step: Step) -> None:
    """The step listener of those who do not care."""


class Watch:
    """Deadlines, steps and facts of one exchange. Times are `trio.current_time()`."""

    __slots__ = (
        "_base",
        "_end",
        "_patience",
        "_why",
        "_window_end",
        "address",
        "first",
        "head",
        "headers",
        "limits",
        "on_step",
        "received",
        "request",
        "scope",
        "sent",
        "started",
        "status",
        "verdict",
    )

    def __init__(self, limits: Limits, on_step: OnStep = ignore) -> None:
        now = trio.current_time()
        self.limits = limits
        self.on_step = on_step
        self.started = now
        self.sent = now  # when the request had been written
        self.first = 0.0  # when the first byte of the answer came; 0 = not yet
        self.received = 0  # bytes
        self.address = ""
        self.status = 0
        self.headers: Headers | None = None
        self.head = b""  # as received
        self.request = b""  # as sent
        self.verdict: FetchError | None = (
            None  # raised instead of a time-out where the outcome is known already
        )
        self._end = now + limits.total
        self._window_end = inf
        self._base = 0  # bytes received when the window began
        self._why = Failure.FIRST_BYTE_TIMEOUT
        self._patience = limits.read
        self.scope = trio.CancelScope(deadline=min(self._end, now + limits.read))

    def phase(self, why: Failure, seconds: float) -> None:
        """Give what comes now `seconds`; when they are over the failure is `why`."""
        self._why = why
        self._patience = seconds
        self.scope.deadline = min(self._end, trio.current_time() + seconds)

    def remaining(self) -> float:
        """Seconds until the deadline that applies now."""
        return max(0.0, self.scope.deadline - trio.current_time())

    def arrived(self, size: int) -> None:
        """Count bytes that have been received."""
        if not self.received:
            self.first = trio.current_time()
            self.on_step(Step.RECEIVING)
            self._window_end = self.first + self.limits.min_rate_window
        self.received += size

    def more(self) -> None:
        """Move the deadline, since the answer goes on; raises FetchError where it comes too slowly."""
        now = trio.current_time()
        limits = self.limits
        due = limits.min_rate * limits.min_rate_window
        if now >= self._window_end:
            if self.received - self._base < due:
                raise self.too_slow()
            self._window_end = now + limits.min_rate_window
            self._base = self.received
        idle_end = now + limits.read
        self._why = Failure.IDLE_TIMEOUT
        self._patience = limits.read
        if self._window_end < idle_end and self.received - self._base < due:
            idle_end = self._window_end
            self._why = Failure.TOO_SLOW
        self.scope.deadline = min(self._end, idle_end)

    def fail(self, failure: Failure, detail: str) -> FetchError:
        """A FetchError with all that is known of the exchange."""
        return FetchError(failure, detail, status=self.status, headers=self.headers, address=self.address)

    def too_slow(self) -> FetchError:
        """The failure of an answer below the minimum rate."""
        limits = self.limits
        return self.fail(
            Failure.TOO_SLOW,
            f"less than {limits.min_rate} bytes a second over {limits.min_rate_window:g} s",
        )

    def expired(self) -> FetchError:
        """What it means that the scope's deadline has passed."""
        if self.verdict is not None:
            return self.verdict
        if trio.current_time() >= self._end:
            return self.fail(Failure.TOTAL_TIMEOUT, f"not done within {self.limits.total:g} s")
        if self._why is Failure.TOO_SLOW:
            return self.too_slow()
        return self.fail(self._why, _SENTENCES[self._why].format(self._patience))


_SENTENCES = {
    Failure.DNS_TEMPORARY: "the name service did not answer within {:g} s",
    Failure.CONNECT_TIMEOUT: "no connection within {:g} s",
    Failure.FIRST_BYTE_TIMEOUT: "no byte of an answer within {:g} s",
    Failure.IDLE_TIMEOUT: "the answer stopped coming for {:g} s",
}
