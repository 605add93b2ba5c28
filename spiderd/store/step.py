"""One step of the coordinator in the store: everything that has come together since the last one, in one go.

The coordinator's loop and the store's thread hand each other one object a turn. While the thread works on a
step, what comes in is collected for the next one; so under load a step carries many outcomes and its fixed
costs are shared.
"""

from __future__ import annotations

from msgspec import Struct, field

from spiderd.messages import Grant
from spiderd.protocol import Counters
from spiderd.store.frontier import Found
from spiderd.store.ledger import Ledger
from spiderd.store.outcomes import Done, record
from spiderd.store.records import Row, WaitingUrl, host_key_bytes
from spiderd.store.revisited import Revisited, record_again
from spiderd.store.visits import Again, AgainRead, Unvisited, VisitRecord


class Read(Struct):
    """URLs to be read ahead for a host."""

    host: int
    after: bytes
    count: int


class Park(Row):
    """A URL to be set aside: its shape is taken for a trap."""

    key: bytes
    waiting: WaitingUrl
    shape: bytes


class Tail(Row):
    """A URL that goes to the tail of its host's queue and pays no try."""

    key: bytes
    waiting: WaitingUrl


class VisitStep(Struct, kw_only=True):
    """What the store is asked for where pages are visited again."""

    done: list[Revisited] = field(default_factory=list)
    wake: int = 0  # pages whose time has come that are moved to their hosts, at the most; 0 = visits are off
    reads: list[AgainRead] = field(default_factory=list)
    hosts: tuple[int, int] | None = None  # after which host to look for some with pages to visit, how many
    unvisited: tuple[bytes, int] | None = (
        None  # URL hash after which to look for pages without a row, how many
    )
    visits: list[tuple[int, VisitRecord]] = field(default_factory=list)  # rows for such pages,
    scheduled: bool = False  # which are there now
    visited_to: bytes | None = None  # up to this URL hash; None = all of them
    asked_only: bool = False  # hosts with pages are wanted that somebody has asked for
    levels: bool = False  # how many pages there are of each level is wanted

    @property
    def presses(self) -> bool:
        """Whether the store should be asked now."""
        return bool(self.done or self.reads or self.hosts or self.unvisited or self.scheduled)


class Step(Struct, kw_only=True):
    """What the store is asked for."""

    now: float
    done: list[Done] = field(default_factory=list)
    leased: list[bytes] = field(default_factory=list)  # frontier keys handed out
    returned: list[bytes] = field(default_factory=list)  # frontier keys whose lease ended without an outcome
    tails: list[Tail] = field(default_factory=list)
    parks: list[Park] = field(default_factory=list)
    frees: list[tuple[str, bytes]] = field(default_factory=list)  # shapes that are a trap no more, their keys
    claims: list[tuple[int, bytes]] = field(default_factory=list)  # lease, digest
    adds: list[Found] = field(default_factory=list)
    opens: list[int] = field(default_factory=list)  # hosts to be put on the workbench
    reads: list[Read] = field(default_factory=list)
    rolls: list[int] = field(default_factory=list)  # workers whose directory is full
    grants: list[int] = field(default_factory=list)  # workers of a fetcher that has just been started
    max_count: int = 0  # resources in one directory
    robots: list[str] = field(default_factory=list)  # origins whose record is wanted
    saves: list[tuple[str, bytes, bytes]] = field(default_factory=list)  # table, key, value
    more_hosts: tuple[int, int] | None = None  # after which host, how many
    again: VisitStep | None = None  # what is asked of the visits; None = nothing


class Opened(Struct):
    """A host as the store knows it."""

    host: int
    key: str
    complete: int
    state: bytes | None  # of politeness


class VisitEffects(Struct, kw_only=True):
    """What the store answers to a `VisitStep`."""

    done: list[tuple[int, int]]  # page, URLs never seen before; as `VisitStep.done`
    read: list[tuple[AgainRead, list[Again]]]
    hosts: list[int]
    touched: dict[int, bytes]  # host -> lowest key that came into `again`
    next_due: float | None  # unix time at which the next page is due
    due: int  # pages whose time has come
    unvisited: tuple[list[Unvisited], bytes | None] | None
    levels: dict[int, int] | None


class Effects(Struct, kw_only=True):
    """What the store answers."""

    counters: Counters
    recorded: list[tuple[int, int]] = field(default_factory=list)  # page, URLs never seen before; as `done`
    # lease, digest, URL and time of the page that had it first; none where it is new
    claims: list[tuple[int, bytes, tuple[str, float] | None]] = field(default_factory=list)
    added: list[list[bool]] = field(default_factory=list)
    opened: list[Opened] = field(default_factory=list)
    heads: list[tuple[Read, list[tuple[bytes, WaitingUrl]]]] = field(default_factory=list)
    grants: list[Grant] = field(default_factory=list)
    robots: list[tuple[str, bytes | None]] = field(default_factory=list)
    touched: dict[int, bytes] = field(default_factory=dict)  # host -> lowest new frontier key
    more_hosts: list[int] = field(default_factory=list)
    next_due: float | None = None  # unix time of the next retry
    again: VisitEffects | None = None


