from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.fetch.origin import BadUrl, Origins, quoted


@pytest.mark.parametrize(
    ("url", "scheme", "host", "port", "authority", "target"),
    [
        ("http://example.test", "http", "example.test", 80, "example.test", "/"),
        ("http://example.test:80/a", "http", "example.test", 80, "example.test", "/a"),
        ("http://example.test:443/", "http", "example.test", 443, "example.test:443", "/"),
        ("https://example.test:443/", "https", "example.test", 443, "example.test", "/"),
        ("https://example.test:8443?q#f", "https", "example.test", 8443, "example.test:8443", "/?q"),
        ("HTTP://EXAMPLE.test/A", "http", "example.test", 80, "example.test", "/A"),
        ("http://bob:pw@example.test/private", "http", "example.test", 80, "example.test", "/private"),
        ("http://bob:p@w@example.test/", "http", "example.test", 80, "example.test", "/"),
        ("http://[::1]:81/x", "http", "::1", 81, "[::1]:81", "/x"),
        ("http://[2001:DB8::1]/", "http", "2001:db8::1", 80, "[2001:db8::1]", "/"),
        ("http://a_b.example.test/", "http", "a_b.example.test", 80, "a_b.example.test", "/"),
        ("http://xn--bcher-kva.example/", "http", "xn--bcher-kva.example", 80, "xn--bcher-kva.example", "/"),
        ("http://xn--a.test/", "http", "xn--a.test", 80, "xn--a.test", "/"),
        ("http://h/100%/a%zz%2?%2F#x", "http", "h", 80, "h", "/100%/a%zz%2?%2F"),
        ("http://h/a@b:c", "http", "h", 80, "h", "/a@b:c"),
        ("http://h/#f?x", "http", "h", 80, "h", "/"),
    ],
)
def test_a_url_is_taken_apart(url, scheme, host, port, authority, target):
    origin, asked = Origins().split(url)
    assert (origin.scheme, origin.host, origin.port) == (scheme, host, port)
    assert origin.authority.decode() == authority
    assert asked.decode() == target
    assert origin.name == (f"[{host}]:{port}" if ":" in host else f"{host}:{port}")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "x",
        "ftp://h/",
        "http:/h/",
        "http://",
        "http:///a",
        "http://h:0/",
        "http://h:99999/",
        "http://h:x/",
        "http://h:" + "9" * 5000,
        "http://a b/",
    ],
)
def test_what_is_no_url_is_refused(url):
    with pytest.raises(BadUrl):
        Origins().split(url)


@given(st.text(max_size=60))
def test_no_target_ends_the_request_line(text):
    target = quoted("/" + text)
    assert all(0x21 <= byte <= 0x7E for byte in target)
    assert quoted(target.decode()) == target


@given(st.text(max_size=40))
def test_any_text_is_a_url_or_is_refused(text):
    origins = Origins()
    for url in (text, "http://" + text, "http://h/" + text):
        try:
            origin, target = origins.split(url)
        except BadUrl:
            continue
        assert b"\r" not in origin.authority + target
        assert b"\n" not in origin.authority + target
        assert target.startswith(b"/")


def test_origins_of_a_site_are_one_object():
    origins = Origins()
    assert origins.split("http://h/a")[0] is origins.split("http://h/b?c")[0]
    assert origins.split("http://h/")[0] == origins.split("http://u:p@h:80/")[0]
    assert origins.split("http://h/")[0] != origins.split("https://h/")[0]
