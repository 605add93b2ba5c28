from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.config.declaration import Urls
from spiderd.urls import key_hash, normalize, seen_key
from spiderd.urls.key import DEFAULT

ALL = Urls(
    sort_query=True,
    drop_parameters=["utm_*", "ref"],
    same_www=True,
    collapse_slashes=True,
    same_scheme=True,
)
PIECES = st.sampled_from(
    [*"/.%&;=#@:?|'Ae", " ", "\t", "\\", "é", "http", "://", "//", "..", "%7e", "%2E", "%2f", "%37", "www.",
     "example.test", "EXAMPLE.test.", "a.1", "127.1", "[::1]", ":80", ":443",
     "jsessionid=1", "sid=abc123", "PHPSESSID=2", "(S(aaaaaaaaaaaaaaaaaaaaaaaa))", "utm_x=1", "ref=2"]
)  # fmt: skip
URLS = st.lists(PIECES, max_size=12).map(lambda pieces: "http://h" + "".join(pieces)) | st.text()


@given(URLS, st.sampled_from([DEFAULT, ALL, Urls(drop_session_ids=False)]))
def test_a_key_is_its_own_key(url: str, rules: Urls) -> None:
    key = seen_key(url, rules)
    assert seen_key(key, rules) == key


@given(URLS)
def test_a_url_and_its_fetch_url_have_one_key(url: str) -> None:
    fetch_url = normalize(url)
    if fetch_url is not None and url.startswith("http://"):
        assert seen_key(url) == seen_key(fetch_url)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://example.test/%7Ea", "http://example.test/~a"),
        ("http://example.test/a%2db", "http://example.test/a-b"),
        ("http://example.test/%c3%a9", "http://example.test/é"),
        ("http://example.test/a|b", "http://example.test/a%7cb"),
        ("http://example.test/a b", "http://example.test/a%20b"),
        ("http://example.test", "http://example.test/"),
        ("http://example.test.:80/", "http://example.test/"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://example.test/a;jsessionid=1F/b", "http://example.test/a/b"),
        ("http://example.test/a?PHPSESSID=1&b=2", "http://example.test/a?b=2"),
        ("http://example.test/a?b=2&sid=00d41d8cd98f", "http://example.test/a?b=2"),
        ("http://example.test/a?PHPSESSID=1", "http://example.test/a"),
        ("http://example.test/(S(lit3py55t21z5v55vlm25s55))/o.aspx", "http://example.test/o.aspx"),
        ("http://user:pw@example.test/", "http://example.test/"),
    ],
)
def test_one_page_has_one_key(one: str, other: str) -> None:
    assert seen_key(one) == seen_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://example.test/a%2Fb", "http://example.test/a/b"),
        ("http://example.test/a%23b", "http://example.test/a"),
        ("http://example.test/?", "http://example.test/"),
        ("http://example.test/a?b=1+2", "http://example.test/a?b=1%2B2"),
        ("http://example.test/a", "https://example.test/a"),
        ("http://example.test/a", "http://www.example.test/a"),
        ("http://example.test/a//b", "http://example.test/a/b"),
        ("http://example.test/?sid=1", "http://example.test/?sid=2"),
        ("http://example.test/?sid=chapter12", "http://example.test/?sid=chapter13"),
        ("http://example.test/?s=iphone12", "http://example.test/?s=iphone13"),
        ("http://example.test/?insid=abc123", "http://example.test/"),
        ("http://example.test/..;jsessionid=1/a", "http://example.test/a"),
        ("http://example.test/%%37e", "http://example.test/~"),
        ("http://example.test/?utm_source=x", "http://example.test/"),
    ],
)
def test_what_may_be_two_pages_has_two_keys(one: str, other: str) -> None:
    assert seen_key(one) != seen_key(other)


@pytest.mark.parametrize(
    ("rules", "url", "key"),
    [
        (Urls(sort_query=True), "http://h/?b=2&a=2&a=1", "http://h/?a=2&a=1&b=2"),
        (Urls(drop_parameters=["utm_*", "ref"]), "http://h/?utm_a=1&x=2&ref=3&reference=4", "http://h/?x=2&reference=4"),
        (Urls(drop_parameters=["ref"]), "http://h/?ref", "http://h/"),
        (Urls(same_www=True), "http://www.example.test/", "http://example.test/"),
        (Urls(same_www=True), "http://www.test/", "http://www.test/"),
        (Urls(collapse_slashes=True), "http://h//a///b?c//d", "http://h/a/b?c//d"),
        (Urls(same_scheme=True), "https://h/", "http://h/"),
        (Urls(same_scheme=True), "https://h:8443/", "https://h:8443/"),
        (Urls(drop_session_ids=False), "http://h/a;jsessionid=1?sid=abc123", "http://h/a;jsessionid=1?sid=abc123"),
    ],
)  # fmt: skip
def test_rules_go_further_at_the_users_wish(rules: Urls, url: str, key: str) -> None:
    assert seen_key(url, rules) == key


def test_the_hash_is_64_bits_and_stable() -> None:
    assert key_hash("http://example.test/").hex() == "88ff2d3170bbf715"
    assert key_hash("\ud800") != key_hash("?")
