"""The fetchers as the coordinator sees them: one seat each, restarted when its fetcher dies.

How a fetcher is made (a task, or a process on a socket pair) is the business of whoever composes the daemon;
the crew is given a function that opens a link to fetcher number N and keeps it alive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, suppress

import trio

from spiderd.link import CoordinatorEnd, LinkClosed
from spiderd.messages import Drain, Setup, ToCoordinator, ToFetcher

OpenFetcher = Callable[[int], AbstractAsyncContextManager[CoordinatorEnd]]

RESTART_PAUSE = 1.0  # seconds before a fetcher that died is started again; doubled each time, up to
RESTART_LONGEST = 30.0
LOOK_AHEAD = 2  # leases a worker that a fetcher may hold of hosts that ask for no delay


class Seat:
    """One fetcher: its workers, what it has in hand, what is to be sent to it."""

    def __init__(self, number: int, workers: Sequence[int]) -> None:
        self.number = number
        self.workers = list(workers)  # that take leases
        self.hired: set[int] = set()  # that the fetcher has, those that rest among them
        self.leases: set[int] = set()
        self.answered: set[int] = set()  # of these: their workers will soon be free
        self.up = False
        self.out: list[ToFetcher] = []
        self._wake = trio.Event()

    def send(self, message: ToFetcher) -> None:
        """Queue a message; `flush` lets it go."""
        self.out.append(message)

    def flush(self) -> None:
        """Let queued messages go, in one frame."""
        if self.out:
            self._wake.set()

    def room(self, *, ahead: bool) -> int:
        """Leases that the fetcher can take on.

        Args:
            ahead: whether it may hold more than its workers can serve at once. Only for hosts without a
                delay: what waits in a fetcher reaches its host later than the coordinator thinks.
        """
        if not self.up:
            return 0
        return len(self.workers) * (LOOK_AHEAD if ahead else 1) - len(self.leases)

    def ended(self, lease: int) -> None:
        """The fetcher has it no more."""
        self.leases.discard(lease)
        self.answered.discard(lease)

    def lost(self) -> list[int]:
        """The fetcher is gone: what it had."""
        leases = list(self.leases)
        self.leases.clear()
        self.answered.clear()
        return leases

    async def sending(self, link: CoordinatorEnd) -> None:
        """Send what is queued, as long as the link holds."""
        try:
            while True:
                await self._wake.wait()
                self._wake = trio.Event()
                messages, self.out = self.out, []
                if messages:
                    await link.send(messages)
        except LinkClosed:
            return  # the receiving side notices too


class Crew:
    """All fetchers, supervised."""

    def __init__(
        self,
        open_fetcher: OpenFetcher,
        setup: Setup,
        threads: int,
        processes: int,
        *,
        on_up: Callable[[Seat], None],
        on_messages: Callable[[Seat, Sequence[ToCoordinator]], None],
        on_down: Callable[[Seat, bool], None],
    ) -> None:
        """Seat `threads` workers in as many fetchers as there are processes (one where there are none).

        Args:
            open_fetcher: opens a link to a new fetcher and ends it on leaving.
            setup: first message; each seat gets its own workers put in.
            threads: workers in all.
            processes: fetchers; 0 means one inside the daemon.
            on_up: a fetcher has been started; its workers need their directories.
            on_messages: a frame came in.
            on_down: a fetcher's link has ended; True if it was drained, False if it died.
        """
        self._open_fetcher = open_fetcher
        self._setup = setup
        self._on_up = on_up
        self._on_messages = on_messages
        self._on_down = on_down
        self._draining = False
        self._drained = trio.Event()  # `drain` has been called: no pause before a restart holds it up
        self._most = max(1, processes)
        self._nursery: trio.Nursery | None = None
        count = min(self._most, threads)
        self.seats = [Seat(n, range(n, threads, count)) for n in range(count)]
        self.seat_of = {worker: seat for seat in self.seats for worker in seat.workers}

    async def run(self) -> None:
        """Keep every seat taken until it has been drained."""
        async with trio.open_nursery() as self._nursery:
            for seat in self.seats:
                self._nursery.start_soon(self._keep, seat)

    def reconfigure(self, setup: Setup, threads: int) -> None:
        """Go by other settings, with another number of workers; whoever calls sends them to the fetchers.

        Worker N is always in the same fetcher, which has its directory open. The highest numbers go first,
        once they have finished what they have in hand.
        """
        self._setup = setup
        for seat in self.seats:
            seat.workers = [worker for worker in seat.workers if worker < threads]
        active = {worker for seat in self.seats for worker in seat.workers}
        for worker in range(threads):
            if worker not in active:
                seat = self.seat_of.get(worker) or self._seat_for_new()
                self.seat_of[worker] = seat
                seat.workers.append(worker)

    def _seat_for_new(self) -> Seat:
        if len(self.seats) >= self._most or self._draining:
            return min(self.seats, key=lambda seat: len(seat.workers))
        seat = Seat(len(self.seats), [])
        self.seats.append(seat)
        if self._nursery is not None:
            self._nursery.start_soon(self._keep, seat)
        return seat

    async def _keep(self, seat: Seat) -> None:
        pause = RESTART_PAUSE
        while True:
            async with self._open_fetcher(seat.number) as link, trio.open_nursery() as nursery:
                nursery.start_soon(seat.sending, link)
                if not self._draining:
                    self._welcome(seat)
                    with suppress(LinkClosed):
                        while True:
                            self._on_messages(seat, await link.receive())
                            pause = RESTART_PAUSE
                nursery.cancel_scope.cancel()
            seat.up = False
            seat.out.clear()
            seat.hired.clear()
            self._on_down(seat, self._draining)
            if self._draining:
                return
            with trio.move_on_after(pause):
                await self._drained.wait()
            pause = min(pause * 2, RESTART_LONGEST)

    def _welcome(self, seat: Seat) -> None:
        setup = Setup(self._setup.config, seat.workers, self._setup.archive, self._setup.seeds)
        seat.send(setup)
        seat.flush()
        seat.up = True
        seat.hired = set(seat.workers)
        self._on_up(seat)

    def drain(self, grace: float) -> None:
        """Ask all fetchers to finish what their workers have in hand, within `grace` seconds."""
        self._draining = True
        self._drained.set()
        for seat in self.seats:
            if seat.up:
                seat.send(Drain(grace))
                seat.flush()

    def choose(self, preferred: int, *, ahead: bool) -> Seat | None:
        """The seat for a lease: the preferred one (its connection is warm) if it has room, or the idlest."""
        if preferred >= 0 and self.seats[preferred].room(ahead=ahead) > 0:
            return self.seats[preferred]
        able = (seat for seat in self.seats if seat.room(ahead=ahead) > 0)
        return max(able, key=lambda seat: seat.room(ahead=ahead) + len(seat.answered), default=None)

    @property
    def has_room(self) -> bool:
        """Whether any fetcher can take on a lease of some kind."""
        return any(seat.room(ahead=True) > 0 for seat in self.seats)

    def flush(self) -> None:
        """Let all queued messages go."""
        for seat in self.seats:
            seat.flush()
