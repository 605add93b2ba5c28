"""How many pages a second the daemon could take in if fetching cost nothing.

    python -m bench.coordinator [--pages N] [--links N] [--fetchers N] [--hosts N] [--profile FILE]

A whole daemon (coordinator, store, journal, API, no search) on an empty data directory, with fetchers that
fetch nothing: each answers its leases at once with pages made up from a tree of URLs, over the socket pair
that real ones use. What is given is the CPU of the daemon's process alone, start and end left out: it bounds
what all fetchers together can deliver, however many cores they have.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import resource
import socket
import struct
import tempfile
import time
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

import msgspec
import trio

from spiderd.api.listening import listening
from spiderd.config.declaration import Archive, Config, Crawl, Politeness, Scope, Search
from spiderd.daemon.fetchers import Forked
from spiderd.daemon.running import Daemon
from spiderd.link import HEADER
from spiderd.messages import Claim, Drain, Grant, Lease, Links, Outcome, Setup, ToFetcher, Verdict
from spiderd.parse.links import LinkRecord, encode_record
from spiderd.protocol import Snapshot
from spiderd.report import Silent
from spiderd.states import OutcomeKind
from spiderd.urls import key_hash, seen_key

NEAR = 40  # pages around one that it links to, beside its two children
TITLE = "A page of the made-up web, with a title of the usual length"


class Web:
    """Pages 0..n-1 as a binary tree with links to neighbours, spread over hosts."""

    def __init__(self, pages: int, links: int, hosts: int) -> None:
        self.pages, self.links, self.hosts = pages, links, hosts

    def url(self, page: int) -> str:
        """Its fetch URL."""
        return f"http://127.77.{page % self.hosts}.1/section{page % 13}/page{page}.html"

    def page(self, url: str) -> int:
        """Its number."""
        return int(url.rpartition("page")[2].removesuffix(".html"))

    def links_of(self, page: int) -> Links:
        """What a fetcher would send of it."""
        around = range(page - NEAR, page + NEAR, max(1, 2 * NEAR // max(1, self.links - 2)))
        targets = [target for target in (2 * page + 1, 2 * page + 2, *around) if 0 <= target < self.pages]
        targets = list(dict.fromkeys(targets))
        urls = [self.url(target) for target in targets]
        keys = b"".join(key_hash(seen_key(url)) for url in urls)
        texts = [f"link to page {target}" for target in targets]
        record = LinkRecord(keys, bytes([1]) * len(urls), texts, [])
        return Links(keys, urls, encode_record(record), {"mailto": 1})


class Fetcher:
    """The fetcher's side of a link, in a process of its own."""

    def __init__(self, sock: socket.socket, web: Web) -> None:
        self._sock = sock
        self._web = web
        self._free: list[int] = []  # workers with a directory that has room
        self._open: dict[int, Grant] = {}
        self._most = 0
        self._leases: list[Lease] = []
        self._claimed: dict[int, Lease] = {}
        self._encode = msgspec.msgpack.Encoder().encode

    def run(self) -> None:
        """Answer until drained."""
        for messages in self._frames():
            out: list[Claim | Outcome] = []
            for message in messages:
                if isinstance(message, Setup):
                    self._most = message.config.archive.max_count
                    self._archive = Path(message.archive)
                elif isinstance(message, Grant):
                    self._open[message.worker] = message
                    self._free.append(message.worker)
                elif isinstance(message, Lease):
                    self._leases.append(message)
                elif isinstance(message, Verdict):
                    out.append(self._stored(self._claimed.pop(message.lease)))
                elif isinstance(message, Drain):
                    self._leave()
                    return
            while self._leases and len(self._free) > len(self._claimed):
                out.append(self._begin(self._leases.pop(0)))
            if out:
                payload = self._encode(out)
                self._sock.sendall(HEADER.pack(len(payload)) + payload)

    def _frames(self) -> Iterator[list[ToFetcher]]:
        decode = msgspec.msgpack.Decoder(list[ToFetcher]).decode
        buffer = b""
        while True:
            while len(buffer) < 4 or len(buffer) < 4 + struct.unpack(">I", buffer[:4])[0]:
                piece = self._sock.recv(1 << 18)
                if not piece:
                    return
                buffer += piece
            size = 4 + struct.unpack(">I", buffer[:4])[0]
            frame, buffer = buffer[4:size], buffer[size:]
            yield decode(frame)

    def _begin(self, lease: Lease) -> Claim | Outcome:
        if lease.kind != "page":
            return Outcome(lease.id, self._free[0], OutcomeKind.ROBOTS, status=404, fetched_at=time.time())
        self._claimed[lease.id] = lease
        return Claim(lease.id, blake2b(lease.url.encode(), digest_size=16).digest(), time.time())

    def _stored(self, lease: Lease) -> Outcome:
        worker = self._free.pop(0)
        grant = self._open[worker]
        grant.count += 1
        grant.index_bytes += len(lease.url) + 7
        if grant.count < self._most:
            self._free.append(worker)
        return Outcome(
            lease.id,
            worker,
            OutcomeKind.STORED,
            status=200,
            address="127.77.0.1",
            content_type="text/html",
            charset="utf-8",
            size=15_000,
            wire_size=15_200,
            digest=blake2b(lease.url.encode(), digest_size=16).digest(),
            directory=grant.directory,
            number=grant.count,
            index_bytes=grant.index_bytes,
            title=TITLE,
            lang="en",
            fetched_at=time.time(),
            latency=0.001,
            elapsed=0.002,
            links=self._web.links_of(self._web.page(lease.url)),
        )

    def _leave(self) -> None:
        """Leave directories of the right length, so that the daemon finds nothing amiss."""
        for grant in self._open.values():
            folder = self._archive / f"{grant.directory:05}"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "index.txt").touch()
            os.truncate(folder / "index.txt", grant.index_bytes)


