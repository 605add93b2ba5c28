"""The crawl as the API sees it: what it shows, and what people may change while it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path

import msgspec
import trio

from spiderd.api.vitals import Vitals
from spiderd.config import Config
from spiderd.config.loading import Loaded
from spiderd.coordinator.coordinator import Coordinator
from spiderd.daemon import intake
from spiderd.daemon.auditing import Auditing
from spiderd.daemon.happenings import Happenings
from spiderd.daemon.host_page import HostPage
from spiderd.daemon.indexing import Searching
from spiderd.daemon.listing import Listing
from spiderd.daemon.page_links import PageLinks
from spiderd.daemon.picture import Picture
from spiderd.daemon.releasing import Releasing
from spiderd.daemon.ruling import Ruling
from spiderd.daemon.settings import SEEDS, LiveSettings, Plan
from spiderd.daemon.site_tree import SiteTree
from spiderd.daemon.visiting import Visiting
from spiderd.daemon.vitals import take
from spiderd.errors import ConfigError, SpiderdError
from spiderd.protocol import (
    Added,
    Counters,
    Events,
    Hello,
    IndexState,
    PageReply,
    Reconfigured,
    Released,
    Retried,
    RetryRequest,
    RevisitReply,
    SearchReply,
    SettingRequest,
    Settings,
    Snapshot,
    StateReply,
    Why,
)
from spiderd.states import CrawlState, Reason
from spiderd.store import lists
from spiderd.store.commands import add_seeds, mark_visited, save_settings, set_paused
from spiderd.store.thread import StoreThread

STOP_GRACE = 10.0  # seconds that requests in flight are given


class Steering:
    """Implements what the API needs of a crawl (`spiderd.api.crawl.Crawl`)."""

    def __init__(
        self,
        settings: LiveSettings,
        data_dir: Path,
        crawl: str,
        coordinator: Coordinator,
        store: StoreThread,
        happenings: Happenings,
    ) -> None:
        self._settings = settings
        self._coordinator = coordinator
        self._store = store
        self._happenings = happenings
        self._one_at_a_time = trio.Lock()  # changes of the settings
        self._picture = Picture(settings, data_dir, crawl, coordinator, store)
        self._listing = Listing(settings, coordinator, store, self._picture)
        self._releasing = Releasing(coordinator, store)
        self._visiting = Visiting(coordinator, store)
        self._ruling = Ruling(settings, coordinator, store, happenings, self._listing, data_dir / "pages")
        self.rates = self._picture.rates
        self.auditing = Auditing(lambda: settings.running, data_dir, self._progress, store.flush)
        self.reports = self.auditing.reports
        self.report = self.auditing.report
        self.searching = Searching(settings.running, data_dir, happenings)
        self.stop_asked: Callable[[], None] = lambda: coordinator.stop(Reason.USER, grace=STOP_GRACE)
        self.reloading: Callable[[], AbstractContextManager[None]] = nullcontext  # around each reload
        self.workers = self._listing.workers
        self.directories = self._listing.directories
        self.hosts = self._listing.hosts
        self.errors = self._listing.errors
        self.traps = self._listing.traps
        self.host = HostPage(coordinator, store, self._listing).host
        self.tree = SiteTree(store).tree
        self.links = PageLinks(settings, store).links

    @property
    def _config(self) -> Config:
        return self._settings.running

    def _progress(self) -> int:
        """A number that grows with whatever is recorded."""
        counters = self._picture.counters()
        return counters.known + counters.complete + counters.error + counters.bytes_received

    # the picture

    def hello(self) -> Hello:
        """Say who is there."""
        return self._picture.hello()

    def counters(self) -> Counters:
        """Counters of the last turn."""
        return self._picture.counters()

    def snapshot(self) -> Snapshot:
        """Describe the crawl as it is now."""
        snapshot = self._picture.snapshot(self._happenings.ring.last, self.searching.state)
        snapshot.revisits = self._visiting.revisits()
        return snapshot

    async def refresh_directories(self) -> None:
        """Look the open directories up in the store; once a second is often enough."""
        await self._picture.refresh()
        await self._visiting.refresh()

    async def vitals(self) -> Vitals:
        """Tell what only the metrics show."""
        return await take(self._coordinator, self._store)

    async def events(self, since: int, wait: float, level: str) -> Events:
        """Answer the events after an id."""
        return await self._happenings.ring.read(since, wait, level)

    async def why(self, url: str) -> Why:
        """Tell which rule decides about a URL.

        Raises:
            UsageError: it is no http(s) URL.
        """
        return await self._ruling.why(url)

    # URLs

    async def add(self, urls: list[str]) -> Added:
        """Put URLs into the frontier as seeds."""
        candidates = await self._examine(urls)
        good = [candidate.url for candidate in candidates if candidate.url]
        new: list[bool] = []
        if good:
            auth = intake.auth_of(candidates)
            new = await self._store.change(add_seeds, intake.found(candidates), good, auth)
            self._coordinator.reseed(good, auth)
            if any(new):
                self._coordinator.go_on()
        return intake.added(candidates, new)

    async def check(self, urls: list[str]) -> Added:
        """Say what `add` would answer."""
        candidates = await self._examine(urls)
        hashes = [candidate.hash for candidate in candidates if candidate.url]
        seen = await self._store.call(lists.seen, hashes)
        return intake.added(candidates, [not known for known in seen])

    async def visited(self, urls: list[str]) -> Added:
        """Take URLs as seen without ever fetching them; what waits already still is."""
        candidates = await self._off_the_loop(partial(intake.recognise, urls, self._config.urls), urls)
        hashes = [candidate.hash for candidate in candidates if candidate.url]
        new = await self._store.change(mark_visited, hashes) if hashes else 0
        refused = intake.results([candidate for candidate in candidates if not candidate.url], [])
        return Added(new=new, known=len(hashes) - new, refused=len(refused), results=refused)

    async def _examine(self, urls: list[str]) -> list[intake.Candidate]:
        return await self._off_the_loop(partial(intake.examine, urls, self._config), urls)

    @staticmethod
    async def _off_the_loop(
        work: Callable[[], list[intake.Candidate]], urls: Sequence[str]
    ) -> list[intake.Candidate]:
        return await trio.to_thread.run_sync(work) if len(urls) > intake.MANY else work()

    # control

    async def pause(self) -> StateReply:
        """Give out no more leases; the crawl stays paused across restarts."""
        await self._store.change(set_paused, paused=True)
        self._coordinator.pause(Reason.USER)
        return self._state()

    async def resume(self) -> StateReply:
        """Go on after a pause."""
        await self._store.change(set_paused, paused=False)
        self._coordinator.resume()
        return self._state()

    async def stop(self) -> StateReply:
        """Begin to stop the daemon."""
        self.stop_asked()
        return self._state()

    async def retry(self, asked: RetryRequest) -> Retried:
        """Put URLs of the error queue back."""
        count, missing = await self._releasing.retry(asked, self._config.urls)
        state = self._state()
        return Retried(state=state.state, reason=state.reason, urls=count, missing=missing)

    async def revisit(self, what: str) -> RevisitReply:
        """Visit a page again, or those that a pattern matches, as soon as their hosts may be asked.

        Raises:
            UsageError: there is no such page, and it is no regular expression.
        """
        kind, pages = await self._visiting.ask(what, self._config.urls)
        state = self._state()
        return RevisitReply(state=state.state, reason=state.reason, kind=kind, pages=pages)

    async def release(self, what: str) -> Released:
        """Let a parked shape go on, or a host that is held back.

        Raises:
            UsageError: nothing of that name is parked or known.
        """
        kind, name, urls, held = await self._releasing.release(what)
        state = self._state()
        return Released(state=state.state, reason=state.reason, kind=kind, name=name, urls=urls, held=held)

    # settings

    def settings(self) -> Settings:
        """Tell the configuration in effect."""
        return Settings(source=str(self._settings.source or ""), rows=self._settings.rows())

    async def reload(self) -> Reconfigured:
        """Read the configuration again and apply what can be applied.

        Raises:
            ConfigError, UsageError: it is wrong; nothing has changed.
        """
        with self.reloading():
            return await self._reload()

    async def _reload(self) -> Reconfigured:
        async with self._one_at_a_time:
            try:
                filed = await trio.to_thread.run_sync(self._settings.reread)
                plan = self._settings.plan_reload(filed)
                await self._check_seeds(filed)
            except SpiderdError as error:
                self._happenings.add("error", "reload", f"the configuration was refused: {error}")
                raise
            await self._apply(plan)
            await self.add(filed.config.crawl.seeds)
            self._happenings.add("info", "reload", "the configuration was read again")
            return self._told(plan, "reload")

    async def set(self, asked: SettingRequest) -> Reconfigured:
        """Make one setting live, or unset it; it holds across restarts.

        Raises:
            UsageError: there is no such key, it is not one that can be set live, or the value is wrong.
        """
        async with self._one_at_a_time:
            plan = self._settings.plan_setting(asked.key, asked.value)
            await self._store.change(save_settings, msgspec.msgpack.encode(plan.overrides))
            await self._apply(plan)
            return self._told(plan, "set")

    async def _check_seeds(self, filed: Loaded) -> None:
        for candidate in await self._off_the_loop(
            partial(intake.examine, filed.config.crawl.seeds, filed.config), filed.config.crawl.seeds
        ):
            if candidate.reason:
                raise ConfigError(f"The seed {candidate.text} cannot be used: {candidate.reason}.")

    async def _apply(self, plan: Plan) -> None:
        self._settings.accept(plan)
        self._picture.settings_changed()
        if plan.keys - {SEEDS}:
            self._coordinator.reconfigure(plan.config)
            self._happenings.log_by(plan.config.log)

    def _told(self, plan: Plan, name: str) -> Reconfigured:
        for change in plan.changed:
            self._happenings.add("info", name, f"{change.key} is {change.value} now, was {change.filed}")
        state = self._state()
        return Reconfigured(
            state=state.state,
            reason=state.reason,
            changed=plan.changed,
            restart=plan.restart if name == "reload" else [],
            hidden=plan.hidden if name == "reload" else [],
            notes=plan.notes,
        )

    # the search

    async def search(self, query: str, page: int, limit: int, *, typing: bool = False) -> SearchReply:
        """Answer one page of results."""
        return await self.searching.search(query, page, limit, typing=typing)

    async def page(self, number: int, url: str) -> PageReply:
        """Tell what is kept of a page."""
        return await self.searching.page(number, url)

    async def reindex(self) -> IndexState:
        """Begin to build the search index anew."""
        return await self.searching.reindex()

    def _state(self) -> StateReply:
        lifecycle = self._coordinator.lifecycle
        return StateReply(state=lifecycle.state, reason=lifecycle.reason)

    @property
    def is_complete(self) -> bool:
        """Whether the crawl is complete."""
        return self._coordinator.lifecycle.state is CrawlState.COMPLETE
