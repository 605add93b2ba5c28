"""Which of the links found may be fetched: one decision, one word of reason.

Asked once for each unique link of each page, so it must be quick: what depends on the host alone is
remembered for each beginning `scheme://host/`, patterns are compiled once, and a URL without a repeated path
segment is no trap after one look.

The rules in their order, the first that refuses gives the reason:

    scheme    not http(s)
    length    longer than urls.max_length
    scope     outside of what `scope.follow` spans around the seeds
    exclude   a pattern of scope.exclude is found in the URL
    include   scope.include has patterns and none is found (seeds need none)
    trap      too many path segments, or a run of them repeated too often
    depth     further from a seed than crawl.max_depth
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import partial

from spiderd.config.declaration import Config
from spiderd.errors import ConfigError
from spiderd.urls.host import host_key, site
from spiderd.urls.key import seen_key
from spiderd.urls.memory import LinkMemory
from spiderd.urls.resolve import normalize
from spiderd.urls.traps import is_trap

_KNOWN_HOSTS = 20_000  # entries of the memory of hosts; 4 MB at the most
_APART = re.compile(
    r"\\[1-9]|\(\?P=|\(\?\(|\(\?[aiLmsux]|\(\?P<"
)  # patterns that cannot share one expression


class ScopeRules:
    """The rules of one crawl: made from its configuration and its seeds, and never changed."""

    def __init__(self, config: Config, seeds: Iterable[str]) -> None:
        """Compile the rules.

        Args:
            config: Sections scope, urls, traps and crawl.max_depth count.
            seeds: URLs as the user gave them; what is no URL is passed over.

        Raises:
            ConfigError: a pattern of scope.include or scope.exclude is no regular expression.
        """
        self.config = config
        self._follow = config.scope.follow
        self._max_length = config.urls.max_length
        self._max_depth = config.crawl.max_depth
        self._segments = config.traps.max_segments
        self._is_trap = partial(is_trap, max_segments=self._segments, max_repeats=config.traps.max_repeats)
        self._exclude = compile_patterns(config.scope.exclude, "scope.exclude")
        self._include = compile_patterns(config.scope.include, "scope.include")
        self._hosts: frozenset[str] = frozenset()
        self._sites: frozenset[str] = frozenset()
        self._pages: frozenset[str] = frozenset()
        self._prefixes: dict[str, tuple[str, ...]] = {}
        self._span(seeds)

    def extended(self, seeds: Iterable[str], config: Config) -> ScopeRules:
        """Return the rules for more seeds; costs as much as these do, however many there were before.

        Args:
            seeds: those that have come.
            config: may differ from the one before in all but `scope.follow` and the section urls.
        """
        rules = ScopeRules(config, ())
        rules._hosts, rules._sites = self._hosts, self._sites
        rules._pages, rules._prefixes = self._pages, self._prefixes
        rules._span(seeds)
        return rules

    def _span(self, seeds: Iterable[str]) -> None:
        """Let `scope.follow` span what lies around these seeds, too; only what it needs is kept."""
        self.memory = LinkMemory(self)
        self._known: dict[str, bool] = {}
        if self._follow == "any":
            return
        urls = [url for url in map(normalize, seeds) if url]
        if self._follow == "page":
            self._pages |= {seen_key(url, self.config.urls) for url in urls}
        hosts = set(map(host_key, urls))
        self._hosts |= hosts
        if self._follow == "site":
            self._sites |= set(map(site, hosts))
        elif self._follow == "prefix":
            self._prefixes = dict(self._prefixes)
            for url in urls:
                path = url[url.index("/", 8) :].partition("?")[0]
                prefix = path[: path.rindex("/") + 1]
                known = self._prefixes.get(host_key(url), ())
                self._prefixes[host_key(url)] = known if prefix in known else (*known, prefix)

    def decide(self, url: str, depth: int) -> str:
        """Return "" where a fetch URL may be fetched at this depth, else the reason why not.

        Args:
            url: A fetch URL.
            depth: Links from the nearest seed; 0 is a seed itself.
        """
        reason = self.decide_url(url, seed=depth == 0)
        if not reason and self.too_deep(depth):
            return "depth"
        return reason

    def too_deep(self, depth: int) -> bool:
        """Whether crawl.max_depth forbids what lies at this depth."""
        return 0 < self._max_depth < depth

    def decide_url(self, url: str, *, seed: bool = False) -> str:
        """As `decide`, whatever the depth: the answer for a URL never changes, so callers may keep it."""
        start = url.find("/", 8)
        if not url.startswith(("http://", "https://")) or start < 0:
            return "scheme"
        if len(url) > self._max_length:
            return "length"
        beginning = url[:start]
        near = self._known.get(beginning)
        if near is None:
            near = self._near(beginning)
        if not near or not self._inside(url, start):
            return "scope"
        if self._exclude and any(pattern.search(url) for pattern in self._exclude):
            return "exclude"
        if self._include and not seed and not any(pattern.search(url) for pattern in self._include):
            return "include"
        return "trap" if self._is_trap(url[start:]) else ""

    def is_near(self, url: str) -> bool:
        """Whether pages of the host of a fetch URL can be in scope at all: what a sitemap is judged by."""
        beginning = url[: url.find("/", 8)]
        near = self._known.get(beginning)
        return self._near(beginning) if near is None else near

    def _near(self, beginning: str) -> bool:
        """Whether pages of this host can be in scope at all; remembered."""
        if self._follow == "any":
            near = True
        elif self._follow == "site":
            near = site(host_key(beginning + "/")) in self._sites
        else:
            near = host_key(beginning + "/") in self._hosts
        if len(self._known) >= _KNOWN_HOSTS:
            self._known.clear()
        self._known[beginning] = near
        return near

    def _inside(self, url: str, start: int) -> bool:
        """Whether a page of a host that is near enough is in scope."""
        if self._follow == "prefix":
            return url.startswith(self._prefixes[host_key(url)], start)
        if self._follow == "page":
            return seen_key(url, self.config.urls) in self._pages
        return True


def compile_patterns(patterns: Sequence[str], key: str) -> list[re.Pattern[str]]:
    """Compile the user's regular expressions; as few as may be, since each costs a search a link.

    Args:
        patterns: Searched in the whole URL, letter case ignored.
        key: Where they stand in the configuration, for the message.

    Raises:
        ConfigError: one is no regular expression; the message has the pattern.
    """
    together: list[str] = []
    compiled: list[re.Pattern[str]] = []
    for pattern in patterns:
        try:
            expression = re.compile(pattern, re.IGNORECASE)
        except (re.error, OverflowError, RecursionError) as error:
            raise ConfigError(f"{key}: {pattern!r} is not a regular expression: {error}") from error
        if _APART.search(pattern):
            compiled.append(expression)
        else:
            together.append(f"(?:{pattern})")
    if together:
        compiled.insert(0, re.compile("|".join(together), re.IGNORECASE))
    return compiled
