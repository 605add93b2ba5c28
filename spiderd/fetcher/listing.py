"""A sitemap in, the URLs it names out, judged as links are."""

from __future__ import annotations

from collections import Counter

from spiderd import sitemaps
from spiderd.config import Config
from spiderd.messages import Links
from spiderd.sitemaps import MAX_DEPTH, Sitemap
from spiderd.urls import ScopeRules, key_hash, refusal, resolve, seen_key, sitemap_key

DEPTH = 1  # of a sitemap's entries: as if the root of the site linked to them


def read_sitemap(
    body: bytes, url: str, content_type: str, level: int, config: Config, scope: ScopeRules
) -> tuple[Links, list[str]]:
    """Read a sitemap `level` sitemaps deep (0: robots.txt names it): its links, and what is wrong with it."""
    found = sitemaps.parse(body, url, content_type)
    refused: Counter[str] = Counter()
    keys = _children(found, url, level, config, scope, refused)
    children = len(keys)
    lastmods, changefreqs = [], []
    for entry in found.entries:
        fetch_url, reason = _judge(url, entry.url, scope)
        key = b"" if reason else key_hash(seen_key(fetch_url, config.urls))
        if reason:
            refused[reason] += 1
        elif key not in keys:
            keys[key] = fetch_url
            lastmods.append(entry.lastmod)
            changefreqs.append(entry.changefreq)
    links = Links(b"".join(keys), list(keys.values()), b"", dict(refused), children, lastmods)
    links.changefreqs = changefreqs if any(changefreqs) else []
    return links, found.problems


def _judge(url: str, loc: str, scope: ScopeRules) -> tuple[str, str]:
    """The fetch URL of an entry, without user name and fragment, and the reason not to fetch it."""
    fetch_url = resolve(url, loc)
    return (fetch_url, scope.decide(fetch_url, DEPTH)) if fetch_url else ("", refusal(loc))


def _children(
    found: Sitemap, url: str, level: int, config: Config, scope: ScopeRules, refused: Counter[str]
) -> dict[bytes, str]:
    """The further sitemaps to be read. Of the scope's rules only those for hosts are meant for them."""
    if found.children and level + 1 >= MAX_DEPTH:
        found.problems.append(f"{MAX_DEPTH} sitemaps deep: the {len(found.children)} it names are left out")
        return {}
    keys = {}
    for child in found.children:
        fetch_url = resolve(url, child.url)
        if fetch_url is not None and scope.is_near(fetch_url):
            keys[sitemap_key(fetch_url, config.urls)] = fetch_url
        else:
            refused["scope" if fetch_url else refusal(child.url)] += 1
    return keys
