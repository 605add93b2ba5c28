"""Reasons name the very key, pattern or number that decides."""

from __future__ import annotations

import pytest

from spiderd.config.declaration import Config, Crawl, Scope, Traps, Urls
from spiderd.daemon.wording import in_scope, in_words
from spiderd.urls import ScopeRules

CONFIG = Config(
    scope=Scope(follow="host", exclude=[r"\.pdf$", "SID="], include=["/docs/"]),
    urls=Urls(max_length=60),
    crawl=Crawl(max_depth=3),
    traps=Traps(max_segments=6),
)


@pytest.mark.parametrize(
    ("url", "depth", "words"),
    [
        ("http://a.test/docs/x?sid=1", 1, 'matches the pattern "SID=" of scope.exclude'),
        ("http://a.test/docs/x.pdf", 0, r'matches the pattern "\\.pdf$" of scope.exclude'),
        ("http://a.test/news", 1, 'matches no pattern of scope.include (["/docs/"])'),
        (
            "http://b.test/docs/",
            1,
            'is on b.test, which is the host of no seed (scope.follow = "host")',
        ),
        ("http://a.test/docs/" + "x" * 60, 1, "has 79 characters, more than urls.max_length = 60"),
        ("http://a.test/docs/b/c/d/e/f/g", 1, "has 7 path segments, more than traps.max_segments = 6"),
        (
            "http://a.test/docs/b/b/b/b/b",
            1,
            "repeats itself more than traps.max_repeats = 3 times, as traps do",
        ),
        ("http://a.test/docs/", 4, "is deeper than crawl.max_depth = 3"),
    ],
)
def test_what_is_refused(url, depth, words):
    reason = ScopeRules(CONFIG, ["http://a.test/"]).decide(url, depth)
    assert in_words(reason, url, CONFIG) == words


def test_what_is_in_scope():
    assert in_scope("http://a.test/news", 0, CONFIG) == "in scope: a seed"
    by_rule = 'in scope: scope.follow = "host" and the pattern "/docs/" of scope.include'
    assert in_scope("http://a.test/docs/", 2, CONFIG) == by_rule
    unknown = f"{by_rule}; its depth is not known, and crawl.max_depth = 3"
    assert in_scope("http://a.test/docs/", -1, CONFIG) == unknown
