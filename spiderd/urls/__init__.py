"""URLs: resolving, normal form, names of hosts, and the rules of scope.

Two strings a URL: the *fetch URL*, which goes on the wire (`resolve`, `normalize`), and the *seen key*,
whose hash decides whether it has been seen before (`seen_key`, `key_hash`).
"""

from __future__ import annotations

from spiderd.urls.host import display, display_host, host_key, origin, site
from spiderd.urls.key import key_hash, seen_key, sitemap_key
from spiderd.urls.resolve import credentials, normalize, refusal, resolve
from spiderd.urls.scope import ScopeRules

__all__ = [
    "ScopeRules",
    "credentials",
    "display",
    "display_host",
    "host_key",
    "key_hash",
    "normalize",
    "origin",
    "refusal",
    "resolve",
    "seen_key",
    "site",
    "sitemap_key",
]
