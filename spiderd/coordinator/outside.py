"""URLs that wait although the scope no longer holds them: set aside where they come up, and never lost.

Links are judged when their page is read, so the frontier holds what the rules of that time let in. Once the
rules have changed, each URL is judged again when its turn comes, by the rules of now; what they refuse is
parked in the store, where the URLs of traps are, too. The next change of the rules, or a seed that widens the
scope, puts all of it back, to be judged anew. So a pattern too many costs nothing that cannot be had back.

Judging costs four microseconds a URL, which a crawl whose rules never changed does not pay.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from spiderd.config import Config
from spiderd.coordinator.desk import Desk
from spiderd.store.records import WaitingUrl
from spiderd.store.step import Park
from spiderd.urls import ScopeRules

KEY = hashlib.blake2b(b"outside of the scope", digest_size=8).digest()
"""First part of the keys of what is set aside, in the table of parked URLs."""
ROW = b"outside"


class OutsideRecord(Struct, array_like=True):
    """What the store keeps, in `meta:outside`."""

    rules: bytes = b""  # fingerprint of the scope that the crawl goes by
    changed: bool = False  # it was another one before
    count: int = 0  # URLs that are set aside


class Outside:
    """Judges waiting URLs again where the scope has changed since they came in."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._rules: ScopeRules | None = None
        self._seeds: Sequence[str] = ()
        self._record = OutsideRecord()
        self.returning = False  # what was set aside is to be put back

    @property
    def count(self) -> int:
        """URLs that are set aside."""
        return self._record.count

    def restore(self, row: bytes | None, seeds: Sequence[str], *, fresh: bool) -> None:
        """Begin with what the store has.

        Args:
            row: as saved by an earlier run, or None.
            seeds: of the crawl; the list grows with them.
            fresh: nothing waits yet.
        """
        self._seeds = seeds
        if row is not None and not fresh:
            self._record = msgspec.msgpack.decode(row, type=OutsideRecord)
        rules = fingerprint(self._desk.config)
        if self._record.rules not in (b"", rules):
            self._change()
        self._record.rules = rules
        self._save()

    def reconfigure(self, config: Config, seeds: Sequence[str]) -> None:
        """Judge by other settings from now on."""
        self._seeds, self._rules = seeds, None
        rules = fingerprint(config)
        if rules != self._record.rules:
            self._record.rules = rules
            self._change()
            self._save()

    def reseed(self, added: Sequence[str]) -> None:
        """The scope reaches as far as these seeds make it, too."""
        if self._rules is not None:
            self._rules = self._rules.extended(added, self._desk.config)
        self.returning = self.returning or self._record.count > 0

    def refuses(self, waiting: WaitingUrl) -> bool:
        """Whether a URL whose turn has come is not to be fetched."""
        if not self._record.changed or waiting.kind != "page":
            return False
        return self._scope().decide(waiting.url, waiting.depth) != ""

    def is_near(self, url: str) -> bool:
        """Whether pages of the host of a URL can be in scope at all."""
        return self._scope().is_near(url)

    def _scope(self) -> ScopeRules:
        if self._rules is None:
            self._rules = ScopeRules(self._desk.config, self._seeds)
        return self._rules

    def set_aside(self, key: bytes, waiting: WaitingUrl) -> None:
        """Park a URL that is refused."""
        self._record.count += 1
        self._desk.step.parks.append(Park(key, waiting, KEY))
        self._save()

    def put_back(self) -> None:
        """The store lets them wait again."""
        self.returning = False
        self._record.count = 0
        self._save()

    def _change(self) -> None:
        self._record.changed = True
        self.returning = self._record.count > 0

    def _save(self) -> None:
        self._desk.keep("meta", ROW, msgspec.msgpack.encode(self._record))


def fingerprint(config: Config) -> bytes:
    """Of everything that decides whether a waiting URL is in scope, but for the seeds."""
    scope, crawl, urls, traps = config.scope, config.crawl, config.urls, config.traps
    decisive = (
        scope.follow,
        scope.include,
        scope.exclude,
        crawl.max_depth,
        urls.max_length,
        traps.max_segments,
        traps.max_repeats,
    )
    return hashlib.blake2b(msgspec.msgpack.encode(decisive), digest_size=8).digest()