def perform(ledger: Ledger, step: Step) -> Effects:
    """Execute a step in the open transaction."""
    ledger.frontier.mark_leased(
        step.leased, step.now
    )  # first: a lease may have begun and ended in this very step
    ledger.frontier.forget_leases(step.returned)
    recorded = [_record(ledger, done) for done in step.done]
    for tail in step.tails:
        ledger.frontier.to_tail(tail.key, tail.waiting)
    for park in step.parks:
        ledger.aside.park(park.key, park.waiting, park.shape)
    added = [ledger.frontier.add(found) for found in step.adds]
    for table, key, value in step.saves:
        ledger.put(table, key, value)
    for shape, key in step.frees:  # behind what was parked, and what was kept of the shape, in this very step
        ledger.delete("shapes", shape.encode())
        ledger.aside.unpark(key)
    next_due = ledger.aside.wake(step.now)
    again = None if step.again is None else _visit(ledger, step.again, step.now)
    return Effects(
        again=again,
        recorded=recorded,
        claims=[(lease, digest, ledger.pages.original(digest)) for lease, digest in step.claims],
        added=added,
        opened=[open_host(ledger, host) for host in step.opens],
        heads=[(read, ledger.frontier.heads(read.host, read.after, read.count)) for read in step.reads],
        grants=grants_for(ledger, step.grants, step.max_count)
        + [roll(ledger, worker) for worker in step.rolls],
        robots=[(origin, ledger.get("robots", origin.encode())) for origin in step.robots],
        touched=ledger.frontier.take_touched(),
        more_hosts=ledger.frontier.hosts_waiting(*step.more_hosts) if step.more_hosts else [],
        next_due=next_due,
        counters=copy_of(ledger.state.counters),
    )


def _record(ledger: Ledger, done: Done) -> tuple[int, int]:
    """Record an outcome; the page's number, and how many of its links were never seen before."""
    before = ledger.state.counters.known
    number = record(ledger, done)
    return number, ledger.state.counters.known - before


def _visit(ledger: Ledger, step: VisitStep, now: float) -> VisitEffects:
    visits, counters = ledger.visits, ledger.state.counters
    done = []
    for each in step.done:
        before = counters.known
        number = record_again(ledger, each)
        done.append((number, counters.known - before))
    if step.scheduled:
        visits.schedule(step.visits, step.visited_to)
    if step.wake:
        visits.wake(now, step.wake)
    return VisitEffects(
        done=done,
        read=[(read, visits.read(read)) for read in step.reads],
        hosts=visits.hosts(*step.hosts, asked_only=step.asked_only) if step.hosts else [],
        touched=visits.take_touched(),
        next_due=visits.next_due(),
        due=visits.due,
        unvisited=visits.unvisited(*step.unvisited) if step.unvisited else None,
        levels=dict(visits.state.levels) if step.levels else None,
    )


def open_host(ledger: Ledger, host: int) -> Opened:
    """Read what the workbench needs of a host."""
    record = ledger.hosts.tallies(host)
    return Opened(host, record.key, record.complete, ledger.get("politeness", host_key_bytes(host)))


def roll(ledger: Ledger, worker: int) -> Grant:
    """Give a worker its next directory, the old one being full."""
    for number, row in ledger.directories.open():
        if row.worker == worker:
            row.open = False
            ledger.directories.put(number, row)
    return Grant(worker, ledger.directories.new(worker), 0, 0)


def grants_for(ledger: Ledger, workers: list[int], max_count: int) -> list[Grant]:
    """Each worker's directory at start: one that is still open, or a new one."""
    unclaimed = [(n, r) for n, r in ledger.directories.open() if r.count < max_count]
    grants = []
    for worker in workers:
        own = next((entry for entry in unclaimed if entry[1].worker == worker), None)
        if own is None:
            grants.append(Grant(worker, ledger.directories.new(worker), 0, 0))
            continue
        unclaimed.remove(own)
        grants.append(Grant(worker, own[0], own[1].count, own[1].index_bytes, own[1].records_bytes))
    return grants


def copy_of(counters: Counters) -> Counters:
    """Counters that the event loop may keep while the ledger goes on counting."""
    copy = Counters(**{name: getattr(counters, name) for name in counters.__struct_fields__})
    copy.statuses = dict(counters.statuses)
    copy.failures = dict(counters.failures)
    copy.refused = dict(counters.refused)
    return copy
