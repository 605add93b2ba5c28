"""A worker: serves one lease after the other and owns the download directory it writes to."""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING

import trio

from spiderd.archive.reading import read_body
from spiderd.archive.warc import Original, Received
from spiderd.archive.writer import Note, Stored
from spiderd.config import Config
from spiderd.config.secrets import masked
from spiderd.errors import SpiderdError
from spiderd.fetch import Client, Exchange, FetchError, Headers, user_agent
from spiderd.fetcher.answers import REDIRECTS, WantedTypes, failure_of, single_type
from spiderd.fetcher.fingerprint import fingerprint, likeness
from spiderd.fetcher.listing import read_sitemap
from spiderd.fetcher.sameness import Sameness, compare
from spiderd.messages import Grant, Lease, Links, Outcome
from spiderd.parse import ParsedPage, parse_page
from spiderd.robots.directives import Directives, of_headers
from spiderd.robots.rules import product_token
from spiderd.states import Failure, OutcomeKind, Step
from spiderd.urls import key_hash, resolve, seen_key, sitemap_key

if TYPE_CHECKING:
    from spiderd.fetcher.fetcher import Fetcher

ROBOTS_REDIRECTS = 5  # RFC 9309 2.3.1.2
ROBOTS_BYTES = 512 * 1024  # RFC 9309 2.5 asks for at least 500 KiB
SITEMAP_BYTES = 50 * 1024 * 1024  # sitemaps.org protocol
DIGEST_BYTES = 16
NOT_MODIFIED = 304
LARGE = 512 * 1024  # bodies above this are parsed in a thread, so that the other workers go on