def fork(web: Web) -> Forked:
    """Start a fetcher that fetches nothing."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid:
        theirs.close()
        return Forked(pid, ours)
    ours.close()
    try:
        Fetcher(theirs, web).run()
    finally:
        os._exit(0)


class Meter(Silent):
    """Takes the time between the first page and the last."""

    def __init__(self) -> None:
        self.first: tuple[float, float, int] | None = None
        self.last = (0.0, 0.0, 0)

    def progress(self, snapshot: Snapshot) -> None:
        """Called twice a second, and whenever the state changes."""
        pages = snapshot.counters.pages
        used = resource.getrusage(resource.RUSAGE_SELF)
        self.last = (time.perf_counter(), used.ru_utime + used.ru_stime, pages)
        if self.first is None and pages:
            self.first = self.last


def main() -> None:
    """Crawl the made-up web once, and print what a page has cost."""
    parser = argparse.ArgumentParser(prog="python -m bench.coordinator", description=__doc__.split("\n")[0])
    parser.add_argument("--pages", type=int, default=40_000)
    parser.add_argument("--links", type=int, default=12, help="a page")
    parser.add_argument("--fetchers", type=int, default=4)
    parser.add_argument("--hosts", type=int, default=8)
    parser.add_argument("--profile", type=Path, help="write where the main thread's time goes")
    given = parser.parse_args()
    web = Web(given.pages, given.links, given.hosts)
    config = Config(
        crawl=Crawl(threads=16 * given.fetchers, processes=given.fetchers, seeds=[web.url(0)], max_depth=0),
        scope=Scope(follow="any", private_addresses="always"),
        politeness=Politeness(delay=0.0, per_host=64, per_ip=64),
        archive=Archive(),
        search=Search(enabled=False),
    )
    forked = [fork(web) for _ in range(given.fetchers)]
    meter = Meter()
    with tempfile.TemporaryDirectory() as folder, listening(Path(folder) / "sock", group="") as sock:
        daemon = Daemon(config, Path(folder), sock, once=True, report=meter, forked=forked)
        profile = cProfile.Profile()
        if given.profile:
            profile.enable()
        trio.run(daemon.run)
        if given.profile:
            profile.disable()
            with given.profile.open("w") as file:
                pstats.Stats(profile, stream=file).sort_stats("tottime").print_stats(60)
    assert meter.first is not None
    wall, cpu, pages = (last - first for last, first in zip(meter.last, meter.first, strict=True))
    print(
        f"{pages:,} pages of {given.links} links, {given.fetchers} fetchers: {cpu / pages * 1e6:.0f} us of "
        f"the daemon's CPU a page, so {pages / cpu:,.0f} pages a second at most; {pages / wall:,.0f} here"
    )


if __name__ == "__main__":
    main()
