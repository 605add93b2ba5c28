from __future__ import annotations

import time

import pytest

from spiderd.config.declaration import Config, Crawl, Scope, Traps, Urls
from spiderd.errors import ConfigError
from spiderd.urls import ScopeRules

SEEDS = ["http://www.example.co.uk/docs/en/index.html?x=1", "127.0.0.1:8081"]


def rules(**sections: object) -> ScopeRules:
    return ScopeRules(Config(**sections), SEEDS)  # type: ignore[arg-type]  # sections by their names


@pytest.mark.parametrize(
    ("follow", "url", "inside"),
    [
        ("page", "http://www.example.co.uk/docs/en/index.html?x=1", True),
        ("page", "http://www.example.co.uk/docs/en/index.html", False),
        ("prefix", "http://www.example.co.uk/docs/en/a/b", True),
        ("prefix", "https://www.example.co.uk/docs/en/", True),
        ("prefix", "http://www.example.co.uk/docs/english", False),
        ("prefix", "http://www.example.co.uk/docs/", False),
        ("prefix", "http://127.0.0.1:8081/any", True),
        ("prefix", "http://127.0.0.1/any", False),
        ("host", "http://www.example.co.uk/", True),
        ("host", "http://www.example.co.uk./", True),
        ("host", "http://www.example.co.uk:8080/", False),
        ("host", "http://example.co.uk/", False),
        ("site", "https://example.co.uk/", True),
        ("site", "https://a.b.example.co.uk:8443/", True),
        ("site", "https://other.co.uk/", False),
        ("site", "https://127.0.0.1/", True),
        ("any", "https://other.test/", True),
    ],
)
def test_follow_spans_a_scope_around_the_seeds(follow: str, url: str, *, inside: bool) -> None:
    scope = rules(scope=Scope(follow=follow))  # type: ignore[arg-type]  # one of the literal's words
    for _ in range(2):  # the second answer comes from memory
        assert scope.decide(url, 1) == ("" if inside else "scope")


@pytest.mark.parametrize(
    ("url", "depth", "reason"),
    [
        ("http://127.0.0.1:8081/a.HTML", 1, ""),
        ("http://127.0.0.1:8081/a.pdf", 1, "include"),
        ("http://127.0.0.1:8081/a.pdf", 0, ""),
        ("http://127.0.0.1:8081/Private/a.html", 0, "exclude"),
        ("http://127.0.0.1:8081/a.html", 3, "depth"),
        ("ftp://127.0.0.1:8081/a.html", 1, "scheme"),
        ("http://127.0.0.1:8081/" + "a" * 100, 1, "length"),
    ],
)
def test_each_rule_has_its_word(url: str, depth: int, reason: str) -> None:
    scope = rules(
        scope=Scope(include=[r"\.html$", r"/x/"], exclude=["/private/", r"(a)b\1"]),
        crawl=Crawl(max_depth=2),
        urls=Urls(max_length=100),
    )
    assert scope.decide(url, depth) == reason


@pytest.mark.parametrize("bad", ["(", "*", "[a", "(?P<n>", "a{1,99999999999}", "(?<=a*)b"])
def test_a_bad_pattern_is_named(bad: str) -> None:
    with pytest.raises(ConfigError) as caught:
        rules(scope=Scope(exclude=["fine", bad]))
    assert repr(bad) in str(caught.value)
    assert "scope.exclude" in str(caught.value)


def test_patterns_with_groups_of_their_own_do_not_meet() -> None:
    scope = rules(
        scope=Scope(exclude=["(?P<n>a)(?P=n)b", "(?P<n>c)(?P=n)d", r"(e)\1f", r"(g)\1h", "(?i)ijk"])
    )
    for path, reason in [("aab", "exclude"), ("ccd", "exclude"), ("eef", "exclude"), ("ggh", "exclude"),
                         ("IJK", "exclude"), ("abcd", "")]:  # fmt: skip
        assert scope.decide("http://127.0.0.1:8081/" + path, 1) == reason


@pytest.mark.parametrize(
    ("path", "trap"),
    [
        ("/a/b/a/b/a/b/a/b", True),
        ("/x/a/b/a/b/a/b/a/b/y", True),
        ("/a/b/a/b/a/b", False),
        ("/a/a/a/a", True),
        ("/a/a/a", False),
        ("/2024/01/01/01", False),
        ("/a/1/a/2/a/3/a/4/a/5", False),
        ("/abc/def/ghi/abc/def/ghi/abc/def/ghi/abc/def/ghi/", True),
        ("/" + "/".join(map(str, range(40))), False),
        ("/" + "/".join(map(str, range(41))), True),
        ("//////", True),
        ("/?a=1&a=1&a=1&a=1", True),
        ("/?a=1&a=2&a=3&a=4&b=1&c=1", False),
        ("/?u=/a/a/a/a/a/a", False),
    ],
)
def test_traps_show_in_the_path(path: str, *, trap: bool) -> None:
    assert rules().decide("http://127.0.0.1:8081" + path, 1) == ("trap" if trap else "")


def test_limits_of_traps_are_the_users() -> None:
    scope = rules(traps=Traps(max_segments=2, max_repeats=1))
    assert scope.decide("http://127.0.0.1:8081/a/b", 1) == ""
    assert scope.decide("http://127.0.0.1:8081/a/a", 1) == "trap"
    assert scope.decide("http://127.0.0.1:8081/a/b/c", 1) == "trap"


def test_hostile_urls_do_not_cost_more() -> None:
    scope = rules(urls=Urls(max_length=1_000_000), traps=Traps(max_segments=1000))
    started = time.perf_counter()
    scope.decide("http://127.0.0.1:8081/" + "a/b/" * 499, 1)
    scope.decide("http://127.0.0.1:8081/?" + "&".join(map(str, range(100_000))), 1)
    assert time.perf_counter() - started < 0.5  # 30 ms; squared it would be minutes
