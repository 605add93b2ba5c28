"""The coordinator's loop: take in what has come, hand it to the store, hand out what may be fetched now.

One task drives the crawl. A turn has three parts: collect messages into a step, let the store's thread
perform it, apply the effects and give out leases; breadth-first, also before the store is asked. What comes
while it is at work is collected for the next turn: the cost of a turn is shared by all that came together.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

import trio

from spiderd.config import Config
from spiderd.coordinator import gate
from spiderd.coordinator.crew import Crew, OpenFetcher, Seat
from spiderd.coordinator.desk import Desk, Events
from spiderd.coordinator.dispatch import Dispatch
from spiderd.coordinator.hosts import MAX_HOSTS, Hosts
from spiderd.coordinator.lifecycle import Lifecycle
from spiderd.coordinator.outside import KEY as OUTSIDE
from spiderd.coordinator.outside import Outside
from spiderd.coordinator.revisiting import Revisiting
from spiderd.coordinator.settling import Settling
from spiderd.coordinator.watch import TrapWatch, shape_key
from spiderd.errors import StorageError
from spiderd.messages import (
    Claim,
    Outcome,
    Reconfigure,
    Setup,
    ToCoordinator,
    Verdict,
    WorkerState,
    WorkerStates,
)
from spiderd.phases import Phases
from spiderd.schedule.politeness import PARK_AFTER, release
from spiderd.schedule.workbench import HostQueue
from spiderd.states import CrawlState, Failure, OutcomeKind, Reason
from spiderd.store.commands import put_back, release_shape, reorder
from spiderd.store.step import Effects, Step
from spiderd.store.thread import StoreThread
from spiderd.units import clock_time, counted

SHORT_REST = 30.0  # seconds; for less a crawl that visits pages again does not say that it waits


class Coordinator:
    """Drives one crawl on an open store."""

    def __init__(
        self,
        config: Config,
        store: StoreThread,
        events: Events,
        open_fetcher: OpenFetcher,
        setup: Setup,
        processes: int,
        clock: Callable[[], float],
    ) -> None:
        self.config = config
        self.seeds = list(setup.seeds)  # the list stays the same: others hold it
        setup = Setup(config, [], setup.archive, self.seeds)
        self._known_seeds = set(self.seeds)
        self._archive = setup.archive
        self.auth: dict[str, str] = {}  # origin -> Authorization header
        self.lifecycle = Lifecycle(self._on_state, clock)
        self.workers: dict[int, WorkerState] = {}
        self.phases = Phases()  # of all fetchers since the start
        self.outcomes: dict[tuple[str, str], int] = {}  # kind and failure -> how many since the start
        self.tallies: dict[int, tuple[int, int]] = {}  # worker -> pages and errors since the start
        self._store = store
        self._events = events
        self.desk = Desk(config, events, clock)
        self.desk.poke = self.poke
        self.crew = Crew(
            open_fetcher,
            setup,
            config.crawl.threads,
            processes,
            on_up=self._on_up,
            on_messages=self._on_messages,
            on_down=self._on_down,
        )
        self.watch = TrapWatch(self.desk)
        self.outside = Outside(self.desk)
        self.hosts = Hosts(self.desk)
        self.revisiting = Revisiting(self.desk, self.hosts)
        rules = (self.watch, self.outside, self.revisiting)
        self.settling = Settling(self.desk, *rules, gate.agent_of(config), self._on_archive_failure)
        self._order = config.crawl.order  # that the frontier is in
        self.dispatch = Dispatch(self.desk, self.crew, self.settling, *rules)
        self._inbox: deque[tuple[Seat, ToCoordinator]] = deque()
        self._news = trio.Event()
        self._next_due: float | None = None
        self._drained = 0
        self.ended = trio.Event()

    async def run(self, waiting_hosts: Sequence[int], *, paused: bool) -> None:
        """Crawl until stopped.

        Args:
            waiting_hosts: numbers of hosts that have work, as the store lists them.
            paused: begin paused, as the crawl was left.
        """
        self.hosts.found_waiting(waiting_hosts, MAX_HOSTS + 1)
        self.lifecycle.go(
            CrawlState.PAUSED if paused else CrawlState.RUNNING, Reason.USER if paused else Reason.NONE
        )
        async with trio.open_nursery() as nursery:
            self.desk.background = nursery.start_soon
            nursery.start_soon(self.crew.run)
            while self._drained < len(self.crew.seats):
                await self._turn()
            self.poke()
            await self._turn()  # the last outcomes
            nursery.cancel_scope.cancel()
        await self._store.flush()
        self.ended.set()

    # control

    def poke(self) -> None:
        """Something has changed that the next turn should look at."""
        self._news.set()

    def stop(self, reason: Reason, *, grace: float) -> None:
        """Finish what is in flight within `grace` seconds, and end. May be repeated with a shorter grace."""
        self.lifecycle.go(CrawlState.STOPPING, reason)
        self.crew.drain(grace)

    def pause(self, reason: Reason, message: str = "") -> None:
        """Give out no more leases."""
        if self.lifecycle.state is not CrawlState.STOPPING:
            state = CrawlState.PAUSING if len(self.desk.book) else CrawlState.PAUSED
            self.lifecycle.go(state, reason, message)

    def resume(self) -> None:
        """Go on after a pause."""
        if self.lifecycle.is_held:
            self.lifecycle.go(CrawlState.RUNNING)
            self.poke()

    def reseed(self, seeds: Sequence[str], auth: dict[str, str] | None = None) -> None:
        """Seeds have been added to the store: scope follows them. Where they are new, `go_on`."""
        added = [seed for seed in dict.fromkeys(seeds) if seed not in self._known_seeds]
        self.seeds.extend(added)
        self._known_seeds.update(added)
        self.auth.update(auth or {})
        if added:
            self.outside.reseed(added)
        for seat in self.crew.seats:
            if seat.up:
                seat.send(Reconfigure(self.config, seat.workers, added, more=True, auth=self.auth))
        self.poke()

    def is_seed(self, url: str) -> bool:
        """Whether a URL, as it would be fetched, is one of the seeds."""
        return url in self._known_seeds

    def go_on(self) -> None:
        """There is work again, for a crawl that had come to its end."""
        if self.lifecycle.rests:
            self.lifecycle.go(CrawlState.RUNNING)
        self.poke()

    def reconfigure(self, config: Config) -> None:
        """Go by other settings from now on; those that need a restart must be as they were."""
        before, now = self.config, self.desk.clock()
        self.config = config
        self.watch.reconfigure(config.traps.shape_window)
        self.outside.reconfigure(config, self.seeds)
        self.settling.agent = gate.agent_of(config)
        for host in self.desk.bench.hosts.values():
            if gate.agent_of(before) != gate.agent_of(config):
                host.robots.clear()  # other groups may speak of us; the files are in the store
            if before.politeness.robots and not config.politeness.robots:
                gate.unhold(host)
        self.desk.reconfigure(config, now)
        self.revisiting.reconfigure(before)
        self.crew.reconfigure(Setup(config, [], self._archive, self.seeds), config.crawl.threads)
        self._tell_fetchers(everything=before.scope.follow != config.scope.follow)
        limit = config.crawl.max_pages
        if self.lifecycle.reason is Reason.PAGE_LIMIT and not 0 < limit <= self.desk.counters.pages:
            self.go_on()
        self.poke()

    def _tell_fetchers(self, *, everything: bool) -> None:
        """Send the settings out, with all seeds again where what is kept of them depends on the settings."""
        seeds = self.seeds if everything else []
        for seat in self.crew.seats:
            if seat.up:
                seat.send(Reconfigure(self.config, seat.workers, seeds, more=not everything, auth=self.auth))
                fresh = [worker for worker in seat.workers if worker not in seat.hired]
                seat.hired.update(fresh)
                self.desk.step.grants.extend(fresh)
                seat.flush()

    async def release_shape(self, shape: str) -> int | None:
        """Let a parked shape go on; how many URLs wait again, None where it is not parked."""
        if not self.watch.release(shape):
            return None
        count = await self._store.change(release_shape, shape, shape_key(shape))
        self.go_on()
        return count

    def release_host(self, host: HostQueue) -> None:
        """Lift whatever holds a host back: its pause, and a robots.txt that could not be had."""
        for known in host.robots.values():
            if known.record.kind == "disallow_all":
                known.record.expires = 0.0  # to be asked for again, at once
        release(host.state)
        self.desk.save(host)
        self.desk.bench.place(host, self.desk.clock())
        if self.lifecycle.reason is Reason.PARKED:
            self.go_on()
        self.poke()

    def _on_state(self, state: CrawlState, reason: Reason, message: str) -> None:
        why = f": {message or reason}" if reason else ""
        self._events.add("info", "state", f"the crawl is {state}{why}")

    def on_trouble(self, trouble: StorageError | None) -> None:
        """The store cannot write, or can again."""
        if trouble is not None:
            self.pause(Reason.DISK_FULL, str(trouble))
        elif self.lifecycle.reason is Reason.DISK_FULL:
            self.resume()

    def _on_archive_failure(self, detail: str) -> None:
        self.pause(Reason.DISK_FULL if "room" in detail else Reason.STORE_ERROR, detail)

    # what the crew says

    def _on_up(self, seat: Seat) -> None:
        seat.send(Reconfigure(self.config, seat.workers, [], more=True, auth=self.auth))
        self.desk.step.grants.extend(seat.workers)
        self.poke()

    def _on_messages(self, seat: Seat, messages: Sequence[ToCoordinator]) -> None:
        self._inbox.extend((seat, message) for message in messages)
        self.poke()

    def _on_down(self, seat: Seat, drained: bool) -> None:  # noqa: FBT001  # a callback's signature
        self._collect(self.desk.clock())
        if drained:
            self._drained += 1
        else:
            self._events.add("error", "fetcher", f"fetcher {seat.number} died; its URLs are given out again")
        for number in seat.lost():
            lease = self.desk.book.get(number)
            if lease is not None and drained:
                self.settling.give_back(lease, self.desk.clock())
            elif lease is not None:
                detail = f"fetcher {seat.number} died with it in hand"
                died = Outcome(number, -1, OutcomeKind.FAILED, 0, Failure.FETCHER_DIED, detail)
                died.fetched_at = self.desk.clock()
                self._inbox.append((seat, died))
        for worker in seat.workers:
            self.workers.pop(worker, None)
        self.poke()

    # the turn

    async def _turn(self) -> None:
        await self._wait()
        now = self.desk.clock()
        self._collect(now)
        if self.lifecycle.runs and self.config.crawl.order == "breadth":  # links of this turn come last
            self.dispatch.hand_out(now)
        self.hosts.ask()
        self.revisiting.ask(now)
        step = self.desk.take_step(now)
        effects = await self._store.perform(step)
        now = self.desk.clock()
        self._apply(step, effects, now)
        await self._rearrange(now)
        arrived = self.revisiting.take_arrived()
        if self.lifecycle.wakes and (arrived or self._is_due(now)):
            self.lifecycle.go(CrawlState.RUNNING)
        if self.lifecycle.runs:
            self.dispatch.hand_out(now)
        self.crew.flush()
        await self._judge()

    async def _wait(self) -> None:
        step = self.desk.step
        asked = step.done or step.parks or step.frees or step.robots or self.hosts.presses
        pressing = asked or self.revisiting.presses or self.revisiting.switching
        if self._inbox or pressing or self.hosts.may_look:
            return
        soonest = self._soonest()
        with trio.move_on_after(float("inf") if soonest is None else max(0.0, soonest - self.desk.clock())):
            await self._news.wait()
        self._news = trio.Event()

    async def _rearrange(self, now: float) -> None:
        """Do what must not meet a step under way: put back what was set aside, change the order."""
        if self.outside.returning:
            self.outside.put_back()
            await self._store.change(put_back, OUTSIDE)
            self.go_on()
        if self.revisiting.switching:
            await self.revisiting.switch(self._store)
            if self.lifecycle.state is CrawlState.COMPLETE or self.lifecycle.state is CrawlState.WAITING:
                self.go_on()  # to rest in another way
        if self._order != self.config.crawl.order:
            self._order = self.config.crawl.order
            await self._store.flush()  # a replay of earlier steps would rank by the new order
            self.desk.rename(await self._store.change(reorder, self._order))
            for host in self.desk.bench.hosts.values():
                host.reread()
                self.desk.bench.place(host, now)

    def _soonest(self) -> float | None:
        """Unix time at which something becomes due by itself; None where nothing will."""
        goes_on = self.lifecycle.runs or self.lifecycle.wakes
        times = [self._next_due, self.desk.bench.next_time() if goes_on else None, self.revisiting.next_time]
        return min((t for t in times if t is not None), default=None)

    def _is_due(self, now: float) -> bool:
        """Whether a crawl that rests has to do with a host now; what is to be visited again arrives."""
        times = (self._next_due, self.desk.bench.next_time())
        soonest = min((time for time in times if time is not None), default=None)
        return self.lifecycle.state is not CrawlState.WAITING if soonest is None else soonest <= now

    def _collect(self, now: float) -> None:
        while self._inbox:
            seat, message = self._inbox.popleft()
            if isinstance(message, Outcome):
                seat.ended(message.lease)
                self._tally(message)
                self.settling.take(message, now)
            elif isinstance(message, Claim):
                self._on_claim(seat, message, now)
            elif isinstance(message, WorkerStates):
                self.workers.update((state.worker, state) for state in message.states)
                self.phases.add(message.phases)

    def _tally(self, outcome: Outcome) -> None:
        pages, errors = self.tallies.get(outcome.worker, (0, 0))
        stored = outcome.kind is OutcomeKind.STORED
        failed = outcome.kind is OutcomeKind.FAILED
        self.tallies[outcome.worker] = (pages + stored, errors + failed)
        ended = (outcome.kind, outcome.failure)
        self.outcomes[ended] = self.outcomes.get(ended, 0) + 1

    def _on_claim(self, seat: Seat, claim: Claim, now: float) -> None:
        lease = self.desk.book.get(claim.lease)
        if lease is None:
            return
        self.settling.answered(lease, now)
        seat.answered.add(lease.id)
        if self.desk.claims.claim(claim.digest, claim.lease):
            lease.digest, lease.claimed_at = claim.digest, claim.at
            self.desk.step.claims.append((claim.lease, claim.digest))
        else:
            first = self.desk.book.get(self.desk.claims.first(claim.digest))
            original = (first.waiting.url, first.claimed_at) if first and first.waiting else ("", 0.0)
            seat.send(Verdict(claim.lease, False, *original))

    def _apply(self, step: Step, effects: Effects, now: float) -> None:
        self.desk.counters = effects.counters
        self._next_due = effects.next_due
        for done, (page, found) in zip(step.done, effects.recorded, strict=True):
            self.settling.recorded(done, page, now, leads_on=found > 0)
        for park in step.parks:
            self.desk.book.release(park.waiting.hash)
        for tail in step.tails:
            self.desk.book.release(tail.waiting.hash)
        for number, digest, original in effects.claims:
            self._answer_claim(number, digest, now, original)
        for grant in effects.grants:
            self.crew.seat_of[grant.worker].send(grant)
        self.hosts.apply(effects, step.more_hosts, now)
        if step.again is not None and effects.again is not None:
            for visit in step.again.done:
                self.settling.visited(visit, now)
            self.revisiting.apply(step.again, effects.again, now)
        for origin, row in effects.robots:
            self.dispatch.looked_up(origin, row, now)

    def _answer_claim(
        self, number: int, digest: bytes, now: float, original: tuple[str, float] | None
    ) -> None:
        if original is not None:
            self.settling.settle_twins(digest, now, stored=True)
        lease = self.desk.book.get(number)
        if lease is not None:
            lease.digest = digest if original is None else b""
            self.crew.seats[lease.seat].send(Verdict(number, original is None, *(original or ())))

    # complete?

    async def _judge(self) -> None:
        """See whether the crawl is at its end, or has come to rest."""
        if self.lifecycle.state is CrawlState.PAUSING and not len(self.desk.book):
            self.lifecycle.go(CrawlState.PAUSED, self.lifecycle.reason, self.lifecycle.message)
        if not self.lifecycle.runs or len(self.desk.book) or self._inbox or self.desk.step.done:
            return
        most = self.config.crawl.max_pages
        if most and self.desk.counters.pages >= most:
            await self._store.flush()
            self._rest(CrawlState.COMPLETE, Reason.PAGE_LIMIT)
        elif self._nothing_left():
            await self._store.flush()
            if self._nothing_left():  # nobody has added anything meanwhile
                known, aside = self.desk.counters.known, self.desk.counters.parked
                text = f"{counted(aside, 'URL')} set aside (see spiderd traps)" if aside else ""
                self._rest(CrawlState.COMPLETE if known else CrawlState.IDLE, Reason.DRAINED, text)
        elif self._only_parked():
            await self._store.flush()
            left = self.desk.counters.waiting - self.desk.counters.parked
            text = f"{counted(left, 'URL')} left to hosts that are parked"
            self._rest(CrawlState.COMPLETE, Reason.PARKED, text)

    def _rest(self, state: CrawlState, reason: Reason, text: str = "") -> None:
        """Nothing new is left to be fetched: rest, unless pages are about to be visited again."""
        now = self.desk.clock()
        until = self.revisiting.until(now)
        if until is None:
            self.lifecycle.go(state, reason, text)
        elif until > now + SHORT_REST:
            text = f"until {clock_time(until, now)}" + (f"; {text}" if text else "")
            self.lifecycle.go(CrawlState.WAITING, reason, text)

    def _only_parked(self) -> bool:
        """Whether nothing is to be done for hours."""
        times = (self._next_due, self.desk.bench.next_time())
        soonest = min((time for time in times if time is not None), default=None)
        waits = soonest is not None and soonest > self.desk.clock() + PARK_AFTER
        return waits and self.hosts.is_settled and self.dispatch.is_settled and not self._news.is_set()

    def _nothing_left(self) -> bool:
        """Complete means: nothing waits, is leased, is on its way into the store, or is due for retry."""
        step = self.desk.step
        return not (
            self.desk.counters.waiting
            > self.desk.counters.parked  # frontier, and what waits for its next try
            or len(self.desk.book)
            or self._inbox
            or step.done
            or step.adds
            or step.parks
            or step.frees
            or not self.dispatch.is_settled
            or self._news.is_set()
        )
