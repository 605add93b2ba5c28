"""What the parts of the coordinator share: one object, passed in, no globals."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from spiderd.config import Config
from spiderd.coordinator.leases import Claims, LeaseBook
from spiderd.protocol import Counters
from spiderd.schedule.workbench import HostQueue, Workbench
from spiderd.store.records import encode, host_key_bytes
from spiderd.store.step import Step


class Events(Protocol):
    """Where events go."""

    def add(
        self, level: str, name: str, message: str, *, url: str = "", host: str = "", worker: int = -1
    ) -> object:
        """Record one."""


class Desk:
    """The working state of a crawl: what is on the bench, in flight, and on its way into the store."""

    def __init__(self, config: Config, events: Events, clock: Callable[[], float]) -> None:
        self.clock = clock  # unix time
        self.config = config
        self.events = events
        self.bench = Workbench(config.politeness, config.crawl.retries)
        self.book = LeaseBook(config.politeness.per_ip)
        self.claims = Claims()
        self.counters = Counters()
        self.agains = 0  # pages whose next visit is due
        self.poke: Callable[[], None] = lambda: None  # the next turn should come soon
        self.background: Callable[[Callable[[], Awaitable[None]]], None]  # run a task beside the turns
        self.step = self.new_step()  # what the store will be asked for next
        self._kept: dict[tuple[str, bytes], bytes] = {}  # rows that may change often in one step

    def reconfigure(self, config: Config, now: float) -> None:
        """Go by other settings from now on."""
        self.config = config
        self.bench.reconfigure(config.politeness, config.crawl.retries, now)
        for number in self.book.reconfigure(config.politeness.per_ip):
            host = self.bench.hosts.get(number)
            if host is not None:
                host.awaiting_address = False
                self.bench.place(host, now)

    def new_step(self) -> Step:
        """An empty step."""
        return Step(now=0.0, max_count=self.config.archive.max_count)

    def take_step(self, now: float) -> Step:
        """The step that has come together; the next one begins empty."""
        step, self.step = self.step, self.new_step()
        step.now = now
        step.saves.extend((table, key, value) for (table, key), value in self._kept.items())
        self._kept.clear()
        return step

    def keep(self, table: str, key: bytes, value: bytes) -> None:
        """Let the store keep a row; of several values in one step the last."""
        self._kept[table, key] = value

    def rename(self, moved: Mapping[bytes, bytes]) -> None:
        """Leased URLs have other frontier keys now."""
        for lease in self.book:
            lease.key = moved.get(lease.key, lease.key)
        for done in self.step.done:
            done.key = moved.get(done.key, done.key)
        for tail in self.step.tails:
            tail.key = moved.get(tail.key, tail.key)
        for park in self.step.parks:
            park.key = moved.get(park.key, park.key)
        self.step.leased = [moved.get(key, key) for key in self.step.leased]
        self.step.returned = [moved.get(key, key) for key in self.step.returned]

    def save(self, host: HostQueue) -> None:
        """Let the store keep what is remembered of a host."""
        self.step.saves.append(("politeness", host_key_bytes(host.id), encode(host.state)))
