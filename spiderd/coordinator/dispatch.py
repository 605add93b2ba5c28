"""Handing out: as long as a worker is free and a host may be asked, the best waiting URL becomes a lease."""

from __future__ import annotations

from spiderd.coordinator import gate
from spiderd.coordinator.crew import Crew, Seat
from spiderd.coordinator.desk import Desk
from spiderd.coordinator.gate import Gate
from spiderd.coordinator.leases import ActiveLease
from spiderd.coordinator.outside import Outside
from spiderd.coordinator.revisiting import Revisiting
from spiderd.coordinator.settling import Settling
from spiderd.coordinator.watch import TrapWatch, shape_key
from spiderd.messages import Lease, Outcome
from spiderd.robots.policy import RobotsRecord
from spiderd.robots.rules import Ruling
from spiderd.schedule.politeness import asked, delay_of
from spiderd.schedule.traps import shape_of
from spiderd.schedule.workbench import HostQueue
from spiderd.states import Failure, OutcomeKind
from spiderd.store.records import decode
from spiderd.store.step import Park
from spiderd.urls import origin

DECISIONS = 1000  # URLs that one turn may settle without a request, so that it stays short


class Dispatch:
    """Gives out leases."""

    def __init__(
        self,
        desk: Desk,
        crew: Crew,
        settling: Settling,
        watch: TrapWatch,
        outside: Outside,
        revisiting: Revisiting,
    ) -> None:
        self._desk = desk
        self._watch = watch
        self._outside = outside
        self._crew = crew
        self._settling = settling
        self._revisiting = revisiting
        self._looked_up: dict[str, int] = {}  # origin -> host, while the store looks for its robots.txt

    @property
    def is_settled(self) -> bool:
        """Whether no robots.txt is being looked up in the store."""
        return not self._looked_up

    def hand_out(self, now: float) -> None:
        """Give out leases until workers, hosts or budgets are used up."""
        bench = self._desk.bench
        passed_over: list[HostQueue] = []  # bound to a fetcher that is full: the others go on
        for _ in range(DECISIONS):
            budget = self._budget()
            host = self._take(now, budget=budget)
            if host is None:
                break
            if host.again and (not (host.heads and budget) or host.credit >= 1):
                going_on = self._visit(host, now)
            else:
                going_on = budget and self._advance(host, now)
            if not going_on and (host.bound or not budget):
                passed_over.append(host)
                continue
            bench.place(host, now)
            if not going_on:
                break
        for host in passed_over:
            bench.place(host, now)
        self._crew.flush()

    def _take(self, now: float, *, budget: bool) -> HostQueue | None:
        """The host that comes next: one with new URLs, unless it is the turn of what was seen before."""
        bench, desk = self._desk.bench, self._desk
        if not self._crew.has_room:
            return None
        if not desk.agains:
            return bench.take(now) if budget else None
        host = bench.take_again(now) if self._revisiting.credit >= 1 else None
        return host or bench.take(now) or bench.take_again(now)

    def _budget(self) -> bool:
        most = self._desk.config.crawl.max_pages
        coming = self._desk.book.pages + len(self._desk.step.done)  # what has ended is counted by the store
        return not most or self._desk.counters.pages + coming < most

    def _advance(self, host: HostQueue, now: float) -> bool:
        """Do what is next for a host; False where no worker is free for it."""
        desk = self._desk
        key, waiting = host.heads[0]
        if desk.book.holds(waiting.hash):
            host.heads.popleft()  # read ahead while it was being handed out
            return True
        shape = shape_of(waiting.url)
        trap = self._watch.trap_of(waiting, shape)
        if trap:
            host.heads.popleft()
            desk.book.reserve(waiting.hash)
            desk.step.parks.append(Park(key, waiting, shape_key(trap)))
            self._watch.set_aside(trap)
            return True
        if self._outside.refuses(waiting):
            host.heads.popleft()
            desk.book.reserve(waiting.hash)
            self._outside.set_aside(key, waiting)
            return True
        if now < host.state.held_until and desk.bench.has_given_up(host):
            host.heads.popleft()
            desk.book.reserve(waiting.hash)
            self._settling.settle_unasked(key, waiting, _unreachable(host.state.hold_reason, now))
            return True
        if host.address and desk.book.is_busy(host.address):
            host.awaiting_address = True
            desk.book.wait_for(host.address, host.id)
            return True
        verdict, ruling = gate.decide(host, waiting.url, now, desk.config)
        if verdict is Gate.OPEN:
            return self._page(host, now, self._watch.wants_fingerprint(shape, waiting.url))
        if verdict is Gate.FETCH:
            return self._robots(host, origin(waiting.url), now)
        if verdict is Gate.LOOK_UP:
            self._look_up(host, origin(waiting.url))
        elif verdict is Gate.HOLD:
            gate.hold(host.state, host.robots[origin(waiting.url)].record)
        else:
            host.heads.popleft()
            desk.book.reserve(waiting.hash)
            record = host.robots[origin(waiting.url)].record
            self._settling.settle_unasked(key, waiting, _refusal(verdict, ruling, record, now))
        return True

    def _page(self, host: HostQueue, now: float, fingerprint: bool) -> bool:  # noqa: FBT001  # on the hot path
        desk = self._desk
        most = desk.config.scope.max_pages_per_host
        if most and host.pages >= most:
            key, waiting = host.heads.popleft()
            desk.book.reserve(waiting.hash)
            over = Outcome(0, -1, OutcomeKind.SKIPPED, failure=Failure.OUT_OF_SCOPE, fetched_at=now)
            over.detail = f"{host.key} has its {most} pages (scope.max_pages_per_host)"
            self._settling.settle_unasked(key, waiting, over)
            return True
        seat = self._seat(host)
        if seat is None:
            return False
        key, waiting = desk.bench.lease(host, now)
        if desk.agains:
            self._revisiting.count(host, again=False)
        host.pages += 1
        lease = ActiveLease(0, waiting.kind, host.id, seat.number, now, host.address, key, waiting)
        desk.book.open(lease)
        desk.step.leased.append(key)
        order = Lease(lease.id, waiting.url, waiting.kind, waiting.depth, waiting.hops)
        order.fingerprint = fingerprint
        self._send(seat, host, order)
        return True

    def _visit(self, host: HostQueue, now: float) -> bool:
        """Do what is next for a page of a host that is to be visited again; False where no worker is free."""
        desk, again = self._desk, host.again[0]
        waiting = again.waiting
        if desk.book.holds(waiting.hash):
            host.again.popleft()
            return True
        if now < host.state.held_until and desk.bench.has_given_up(host):
            return self._pass_over(host, now, for_long=False)
        if self._outside.refuses(waiting):
            return self._pass_over(host, now, for_long=True)
        if host.address and desk.book.is_busy(host.address):
            host.awaiting_address = True
            desk.book.wait_for(host.address, host.id)
            return True
        of = origin(waiting.url)
        verdict, _ = gate.decide(host, waiting.url, now, desk.config)
        if verdict is Gate.FETCH:
            return self._robots(host, of, now)
        if verdict is Gate.LOOK_UP:
            self._look_up(host, of)
        elif verdict is Gate.HOLD:
            gate.hold(host.state, host.robots[of].record)
        elif verdict is not Gate.OPEN:
            return self._pass_over(host, now, for_long=verdict is Gate.DENIED)
        else:
            seat = self._seat(host)
            if seat is None:
                return False
            self._ask_again(host, seat, now)
        return True

    def _pass_over(self, host: HostQueue, now: float, *, for_long: bool) -> bool:
        again = host.again.popleft()
        self._desk.book.reserve(again.waiting.hash)
        self._revisiting.pass_over(again, now, for_long=for_long)
        return True

    def _ask_again(self, host: HostQueue, seat: Seat, now: float) -> None:
        again = self._desk.bench.lease_again(host, now)
        self._revisiting.count(host, again=True)
        waiting, page = again.waiting, again.page
        lease = ActiveLease(0, waiting.kind, host.id, seat.number, now, host.address, again.key, waiting)
        lease.again = again
        self._desk.book.open(lease)
        order = Lease(lease.id, waiting.url, waiting.kind, waiting.depth, waiting.hops)
        if again.place is not None or page.kind is OutcomeKind.SITEMAP:
            order.etag, order.last_modified = page.etag, page.last_modified
        if again.place is not None:
            order.digest, order.fetched_at = page.digest, page.fetched_at
            order.directory, order.number = again.place
        self._send(seat, host, order)

    def _robots(self, host: HostQueue, of: str, now: float) -> bool:
        seat = self._seat(host)
        if seat is None:
            return False
        host.in_flight += 1
        host.awaiting_robots.add(of)
        asked(host.state, now, self._desk.config.politeness)
        lease = ActiveLease(0, "robots", host.id, seat.number, now, host.address, origin=of)
        self._desk.book.open(lease)
        self._send(seat, host, Lease(lease.id, f"{of}/robots.txt", "robots"))
        return True

    def _seat(self, host: HostQueue) -> Seat | None:
        rules = self._desk.config.politeness
        ahead = delay_of(host.state, rules) == 0 and rules.per_host > 1
        seat = self._crew.seats[host.fetcher]
        if host.bound and seat.workers:  # cookies live in the fetcher that was given them
            return seat if seat.room(ahead=ahead) > 0 else None
        return self._crew.choose(host.fetcher if rules.per_host == 1 else -1, ahead=ahead)

    def _send(self, seat: Seat, host: HostQueue, lease: Lease) -> None:
        host.fetcher = seat.number
        seat.leases.add(lease.id)
        seat.send(lease)

    # what the store knows of a robots.txt

    def _look_up(self, host: HostQueue, of: str) -> None:
        host.awaiting_robots.add(of)
        self._looked_up[of] = host.id
        self._desk.step.robots.append(of)

    def looked_up(self, of: str, row: bytes | None, now: float) -> None:
        """The store has answered."""
        host = self._desk.bench.hosts.get(self._looked_up.pop(of, 0))
        if host is not None:
            self._settling.use_robots(host, of, decode(RobotsRecord, row) if row else gate.UNKNOWN)
            self._desk.bench.place(host, now)


def _refusal(verdict: Gate, ruling: Ruling | None, record: RobotsRecord, now: float) -> Outcome:
    if verdict is Gate.DENIED and ruling is not None:
        outcome = Outcome(0, -1, OutcomeKind.SKIPPED, failure=Failure.ROBOTS_DENIED, fetched_at=now)
        outcome.detail = f"robots.txt line {ruling.number}: {ruling.line}"
    else:
        outcome = _unreachable(record.why, now)
    return outcome


def _unreachable(why: str, now: float) -> Outcome:
    outcome = Outcome(0, -1, OutcomeKind.FAILED, failure=Failure.HOST_UNREACHABLE, fetched_at=now)
    outcome.detail = why
    return outcome
