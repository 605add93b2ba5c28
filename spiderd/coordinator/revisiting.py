"""Later visits: which pages are asked for again and when, and what their visits have taught.

Everything about a page's visits lies in the store (`spiderd.store.visits`), and how to judge it is known to
`spiderd.schedule.revisit`; this is what goes between. A page whose time has come is read ahead for its host
as waiting URLs are, and handed out when its host may be asked (`Dispatch`). Of what is kept in memory nothing
is needed after a crash: the store has the page in the same place until the outcome is recorded.
"""

from __future__ import annotations

from spiderd.config import Config
from spiderd.coordinator.desk import Desk
from spiderd.coordinator.hosts import Hosts
from spiderd.coordinator.leases import ActiveLease
from spiderd.messages import Outcome
from spiderd.schedule import retry
from spiderd.schedule.revisit import (
    DAY,
    FREQUENCIES,
    LEVELS,
    PRIOR,
    Allotment,
    Belief,
    credited,
    hinted,
    level_of,
    observed,
)
from spiderd.schedule.workbench import READ_AGAIN, HostQueue
from spiderd.sitemaps.times import lastmod_time
from spiderd.states import OutcomeKind
from spiderd.store.commands import switch_visits
from spiderd.store.records import WaitingUrl
from spiderd.store.revisited import Revisited
from spiderd.store.step import VisitEffects, VisitStep
from spiderd.store.thread import StoreThread
from spiderd.store.visits import VISITED, Again, AgainRead, Unvisited, VisitRecord, VisitsStart

WAKE = 500  # pages that one turn moves to their hosts at the most
LOOK = 64  # hosts that one look names
LOOK_PAUSE = 5.0  # seconds until the next look where a host has found no place, or a page was lost sight of
BACKFILL = 500  # older pages that one turn gives a row
PRICED_EVERY = 1000  # pages with another time after which intervals are worked out anew,
PRICED_AFTER = 5.0  # or seconds, if there are any
GONE = frozenset({404, 410})


