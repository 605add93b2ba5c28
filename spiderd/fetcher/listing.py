"""A sitemap in, the URLs it names out, judged as links are."""

from __future__ import annotations

from collections import Counter

from spiderd import sitemaps
from spiderd.config import Config
from spiderd.messages import Links
from spiderd.urls import ScopeRules, key_hash, seen_key, sitemap_key

DEPTH = 1  # of a sitemap's entries: as if the root of the site linked to them


def read_sitemap(
    body: bytes, url: str, content_type: str, level: int, config: Config, scope: ScopeRules
) -> tuple[Links, list[str]]:
    """Read a sitemap found `level` sitemaps deep: its links, and sentences on what is wrong with it."""
    found = sitemaps.parse(body, url, content_type)
    keys: dict[bytes, str] = {}
    if level < sitemaps.MAX_DEPTH:
        keys = {sitemap_key(child.url, config.urls): child.url for child in found.children}
    children = len(keys)
    refused: Counter[str] = Counter()
    lastmods = []
    for entry in found.entries:
        reason = scope.decide(entry.url, DEPTH)
        key = b"" if reason else key_hash(seen_key(entry.url, config.urls))
        if reason:
            refused[reason] += 1
        elif key not in keys:
            keys[key] = entry.url
            lastmods.append(entry.lastmod)
    return Links(b"".join(keys), list(keys.values()), b"", dict(refused), children, lastmods), found.problems
