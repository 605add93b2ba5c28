from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.fetch import cookies as module
from spiderd.fetch.cookies import Cookies, default_path, parse_cookie, path_matches

NOW = 1_000_000_000.0


def jar(*lines: str, target: str = "/") -> Cookies:
    kept = Cookies()
    kept.store("h", target, list(lines), NOW)
    return kept


def sent(kept: Cookies, target: str = "/", now: float = NOW, *, secure: bool = False) -> str:
    return kept.header("h", target, now, secure=secure)


def test_what_a_host_has_set_is_sent_back_to_it_alone():
    kept = jar("a=1; Path=/", "b=2")
    assert sent(kept) == "a=1; b=2"
    assert kept.header("other", "/", NOW, secure=False) == ""


def test_domain_is_ignored():
    kept = jar("a=1; Domain=.test")
    assert kept.header("test", "/", NOW, secure=False) == ""
    assert sent(kept) == "a=1"


@pytest.mark.parametrize(
    "expiry",
    [
        "Max-Age=0",
        "Max-Age=-1",
        "Expires=Thu, 01 Jan 1970 00:00:00 GMT",
        "expires=Thu, 01-Jan-1970 00:00:01 GMT",
        "Max-Age=0; Expires=Fri, 01 Jan 2100 00:00:00 GMT",
    ],
)
def test_an_expired_cookie_takes_itself_away(expiry):
    kept = jar("a=1; Path=/")
    kept.store("h", "/", [f"a=; Path=/; {expiry}"], NOW)
    assert sent(kept) == ""
    assert len(kept) == 0


def test_cookies_expire():
    kept = jar(
        "a=1; Max-Age=10; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "b=2; Max-Age=99999999999", "c=3; Max-Age=x"
    )
    assert sent(kept, now=NOW + 9) == "a=1; b=2; c=3"
    assert sent(kept, now=NOW + 11) == "b=2; c=3"
    assert sent(kept, now=NOW + module.MAX_AGE + 1) == ""


def test_a_date_that_is_none_does_not_count():
    assert sent(jar("a=1; Expires=soon", "b=2; Expires=Thu, 99 Foo 99999 00:00:00 GMT")) == "a=1; b=2"


def test_secure_cookies_go_over_tls_only():
    kept = jar("a=1; Secure")
    assert sent(kept) == ""
    assert sent(kept, secure=True) == "a=1"


def test_longer_paths_go_first_and_only_where_they_match():
    kept = jar("a=root; Path=/", "a=deep; Path=/d/e", "c=own; Path=nonsense", target="/d/page?x=/y")
    assert sent(kept, "/d/e/f") == "a=deep; c=own; a=root"
    assert sent(kept, "/d/ex") == "c=own; a=root"
    assert sent(kept, "/x?/d/e") == "a=root"


@pytest.mark.parametrize(
    ("target", "path"), [("/a/b?c/d", "/a"), ("/a", "/"), ("/", "/"), ("/a/", "/a"), ("*", "/")]
)
def test_default_paths(target, path):
    assert default_path(target) == path


@pytest.mark.parametrize(
    ("path", "target", "fits"),
    [
        ("/", "/a", True),
        ("/a", "/a?x", True),
        ("/a", "/a/b", True),
        ("/a", "/ab", False),
        ("/a/", "/a", False),
    ],
)
def test_paths(path, target, fits):
    assert path_matches(path, target) is fits


@pytest.mark.parametrize(
    "line", ["", "novalue", "=x", "; Path=/", "a=b\r\nX: y", "a=\x00", "a=" + "x" * module.MAX_SIZE]
)
def test_what_is_no_cookie(line):
    assert parse_cookie(line, "/", NOW) is None


@given(st.text(max_size=80))
def test_no_line_breaks_the_parser_or_the_header(line):
    header = sent(jar(line, f"a={line}", f"a=b; {line}"), secure=True)
    assert "\r" not in header
    assert "\n" not in header


def test_all_is_bounded():
    kept = jar(*(f"c{n}={n}" for n in range(200)))
    assert len(sent(kept).split("; ")) == module.MAX_COOKIES
    kept.store("h", "/", [f"d{n}=1" for n in range(10)], NOW)
    names = [pair.partition("=")[0] for pair in sent(kept).split("; ")]
    assert len(names) == module.MAX_COOKIES
    assert names[-1] == "d9"
    big = jar(*(f"b{n}=" + "x" * 4000 for n in range(10)))
    assert 4000 < len(sent(big)) <= module.MAX_JAR
    assert sent(big).startswith("b8=")
    for n in range(module.MAX_HOSTS + 5):
        big.store(f"host{n}", "/", ["a=1"], NOW)
    assert len(big) == module.MAX_HOSTS
    assert sent(big) == ""
