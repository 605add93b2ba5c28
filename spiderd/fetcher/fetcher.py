"""The fetcher: takes leases from its link, lets its workers serve them, sends outcomes back.

A worker is what users call a thread: a task with a download directory of its own that serves one lease after
the other. All workers of a fetcher share the HTTP client (and so its warm connections) and the archive
writer. A fetcher knows nothing of politeness: what it holds may be fetched now.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import trio

from spiderd.archive.writer import Writer
from spiderd.fetch import Client
from spiderd.fetcher.worker import Worker
from spiderd.link import FetcherEnd, LinkClosed
from spiderd.messages import (
    Claim,
    Drain,
    Grant,
    Lease,
    Reconfigure,
    Setup,
    ToCoordinator,
    Verdict,
    WorkerState,
    WorkerStates,
)
from spiderd.states import Step
from spiderd.urls import ScopeRules

REPORT_INTERVAL = 0.25  # seconds between two reports of worker states: what an eye can follow


class _Asked:
    """A claim on its way."""

    def __init__(self) -> None:
        self.event = trio.Event()
        self.verdict: Verdict


class Fetcher:
    """One fetcher on its end of a link. `run` returns when it has drained or the link is closed."""

    def __init__(self, link: FetcherEnd) -> None:
        self._link = link
        self._out: list[ToCoordinator] = []
        self._out_wake = trio.Event()
        self._leases, self._lease_source = trio.open_memory_channel[Lease](float("inf"))
        self._claims: dict[int, _Asked] = {}
        self._states: dict[int, WorkerState] = {}
        self._changed: set[int] = set()
        self._stirred = trio.Event()  # something has changed: an idle fetcher sleeps
        self._workers: dict[int, Worker] = {}
        self._hired = trio.Event()  # the workers are there
        self._draining = trio.Event()
        self._finished = False  # the workers have gone
        self._sent = trio.Event()  # and their last outcomes are sent
        self.writer: Writer
        self.scope: ScopeRules

    async def run(self) -> None:
        """Do the work of a fetcher until the coordinator drains it or goes away."""
        try:
            setup = await self._first()
        except LinkClosed:
            return
        self.writer = Writer(Path(setup.archive), warc=setup.config.archive.format == "warc")
        async with Client(setup.config, seeds=setup.seeds) as client, trio.open_nursery() as nursery:
            nursery.start_soon(self._send)
            nursery.start_soon(self._report)
            nursery.start_soon(self.writer.run)
            nursery.start_soon(self._receive, nursery)
            await self._work(setup, client)
            self._finished = True
            self._out_wake.set()
            await self._sent.wait()
            nursery.cancel_scope.cancel()
        await self._link.aclose()

    async def _work(self, setup: Setup, client: Client) -> None:
        self._client = client
        self._config = setup.config
        self.scope = ScopeRules(setup.config, setup.seeds)
        async with trio.open_nursery() as self._staff:
            self._staff.start_soon(self._draining.wait)  # so that it is open, even if there are no workers
            for number in setup.workers:
                self._hire(number)
            self._hired.set()

    def _hire(self, number: int) -> None:
        worker = self._workers[number] = Worker(number, self, self._client, self._config)
        self._states[number] = WorkerState(number, Step.IDLE, time.time())
        self._staff.start_soon(worker.run, self._lease_source.clone())

    async def _first(self) -> Setup:
        messages = list(await self._link.receive())
        setup = messages.pop(0)
        if not isinstance(setup, Setup):
            raise TypeError("the first message to a fetcher is its set-up")
        self._early = messages
        return setup

    async def _receive(self, nursery: trio.Nursery) -> None:
        await self._hired.wait()
        messages = self._early
        try:
            while True:
                for message in messages:
                    if isinstance(message, Lease):
                        self._leases.send_nowait(message)
                    elif isinstance(message, Verdict):
                        self._deliver(message)
                    elif isinstance(message, Grant):
                        if message.worker in self._workers:  # else it was one of a fetcher that died
                            nursery.start_soon(self._workers[message.worker].take_directory, message)
                    elif isinstance(message, Reconfigure):
                        self._reconfigure(message)
                    elif isinstance(message, Drain):
                        self._draining.set()
                        nursery.cancel_scope.deadline = trio.current_time() + message.grace
                        for worker in self._workers.values():
                            worker.dismiss()
                messages = list(await self._link.receive())
        except LinkClosed:
            nursery.cancel_scope.cancel()  # whoever gave the leases is gone

    def _reconfigure(self, message: Reconfigure) -> None:
        if self._draining.is_set():
            return
        self._config = message.config
        if message.more:
            self.scope = self.scope.extended(message.seeds, message.config)
        else:
            self.scope = ScopeRules(message.config, message.seeds)
        self._client.reconfigure(message.config, message.seeds)
        self._client.authorize(message.auth)
        # Whoever has no workers left gets no more leases; what it holds is served by one of those it had.
        active = message.workers or [min(self._workers, default=0)]
        for worker in self._workers.values():
            worker.reconfigure(message.config, rests=worker.number not in active)
        for number in message.workers:
            if number not in self._workers:
                self._hire(number)

    # what workers call

    def send(self, message: ToCoordinator) -> None:
        """Queue a message; it leaves with the next frame."""
        self._out.append(message)
        self._out_wake.set()

    async def claim(self, lease: int, digest: bytes, at: float) -> Verdict:
        """Ask whether content, received at that unix time, is new to the archive."""
        asked = self._claims[lease] = _Asked()
        self.send(Claim(lease, digest, at))
        try:
            await asked.event.wait()
        finally:
            del self._claims[lease]
        return asked.verdict

    @contextmanager
    def working(self, worker: int, url: str) -> Iterator[None]:
        """A worker has a URL in hand."""
        self.step(worker, Step.RESOLVING, url)
        try:
            yield
        finally:
            self.step(worker, Step.IDLE, "")

    def step(self, worker: int, step: Step, url: str | None = None) -> None:
        """A worker goes on to its next step."""
        state = self._states[worker]
        state.step = step
        state.since = time.time()
        if url is not None:
            state.url = url
        self._changed.add(worker)
        self._stirred.set()

    # tasks

    def _deliver(self, verdict: Verdict) -> None:
        asked = self._claims.get(verdict.lease)
        if asked is not None:
            asked.verdict = verdict
            asked.event.set()

    async def _send(self) -> None:
        try:
            while self._out or not self._finished:
                await self._out_wake.wait()
                await trio.lowlevel.checkpoint()  # what others have to say in this round goes along
                self._out_wake = trio.Event()
                messages, self._out = self._out, []
                if messages:
                    await self._link.send(messages)
        except LinkClosed:
            pass  # the receiving side notices too and ends the fetcher
        self._sent.set()

    async def _report(self) -> None:
        while True:
            await self._stirred.wait()
            await trio.sleep(REPORT_INTERVAL)
            self._stirred = trio.Event()
            changed, self._changed = self._changed, set()
            states = [self._states[number] for number in sorted(changed)]
            self.send(WorkerStates(states, self._client.phases.take()))
