from __future__ import annotations

import pytest

from spiderd.urls import display, display_host, host_key, origin, site


@pytest.mark.parametrize(
    ("url", "host", "of"),
    [
        ("http://example.test/a", "example.test", "http://example.test"),
        ("https://example.test/a", "example.test", "https://example.test"),
        ("https://example.test./a", "example.test", "https://example.test"),
        ("http://example.test:8080/", "example.test:8080", "http://example.test:8080"),
        ("http://example.test:443/", "example.test:443", "http://example.test:443"),
        ("HTTP://u:p@EXAMPLE.TEST:80", "example.test", "http://example.test"),
        ("http://[::1]:8080/", "[::1]:8080", "http://[::1]:8080"),
        ("http://[::1]/", "[::1]", "http://[::1]"),
        ("http://bücher.example/", "xn--bcher-kva.example", "http://xn--bcher-kva.example"),
        ("nonsense", "", ""),
    ],
)
def test_hosts_are_named_by_what_is_asked(url: str, host: str, of: str) -> None:
    assert host_key(url) == host
    assert origin(url).removesuffix("//") == of


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("www.example.co.uk:8080", "example.co.uk"),
        ("example.org", "example.org"),
        ("a.b.example.org.", "example.org"),
        ("co.uk", "co.uk"),
        ("localhost", "localhost"),
        ("localhost:8080", "localhost"),
        ("127.0.3.1:8081", "127.0.3.1"),
        ("[2001:db8::1]:80", "[2001:db8::1]"),
        ("[2001:db8::1]", "[2001:db8::1]"),
        ("me.github.io", "me.github.io"),
        ("www.xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("a.b.unknown-tld", "b.unknown-tld"),
        ("", ""),
    ],
)
def test_a_site_is_the_registered_domain(host: str, name: str) -> None:
    assert site(host) == name


def test_screens_show_what_people_read() -> None:
    assert display_host("xn--bcher-kva.example:8080") == "bücher.example:8080"
    assert display("http://xn--r8jz45g.test/caf%C3%A9?q=%E4%BE%8B") == "http://例え.test/café?q=例"


def test_screens_do_not_show_what_misleads() -> None:
    for url in (
        "http://h/%20%09",
        "http://h/%E2%80%AE",
        "http://h/%C3",
        "http://h/%2F%25",
        "http://h/%C2%A0",
    ):
        assert display(url) == url