class Revisiting:
    """Plans visits, supplies the workbench with those that are due, and learns from them."""

    def __init__(self, desk: Desk, hosts: Hosts) -> None:
        self._desk = desk
        self._hosts = hosts
        self.step = VisitStep()  # what the store is asked for next
        self.once = False  # the daemon ends when all is fetched: no visit is waited for
        self.in_flight = 0
        self.credit = 0.0  # of later visits against first ones, over all hosts
        self.next_due: float | None = None  # unix time at which the next page is due
        self.due = 0  # pages whose time has come
        self.levels: dict[int, int] = {}
        self.switching = True  # the store is to be told whether visits are on
        self._arrived = False
        self._backfill: bytes | None = None  # URL hash up to which older pages have a row; None: all have
        self._look_after: int | None = None  # host behind which to look for some with pages due
        self._look_at = 0.0  # unix time
        self._priced_at = 0.0
        self._learnt = 0  # pages that were given another time since intervals were worked out
        self._wanted = False  # a look since the last step that was taken
        self._found_any = False  # the look under way has named hosts
        self._plan(desk.config)

    # settings

    def _plan(self, config: Config) -> None:
        rules = config.revisit
        self._allotment = Allotment(rules.min, rules.average, rules.max)
        self._price()

    def _price(self) -> None:
        self._intervals = self._allotment.intervals([self.levels.get(level, 0) for level in range(LEVELS)])
        self._learnt = 0

    @property
    def on(self) -> bool:
        """Whether pages are visited again by themselves."""
        return self._desk.config.revisit.enabled

    def reconfigure(self, before: Config) -> None:
        """Go by the settings that the desk has now."""
        config = self._desk.config
        if before.revisit != config.revisit:
            self._plan(config)
            self.switching = True
            for host in self._desk.bench.hosts.values():
                host.read_again()

    async def switch(self, store: StoreThread) -> None:
        """Tell the store whether visits are on; to be called between two steps."""
        self.switching = False
        started: VisitsStart = await store.change(switch_visits, on=self.on)
        self._backfill = started.unvisited if self.on else None
        self.next_due, self.levels = started.next_due, started.levels
        self._price()
        self.asked(started.due)

    def asked(self, due: int) -> None:
        """So many pages are due by now: look for their hosts."""
        self.due = self._desk.agains = due
        if due:
            self._look_after, self._look_at = 0, 0.0
            self._wanted = True

    # what the store is asked

    def ask(self, now: float) -> None:
        """Put into the step what is to be read or moved for visits; nothing where there is nothing."""
        desk, step = self._desk, self.step
        for number in desk.bench.hungry_again:
            host = desk.bench.hosts.get(number)
            if host is not None and host.wants_again:
                host.reading_again = True
                step.reads.append(self._read(host))
        desk.bench.hungry_again.clear()
        if self._look_after is not None and now >= self._look_at:
            step.hosts = (self._look_after, LOOK)
            self._wanted = False
        if self._backfill is not None and not step.scheduled:
            step.unvisited = (self._backfill, BACKFILL)
        if self.on and self.next_due is not None and self.next_due <= now:
            step.wake = WAKE
        if self.on and (
            self._learnt >= PRICED_EVERY or (self._learnt and now >= self._priced_at + PRICED_AFTER)
        ):
            step.levels = True
        if step.presses or step.wake or step.levels:
            step.asked_only = not self.on
            desk.step.again, self.step = step, VisitStep()

    def _read(self, host: HostQueue) -> AgainRead:
        return AgainRead(host.id, host.after_again, READ_AGAIN, asked_only=not self.on)

    @property
    def presses(self) -> bool:
        """Whether the store should be asked now."""
        return self.step.presses or bool(self._desk.bench.hungry_again) or self._backfill is not None

    def apply(self, step: VisitStep, effects: VisitEffects, now: float) -> None:
        """Take in what the store has answered, the ends of visits aside."""
        if not self._wanted or effects.due:  # else this answer is older than what was asked for meanwhile
            self.due = self._desk.agains = effects.due
        self.next_due = effects.next_due
        if effects.levels is not None:
            self.levels, self._priced_at = effects.levels, now
            self._price()
        for read, found in effects.read:
            self._take(read, found, now)
        self._touch(effects.touched, now)
        if step.hosts is not None:
            self._found(effects.hosts, step.hosts[0], now)
        if effects.unvisited is not None:
            self._schedule(*effects.unvisited)
        if not self.due:
            self._look_after = None
        elif self._look_after is None and self.on:
            self._look_after, self._look_at = 0, now + LOOK_PAUSE

    def _take(self, read: AgainRead, found: list[Again], now: float) -> None:
        host = self._desk.bench.hosts.get(read.host)
        if host is None:
            return
        host.reading_again = False
        if read.after == host.after_again:  # else it was told to read again meanwhile
            holds = self._desk.book.holds
            host.again.extend(again for again in found if not holds(again.waiting.hash))
            if found:
                host.after_again = found[-1].key
                self._arrived = True
            host.more_again = len(found) == read.count
        self._desk.bench.place(host, now)

    def _touch(self, touched: dict[int, bytes], now: float) -> None:
        for number, key in touched.items():
            host = self._desk.bench.hosts.get(number)
            if host is None:
                if not self._hosts.want(number) and self._look_after is None:
                    self._look_after, self._look_at = 0, now + LOOK_PAUSE
                continue
            if key <= host.after_again:
                host.read_again()
            else:
                host.more_again = True
            self._desk.bench.place(host, now)

    def _found(self, hosts: list[int], after: int, now: float) -> None:
        """The store names hosts with pages that are due; the next look begins where this one has to end."""
        self._found_any = bool(hosts) or (after > 0 and self._found_any)
        for number in hosts:
            host = self._desk.bench.hosts.get(number)
            if host is not None and not (host.again or host.more_again or host.reading_again):
                host.read_again()
                self._desk.bench.place(host, now)
            elif host is None and not self._hosts.want(number):
                self._look_after, self._look_at = after, now + LOOK_PAUSE
                return
            after = number
        if len(hosts) == LOOK:
            self._look_after = after
        else:
            self._look_after, self._look_at = (0 if self._found_any else None), now + LOOK_PAUSE

    def _schedule(self, pages: list[Unvisited], up_to: bytes | None) -> None:
        """Pages of a time without visits get their rows."""
        for each in pages:
            waiting = WaitingUrl(each.page.url, each.hash, lastmod=each.page.lastmod)
            visit = self._begin(each.host, waiting, each.page.fetched_at, each.page.last_modified)
            self.step.visits.append((each.number, visit))
        self.step.scheduled = True
        self.step.visited_to = self._backfill = up_to

    # when something is due

    @property
    def next_time(self) -> float | None:
        """Unix time at which the store should be asked again; None where nothing is to come."""
        times = [
            self.next_due if self.on else None,
            self._look_at if self._look_after is not None else None,
            self._priced_at + PRICED_AFTER if self.on and self._learnt else None,
        ]
        return min((time for time in times if time is not None), default=None)

    def take_arrived(self) -> bool:
        """Whether pages that are due have been read since the last call."""
        arrived, self._arrived = self._arrived, False
        return arrived

    def until(self, now: float) -> float | None:
        """Unix time until which no page is to be visited, the past for now; None where none ever will be."""
        if self.once:
            return None
        if self.in_flight or self.presses or (self._look_after is not None and self._look_at <= now):
            return now
        times = [self.next_due if self.on else None]
        if self._look_after is not None:  # there are pages whose hosts may not be asked yet
            times.append(self._desk.bench.next_time() or self._look_at)
        return min((time for time in times if time is not None), default=None)

    # what visits teach

    def first(self, host: int, waiting: WaitingUrl, outcome: Outcome, now: float) -> VisitRecord | None:
        """When a page that was fetched for the first time is to be asked for again."""
        if not self.on or outcome.kind not in VISITED:
            return None
        return self._begin(host, waiting, now, outcome.last_modified)

    def _begin(self, host: int, waiting: WaitingUrl, at: float, last_modified: str) -> VisitRecord:
        belief = PRIOR
        for text in (last_modified, waiting.lastmod):
            since = lastmod_time(text) if text else None
            if since is not None:
                belief = hinted(belief, max(at - since, self._allotment.least))
        belief = hinted(belief, FREQUENCIES.get(waiting.changefreq, 0.0))
        visit = VisitRecord(waiting.hash, host, 0.0, at)
        self._plan_visit(visit, belief, at)
        return visit

    def _plan_visit(self, visit: VisitRecord, belief: Belief, now: float) -> None:
        visit.shape, visit.time = belief
        visit.level = level_of(belief.rate)
        self._put_off(visit, now + self._intervals[visit.level])

    def _put_off(self, visit: VisitRecord, at: float) -> None:
        visit.due = at
        self._learnt += 1
        self.next_due = at if self.next_due is None else min(self.next_due, at)

    def settle(self, again: Again, outcome: Outcome, now: float) -> Revisited | None:
        """What a visit that has ended means; None: it says nothing, and the page waits as before."""
        visit = again.visit
        if outcome.kind is OutcomeKind.FAILED and outcome.status in GONE:
            return self._gone(again, outcome, now)
        if outcome.kind is OutcomeKind.FAILED:
            decision = retry.decide(outcome.failure, visit.failures + 1, now, self._desk.config.crawl.retries)
            if isinstance(decision, retry.Requeue):
                return None
            if isinstance(decision, retry.Retry):
                visit.failures += 1
                self._put_off(visit, decision.at)
            else:
                visit.failures = 0
                self._put_off(visit, now + max(self._intervals[visit.level], self._allotment.least))
            return self._done(again, outcome, replaces=False, told=False)
        if _says_the_same(again, outcome):
            outcome.kind = OutcomeKind.UNCHANGED
        replaces = outcome.kind is not OutcomeKind.UNCHANGED
        same = outcome.minor or (outcome.digest == again.page.digest != b"")
        changed = replaces and not same
        self._learn(visit, now, changed=changed)
        done = self._done(again, outcome, replaces=replaces)
        done.changed = changed
        return done

    def _learn(self, visit: VisitRecord, at: float, *, changed: bool) -> None:
        before = Belief(visit.shape, visit.time) if visit.shape > 0 < visit.time else PRIOR
        belief = observed(before, at - visit.last, changed=changed)
        if visit.hinted:
            visit.hints = max(-1, min(8, visit.hints + (1 if changed else -1)))
        visit.hinted, visit.gone, visit.failures = False, 0, 0
        visit.last = at
        visit.visits += 1
        if changed:
            visit.changes += 1
            visit.changed = at
        self._plan_visit(visit, belief, at)

    def _gone(self, again: Again, outcome: Outcome, now: float) -> Revisited:
        """The page is not there: it is believed after some visits, and then looked for now and then."""
        visit, allotment = again.visit, self._allotment
        visit.gone += 1
        visit.failures = 0
        leaves = visit.gone >= self._desk.config.revisit.gone_after
        soon = max(allotment.least, min(self._intervals[visit.level], DAY))
        self._put_off(visit, now + (allotment.most if leaves else min(soon, allotment.most)))
        replaces = leaves and again.page.kind is not OutcomeKind.FAILED
        return self._done(again, outcome, replaces=replaces, told=False)

    def ended(self, done: Revisited) -> None:
        """Let the store record the end of a visit."""
        self.in_flight -= 1
        self.step.done.append(done)

    def give_back(self, lease: ActiveLease) -> None:
        """A visit has ended and says nothing: its page waits as before."""
        self.in_flight -= 1
        if lease.waiting is not None:
            self._desk.book.release(lease.waiting.hash)
        host = self._desk.bench.hosts.get(lease.host)
        if host is not None:
            host.read_again()

    def count(self, host: HostQueue, *, again: bool) -> None:
        """A request goes out: what later visits are owed by now, at its host and in all."""
        share = self._desk.config.revisit.share
        host.credit = credited(host.credit, share, again=again)
        self.credit = credited(self.credit, share, again=again)
        self.in_flight += again

    def pass_over(self, again: Again, now: float, *, for_long: bool) -> None:
        """A page may not be asked for (scope, robots), or its host is given up: it is left for now."""
        most, least = self._allotment.most, self._allotment.least
        self._put_off(again.visit, now + (most if for_long else min(most, max(least, DAY))))
        outcome = Outcome(0, -1, OutcomeKind.SKIPPED, fetched_at=now)
        self.step.done.append(self._done(again, outcome, replaces=False, told=False))

    def _done(self, again: Again, outcome: Outcome, *, replaces: bool, told: bool = True) -> Revisited:
        done = Revisited(again.key, again.waiting, again.visit, outcome, replaces, told)
        done.least = self._allotment.least
        return done


def _says_the_same(again: Again, outcome: Outcome) -> bool:
    """Whether an answer that is no page says what it said before."""
    page = again.page
    if outcome.kind is not page.kind:
        return False
    if outcome.kind is OutcomeKind.REDIRECT:
        return outcome.location == page.location
    return outcome.kind is OutcomeKind.SITEMAP and outcome.digest == page.digest != b""
