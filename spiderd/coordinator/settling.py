"""What becomes of a lease that has ended: its URL is done, failed, tried again, or goes back where it was."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import trio

from spiderd.coordinator.desk import Desk
from spiderd.coordinator.leases import ActiveLease
from spiderd.coordinator.outside import Outside
from spiderd.coordinator.revisiting import Revisiting
from spiderd.coordinator.watch import TrapWatch
from spiderd.messages import Outcome
from spiderd.robots.policy import RobotsRecord, robots_of, ruling_for
from spiderd.robots.rules import Robots
from spiderd.schedule import retry
from spiderd.schedule.politeness import answered, delay_of, robots_asks
from spiderd.schedule.workbench import HostQueue, OriginRobots
from spiderd.states import Failure, OutcomeKind
from spiderd.store.frontier import Found
from spiderd.store.outcomes import Done
from spiderd.store.records import WaitingUrl, encode
from spiderd.store.revisited import Revisited
from spiderd.store.step import Tail
from spiderd.store.visits import Again
from spiderd.urls import host_key, normalize, sitemap_key

LARGE_ROBOTS = 16 * 1024
"""Bytes of a robots.txt from which on reading it would hold up the loop: 500 KiB take 0.25 s."""


class Settling:
    """Turns outcomes into what the store is to record."""

    def __init__(
        self,
        desk: Desk,
        watch: TrapWatch,
        outside: Outside,
        revisiting: Revisiting,
        agent: str,
        on_archive_failure: Callable[[str], None],
    ) -> None:
        """Prepare.

        Args:
            desk: shared state.
            watch: told what pages bring.
            outside: knows which hosts are out of scope.
            revisiting: plans later visits, and learns from them.
            agent: product token that robots.txt knows us by.
            on_archive_failure: told what went wrong where a body could not be written.
        """
        self._desk = desk
        self._watch = watch
        self._outside = outside
        self._revisiting = revisiting
        self.agent = agent
        self._on_archive_failure = on_archive_failure

    def take(self, outcome: Outcome, now: float) -> None:
        """Settle the lease that this outcome ends."""
        desk = self._desk
        lease = desk.book.get(outcome.lease)
        if lease is None:
            return
        host = self._end_request(lease, now)
        if host is not None:
            self._tell_host(host, outcome, now)
            if outcome.set_cookie and not host.bound:
                host.fetcher, host.bound = lease.seat, True
        if outcome.number >= desk.config.archive.max_count:
            desk.step.rolls.append(outcome.worker)
        if outcome.kind is OutcomeKind.DUPLICATE and desk.claims.is_pending(outcome.digest):
            desk.claims.hold(outcome)
        elif lease.kind == "robots":
            self._learn_robots(lease, host, outcome, now)
        else:
            self._settle(lease, outcome, now)
        if host is not None:
            desk.bench.place(host, now)

    def give_back(self, lease: ActiveLease, now: float) -> None:
        """The lease ended without an outcome: its URL waits as before."""
        host = self._end_request(lease, now)
        self._give_back(lease)
        if host is not None:
            desk = self._desk
            host.awaiting_robots.discard(lease.origin)
            desk.bench.place(host, now)

    def recorded(self, done: Done, page: int, now: float, *, leads_on: bool) -> None:
        """The store has recorded an outcome: twins of its content may follow.

        Args:
            done: what was recorded.
            page: its number.
            now: unix time.
            leads_on: whether URLs were found that had never been seen.
        """
        outcome = done.outcome
        self._desk.book.release(done.waiting.hash)
        if done.waiting.kind == "page" and outcome.kind in (OutcomeKind.STORED, OutcomeKind.DUPLICATE):
            self._watch.record(page, done.waiting, outcome, leads_on=leads_on)
        if outcome.kind is OutcomeKind.STORED:
            self.settle_twins(outcome.digest, now, stored=True)

    def settle_twins(self, digest: bytes, now: float, *, stored: bool) -> None:
        """The first lease with this content has ended, or the archive had it all along."""
        for twin in self._desk.claims.settle(digest):
            lease = self._desk.book.get(twin.lease)
            if lease is None:
                continue
            if stored:
                self._settle(lease, twin, now)
            else:
                self._give_back(lease)

    def settle_unasked(self, key: bytes, waiting: WaitingUrl, outcome: Outcome) -> None:
        """A URL is settled without a request (robots, budgets)."""
        self._desk.step.done.append(Done(key, waiting, outcome))
        self._log(outcome, waiting, retried=False)

    def answered(self, lease: ActiveLease, now: float) -> None:
        """A worker has the whole answer: where nobody asks for a pause, the connection is free for others.

        What is done with the answer takes as long as a request to a host near by. A host with a delay is told
        of the outcome first: it may have asked for patience.
        """
        bench = self._desk.bench
        host = bench.hosts.get(lease.host)
        if host is not None and not lease.answered and delay_of(host.state, bench.rules) == 0:
            self._end_request(lease, now)
            lease.answered = True
            host.answered += 1
            bench.place(host, now)

    def _end_request(self, lease: ActiveLease, now: float) -> HostQueue | None:
        """The connection is free for others."""
        bench = self._desk.bench
        waiting = self._desk.book.hang_up(lease)
        other = bench.hosts.get(waiting) if waiting is not None else None
        if other is not None:
            other.awaiting_address = False
            bench.place(other, now)
        host = bench.hosts.get(lease.host)
        if host is not None and lease.answered:
            host.answered -= 1
        elif host is not None:
            host.in_flight -= 1
        return host

    def _tell_host(self, host: HostQueue, outcome: Outcome, now: float) -> None:
        host.address = outcome.address or host.address
        held = host.state.hold
        for sentence in answered(host.state, outcome, now, self._desk.config.politeness):
            self._desk.events.add("warning", "host", sentence, host=host.key)
        if host.state.hold != held:
            self._desk.save(host)

    def _settle(self, lease: ActiveLease, outcome: Outcome, now: float) -> None:
        waiting = lease.waiting
        if waiting is None:
            return
        if lease.again is not None:
            self._settle_again(lease, lease.again, outcome, now)
            return
        done = Done(lease.key, waiting, outcome)
        if outcome.kind is OutcomeKind.FAILED:
            decision = retry.decide(outcome.failure, waiting.tries + 1, now, self._desk.config.crawl.retries)
            if isinstance(decision, retry.Requeue):
                self._give_back(lease, to_tail=decision.to_tail)
                if outcome.failure is Failure.STORE_FAILED:
                    self._on_archive_failure(outcome.detail)
                return
            waiting.tries += 1
            done.retry_at = decision.at if isinstance(decision, retry.Retry) else 0.0
        self._desk.book.close(lease.id)
        if lease.digest and outcome.kind is not OutcomeKind.STORED:
            self.settle_twins(lease.digest, now, stored=False)
        if outcome.links is not None:
            done.links_found = len(outcome.links.urls) + sum(outcome.links.refused.values())
            done.found = _found(waiting, outcome)
        if not done.retry_at:
            done.visit = self._revisiting.first(lease.host, waiting, outcome, now)
        self._desk.step.done.append(done)
        self._log(outcome, waiting, retried=bool(done.retry_at))

    def _settle_again(self, lease: ActiveLease, again: Again, outcome: Outcome, now: float) -> None:
        """A page was visited again."""
        done = self._revisiting.settle(again, outcome, now)
        if done is None:
            self._give_back(lease)
            if outcome.failure is Failure.STORE_FAILED:
                self._on_archive_failure(outcome.detail)
            return
        self._desk.book.close(lease.id)
        if lease.digest and outcome.kind is not OutcomeKind.STORED:
            self.settle_twins(lease.digest, now, stored=False)
        if outcome.links is not None and done.replaces:
            done.links_found = len(outcome.links.urls) + sum(outcome.links.refused.values())
            done.found = _found(again.waiting, outcome)
        self._revisiting.ended(done)
        self._log(outcome, again.waiting, retried=not done.told)

    def visited(self, done: Revisited, now: float) -> None:
        """The store has recorded a later visit: twins of its content may follow."""
        self._desk.book.release(done.waiting.hash)
        if done.outcome.kind is OutcomeKind.STORED:
            self.settle_twins(done.outcome.digest, now, stored=True)

    def _give_back(self, lease: ActiveLease, *, to_tail: bool = False) -> None:
        desk = self._desk
        desk.book.close(lease.id)
        if lease.digest:
            self.settle_twins(lease.digest, self._desk.clock(), stored=False)
        if lease.again is not None:
            self._revisiting.give_back(lease)
            return
        if lease.waiting is not None:
            desk.step.returned.append(lease.key)
            if to_tail:
                desk.step.tails.append(Tail(lease.key, lease.waiting))
            else:
                desk.book.release(lease.waiting.hash)
        host = desk.bench.hosts.get(lease.host)
        if host is not None:
            host.pages -= 1
            host.reread()

    def _log(self, outcome: Outcome, waiting: WaitingUrl, *, retried: bool) -> None:
        host = host_key(waiting.url)
        if outcome.kind is OutcomeKind.FAILED:
            level = "info" if retried else "warning"
            text = f"{outcome.failure}: {outcome.detail}{', tried again later' if retried else ''}"
            self._desk.events.add(level, "failed", text, url=waiting.url, host=host, worker=outcome.worker)
            return
        if outcome.kind is OutcomeKind.SITEMAP and outcome.detail:
            self._desk.events.add("warning", "sitemap", outcome.detail, url=waiting.url, host=host)
            return
        text = f"{outcome.kind} ({outcome.failure or outcome.status})"
        self._desk.events.add("info", outcome.kind, text, url=waiting.url, host=host, worker=outcome.worker)

    # robots.txt

    def _learn_robots(self, lease: ActiveLease, host: HostQueue | None, outcome: Outcome, now: float) -> None:
        self._desk.book.close(lease.id)
        known = host.robots.get(lease.origin) if host is not None else None
        previous = known.record if known is not None else None
        record = ruling_for(outcome.status, outcome.failure, outcome.body, now, previous)
        self._desk.step.saves.append(("robots", lease.origin.encode(), encode(record)))
        if host is not None:
            self.use_robots(host, lease.origin, record, sitemaps=True)
            text = f"robots.txt of {lease.origin}: {record.kind} ({outcome.failure or outcome.status})"
            self._desk.events.add("info", "robots", text, host=host.key)

    def _add_sitemaps(self, urls: Sequence[str]) -> None:
        config = self._desk.config
        if not config.fetch.sitemaps:
            return
        near = [url for url in map(normalize, urls) if url and self._outside.is_near(url)]
        known = {sitemap_key(url, config.urls): url for url in near}
        if known:
            found = Found(b"".join(known), list(known.values()), 1)
            found.sitemaps = len(known)
            self._desk.step.adds.append(found)

    def use_robots(self, host: HostQueue, of: str, record: RobotsRecord, *, sitemaps: bool = False) -> None:
        """Put the rules of an origin on the bench; a large file is read in a thread, its host waits."""
        if len(record.body) > LARGE_ROBOTS:
            self._desk.background(partial(self._read_robots, host, of, record, sitemaps=sitemaps))
        else:
            self._take_robots(host, of, record, robots_of(record, self.agent), sitemaps=sitemaps)

    async def _read_robots(self, host: HostQueue, of: str, record: RobotsRecord, *, sitemaps: bool) -> None:
        robots = await trio.to_thread.run_sync(robots_of, record, self.agent)
        self._take_robots(host, of, record, robots, sitemaps=sitemaps)
        self._desk.bench.place(host, self._desk.clock())
        self._desk.poke()

    def _take_robots(
        self, host: HostQueue, of: str, record: RobotsRecord, robots: Robots, *, sitemaps: bool
    ) -> None:
        host.awaiting_robots.discard(of)
        host.robots[of] = OriginRobots(record, robots)
        for sentence in robots_asks(host.state, robots.crawl_delay, self._desk.config.politeness):
            self._desk.events.add("warning", "host", sentence, host=host.key)
        if sitemaps:
            self._add_sitemaps(robots.sitemaps)


def _found(waiting: WaitingUrl, outcome: Outcome) -> Found | None:
    links = outcome.links
    if links is None or not links.urls:
        return None
    found = Found(links.keys, links.urls, waiting.depth + 1)
    found.sitemaps, found.lastmods, found.changefreqs = links.sitemaps, links.lastmods, links.changefreqs
    if outcome.kind is OutcomeKind.REDIRECT:
        found.depth, found.hops = waiting.depth, waiting.hops + 1
        found.cookie = waiting.cookie or outcome.set_cookie
    elif outcome.kind is OutcomeKind.SITEMAP:
        found.depth, found.hops = 1, waiting.hops + 1  # as if the root linked to them; how deep in sitemaps
    return found
