from __future__ import annotations

import pytest

from spiderd.config.checks import faults, seed_fault

GOOD = {
    "crawl.seeds": [
        "http://example.test/",
        "HTTPS://Example.Test:8443/a?b#c",
        "http://[::1]:80/",
        "http://bücher.example",
    ],
    "scope.exclude": [r"\.pdf$", "", "[[a]", "(?i)x", r"https?://[^/]*@"],
    "scope.ip_allow": ["10.0.0.0/8", "192.0.2.1", "2001:db8::/32", "::1"],
    "fetch.types": ["text/html", "image/*", "application/vnd.x+xml", "*/*"],
    "fetch.proxy": "http://user:pw@host:1080",
    "politeness.contact": "mailto:ann@example.test",
    "api.socket": "~/s.sock",
    "web.bind": "::1",
    "web.password": "correct horse battery",
    "web.names": ["search", "Search.Example.test"],
}
BAD = {
    "crawl.seeds": [
        "",
        "example.com",
        "localhost:80",
        "ftp://h/",
        "mailto:a@b.test",
        "http://",
        "//h/",
        "http://a b/",
    ],
    "scope.exclude": ["(", "*", "a{99999999999999}", "[z-a]", "(?P<1>x)"],
    "scope.ip_allow": ["", "10.0.0.1/8", "10.0.0.0/33", "host", "1.2.3", "10.0.0.0/8 "],
    "fetch.types": ["html", "text/", "*/html", "text/html; charset=x", ""],
    "fetch.proxy": "socks5://host:3128",
    "politeness.contact": "a\r\nX-Evil: 1",
    "politeness.user_agent": "spídér",
    "api.socket": "run/s.sock",
    "web.bind": "localhost",
    "web.password": "too short",
    "web.names": ["", "a b", "http://a.test", "a.test:80", "*"],
}


@pytest.mark.parametrize("key", GOOD)
def test_good_values_pass(key):
    assert list(faults(key, GOOD[key])) == []


@pytest.mark.parametrize("key", BAD)
def test_every_bad_item_is_found(key):
    bad = BAD[key]
    expected = list(range(len(bad))) if isinstance(bad, list) else [None]
    assert [index for index, _ in faults(key, bad)] == expected


def test_keys_without_rules_take_any_value():
    assert list(faults("crawl.threads", 8)) == []


@pytest.mark.parametrize(
    ("seed", "meant"),
    [
        ("example.com", '"https://example.com/"'),
        ("www.example.com/a?b", '"https://www.example.com/a?b"'),
        ("localhost:8000", '"http://localhost:8000/"'),
        ("127.0.0.1:80/x", '"https://127.0.0.1/x"'),
    ],
)
def test_a_seed_without_a_scheme_gets_a_hint(seed, meant):
    assert f"did you mean {meant}?" in seed_fault(seed)


@pytest.mark.parametrize(
    "seed", ["ftp://example.com/", "mailto:ann@example.com", "javascript:void(0)", "http://"]
)
def test_other_seeds_get_the_rule(seed):
    assert "must begin with http:// or https://" in seed_fault(seed)