class Worker:
    """One worker of a fetcher."""

    def __init__(self, number: int, fetcher: Fetcher, client: Client, config: Config) -> None:
        self.number = number
        self._fetcher = fetcher
        self._client = client
        self._ready = trio.Event()  # a directory is there and not full
        self._idle = trio.CancelScope()  # around the wait for a directory and a lease
        self._dismissed = False
        self._rests = False
        self.reconfigure(config, rests=False)

    def reconfigure(self, config: Config, *, rests: bool) -> None:
        """Go by other settings from the next lease on.

        Args:
            config: the settings.
            rests: take no lease until told otherwise; what is in hand is finished.
        """
        self._config = config
        self._types = WantedTypes(config.fetch.types, assets=config.fetch.assets)
        self._agent = product_token(user_agent(config))
        if rests != self._rests:
            self._rests = rests
            self._idle.cancel()

    async def run(self, leases: trio.MemoryReceiveChannel[Lease]) -> None:
        """Serve leases until dismissed."""
        with leases:
            while (lease := await self._next(leases)) is not None:
                with self._fetcher.working(self.number, lease.url):
                    outcome = await self._serve(lease)
                    self._fetcher.send(outcome)
                if outcome.number >= self._config.archive.max_count:
                    self._ready = trio.Event()  # the outcome tells the coordinator that the directory is full

    async def _next(self, leases: trio.MemoryReceiveChannel[Lease]) -> Lease | None:
        while not self._dismissed:
            with trio.CancelScope() as self._idle:
                await self._ready.wait()
                if not self._rests:
                    return await leases.receive()
                await trio.sleep_forever()
        return None

    def dismiss(self) -> None:
        """Take no more leases; what is in hand is finished."""
        self._dismissed = True
        self._idle.cancel()

    async def take_directory(self, grant: Grant) -> None:
        """Go on in this directory."""
        await self._fetcher.writer.open(
            self.number, grant.directory, grant.count, grant.index_bytes, grant.records_bytes
        )
        self._ready.set()

    async def _serve(self, lease: Lease) -> Outcome:
        outcome = Outcome(lease.id, self.number, OutcomeKind.FAILED, fetched_at=time.time())
        try:
            if lease.kind == "robots":
                await self._robots(lease, outcome)
            elif lease.kind == "sitemap":
                await self._sitemap(lease, outcome)
            else:
                exchange = await self._get(lease.url, lease, outcome)
                await self._judge(lease, exchange, outcome)
        except FetchError as error:
            outcome.failure = error.failure
            outcome.detail = error.detail
            outcome.status = outcome.status or error.status
            outcome.address = error.address
            if error.failure is Failure.TYPE_NOT_WANTED:
                outcome.kind = OutcomeKind.SKIPPED
        except SpiderdError as error:
            outcome.kind = OutcomeKind.FAILED
            outcome.failure = Failure.STORE_FAILED
            outcome.detail = str(error)
        except Exception as error:  # noqa: BLE001  # one strange page must not stop a worker
            outcome.kind = OutcomeKind.FAILED
            outcome.failure = Failure.INTERNAL_ERROR
            outcome.detail = f"{type(error).__name__}: {error}"
        return outcome

    async def _get(self, url: str, lease: Lease, outcome: Outcome, limit: int | None = None) -> Exchange:
        exchange = await self._client.get(
            url,
            etag=lease.etag,
            last_modified=lease.last_modified,
            wanted=self._wanted if lease.kind == "page" else None,
            on_step=self._on_step,
            max_body=limit,
        )
        headers = exchange.headers
        outcome.status = exchange.status
        outcome.address = exchange.address
        outcome.content_type = single_type(headers.get("content-type"))
        outcome.etag = headers.get("etag")
        outcome.last_modified = headers.get("last-modified")
        outcome.size = len(exchange.body)
        outcome.wire_size += exchange.wire_size
        outcome.truncated = exchange.truncated
        outcome.set_cookie = bool(headers.get("set-cookie"))
        outcome.latency = exchange.latency
        outcome.elapsed += exchange.elapsed
        return exchange

    def _on_step(self, step: Step) -> None:
        self._fetcher.step(self.number, step)

    def _wanted(self, status: int, headers: Headers) -> Failure:
        if 200 <= status < 300 and single_type(headers.get("content-type")) not in self._types:
            return Failure.TYPE_NOT_WANTED
        return Failure.NONE

    # pages

    async def _judge(self, lease: Lease, exchange: Exchange, outcome: Outcome) -> None:
        status = exchange.status
        if status == NOT_MODIFIED and (lease.etag or lease.last_modified):
            await self._unchanged(lease, exchange, outcome, "unmodified")
            return
        if status in REDIRECTS:
            self._redirect(lease, exchange, outcome)
            if outcome.kind is OutcomeKind.REDIRECT:
                await self._note(exchange, outcome, "response")
            return
        outcome.failure = failure_of(status)
        if outcome.failure is Failure.NONE:
            await self._page(lease, exchange, outcome)
        elif outcome.failure is Failure.NO_CONTENT:
            outcome.kind = OutcomeKind.SKIPPED
        else:
            outcome.detail = f"HTTP status {status}"
            outcome.retry_after = exchange.headers.get("retry-after")

    def _redirect(self, lease: Lease, exchange: Exchange, outcome: Outcome) -> None:
        location = exchange.headers.get("location")
        target = resolve(lease.url, location) if location else None
        if target is None:
            outcome.failure = Failure.BAD_REDIRECT
            told = masked(location[:200], malformed=True)
            outcome.detail = f"redirect to {told!r}" if location else "redirect without a Location"
        elif lease.hops >= self._config.fetch.max_redirects:
            outcome.failure = Failure.TOO_MANY_REDIRECTS
            outcome.detail = f"more than {self._config.fetch.max_redirects} redirects in a row"
        else:
            outcome.kind = OutcomeKind.REDIRECT
            outcome.location = target
            outcome.links = self._single_link(target, lease.depth)

    def _single_link(self, target: str, depth: int) -> Links:
        reason = self._fetcher.scope.decide(target, depth)
        if reason:
            return Links(b"", [], b"", {reason: 1})
        return Links(key_hash(seen_key(target, self._config.urls)), [target], b"", {})

    async def _page(self, lease: Lease, exchange: Exchange, outcome: Outcome) -> None:
        body = exchange.body
        outcome.digest = hashlib.blake2b(body, digest_size=DIGEST_BYTES).digest()
        if lease.fingerprint:
            outcome.simhash, outcome.likeness = fingerprint(body), likeness(body)
        known = Sameness.OTHER if not lease.digest else await self._compare(lease, exchange, outcome)
        if known is Sameness.SAME:
            await self._unchanged(
                lease, exchange, outcome, "revisit" if outcome.digest == lease.digest else "response"
            )
            return
        outcome.minor = known is Sameness.NEARLY
        verdict = await self._fetcher.claim(lease.id, outcome.digest, outcome.fetched_at)
        outcome.kind = OutcomeKind.STORED if verdict.new else OutcomeKind.DUPLICATE
        self._on_step(Step.PARSING)
        if len(body) > LARGE:
            await trio.to_thread.run_sync(self._parse, lease, exchange, outcome)
        else:
            self._parse(lease, exchange, outcome)
        if not verdict.new:
            original = Original(verdict.original, verdict.original_at) if verdict.original else None
            await self._note(exchange, outcome, "revisit", original)
            return
        self._on_step(Step.STORING)
        writer = self._fetcher.writer
        received = _received(exchange, outcome) if writer.warc else None
        self._place(outcome, await writer.store(self.number, lease.url, body, received))

    async def _compare(self, lease: Lease, exchange: Exchange, outcome: Outcome) -> Sameness:
        """What has become of a page since the version that is kept."""
        if outcome.digest == lease.digest:
            return Sameness.SAME
        return await trio.to_thread.run_sync(self._compare_with_kept, lease, exchange, outcome)

    def _compare_with_kept(self, lease: Lease, exchange: Exchange, outcome: Outcome) -> Sameness:
        try:
            old = read_body(self._fetcher.writer.root, lease.directory, lease.number)
        except OSError:
            return Sameness.OTHER
        told = self._told(exchange.headers, outcome)
        before, after = (self._read(lease, exchange, outcome, body, told) for body in (old, exchange.body))
        if (_links_of(before), before.noindex) != (_links_of(after), after.noindex):
            return Sameness.OTHER
        return compare(old, exchange.body)

    async def _unchanged(self, lease: Lease, exchange: Exchange, outcome: Outcome, note: Note) -> None:
        """A page that was visited again is what it was."""
        outcome.kind = OutcomeKind.UNCHANGED
        outcome.noindex = self._told(exchange.headers, outcome).noindex
        await self._note(exchange, outcome, note, Original(lease.url, lease.fetched_at))

    async def _note(
        self, exchange: Exchange, outcome: Outcome, note: Note, original: Original | None = None
    ) -> None:
        """Keep an answer that is no resource, where records are kept."""
        writer = self._fetcher.writer
        if writer.warc:
            self._on_step(Step.STORING)
            self._place(outcome, await writer.note(self.number, _received(exchange, outcome), note, original))

    def _place(self, outcome: Outcome, stored: Stored) -> None:
        outcome.directory, outcome.number = stored.directory, stored.number
        outcome.index_bytes, outcome.records_bytes = stored.index_bytes, stored.records_bytes

    def _parse(self, lease: Lease, exchange: Exchange, outcome: Outcome) -> None:
        told = self._told(exchange.headers, outcome)
        page = self._read(lease, exchange, outcome, exchange.body, told)
        outcome.links, outcome.title, outcome.lang = page.links, page.title, page.lang
        outcome.canonical = page.canonical
        outcome.charset, outcome.charset_source = page.charset, page.charset_source
        outcome.charset_lie, outcome.charset_confidence = page.charset_lie, page.charset_confidence
        outcome.noindex = told.noindex or (page.noindex and self._config.politeness.meta_robots)

    def _told(self, headers: Headers, outcome: Outcome) -> Directives:
        """What the headers say that robots may do with a page."""
        if not self._config.politeness.meta_robots:
            return Directives()
        return of_headers(headers.all("x-robots-tag"), self._agent, outcome.fetched_at)

    def _read(
        self, lease: Lease, exchange: Exchange, outcome: Outcome, body: bytes, told: Directives
    ) -> ParsedPage:
        """Parse a body that came, or might have come, with these headers."""
        headers = exchange.headers
        return parse_page(
            body,
            lease.url,
            outcome.content_type,
            self._config,
            self._fetcher.scope,
            lease.depth + 1,
            headers=[(name, value) for name in ("link", "refresh") for value in headers.all(name)],
            nofollow=told.nofollow,
        )

    # sitemaps

    async def _sitemap(self, lease: Lease, outcome: Outcome) -> None:
        exchange = await self._get(lease.url, lease, outcome, SITEMAP_BYTES)
        if exchange.status == NOT_MODIFIED and (lease.etag or lease.last_modified):
            outcome.kind = OutcomeKind.UNCHANGED
            return
        if exchange.status in REDIRECTS:
            self._redirect(lease, exchange, outcome)
            outcome.links = self._sitemap_link(outcome.location) if outcome.location else None
            return
        outcome.failure = failure_of(exchange.status)
        if outcome.failure is not Failure.NONE:
            outcome.detail = f"HTTP status {exchange.status}"
            outcome.retry_after = exchange.headers.get("retry-after")
            return
        outcome.kind = OutcomeKind.SITEMAP
        outcome.digest = hashlib.blake2b(exchange.body, digest_size=DIGEST_BYTES).digest()
        self._on_step(Step.PARSING)
        outcome.links, problems = await trio.to_thread.run_sync(
            read_sitemap,
            exchange.body,
            lease.url,
            outcome.content_type,
            lease.hops,
            self._config,
            self._fetcher.scope,
        )
        outcome.detail = "; ".join(problems[:3])

    def _sitemap_link(self, target: str) -> Links:
        return Links(sitemap_key(target, self._config.urls), [target], b"", {}, 1)

    # robots.txt

    async def _robots(self, lease: Lease, outcome: Outcome) -> None:
        url = lease.url
        for _ in range(ROBOTS_REDIRECTS + 1):
            exchange = await self._get(url, lease, outcome, ROBOTS_BYTES)
            if exchange.status not in REDIRECTS:
                outcome.kind = OutcomeKind.ROBOTS
                outcome.failure = failure_of(exchange.status)
                outcome.body = exchange.body if 200 <= exchange.status < 300 else b""
                outcome.retry_after = exchange.headers.get("retry-after")
                return
            target = resolve(url, exchange.headers.get("location"))
            if target is None:
                outcome.failure = Failure.BAD_REDIRECT
                return
            url = target
        outcome.failure = Failure.TOO_MANY_REDIRECTS


def _links_of(page: ParsedPage) -> frozenset[bytes]:
    """The seen keys of the links that may be followed."""
    keys = page.links.keys
    return frozenset(keys[at : at + 8] for at in range(0, len(keys), 8))


def _received(exchange: Exchange, outcome: Outcome) -> Received:
    """What the archive keeps of an exchange."""
    return Received(
        exchange.url,
        outcome.fetched_at,
        exchange.status,
        exchange.head,
        exchange.body,
        exchange.request,
        exchange.address,
        exchange.truncated,
    )
