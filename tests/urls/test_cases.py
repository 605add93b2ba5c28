"""The cases from the field that URLs alone decide, by their numbers, and neighbours of each."""

from __future__ import annotations

import pytest

from spiderd.config.declaration import Config, Scope, Urls
from spiderd.urls import (
    ScopeRules,
    credentials,
    display,
    host_key,
    key_hash,
    normalize,
    origin,
    refusal,
    resolve,
    seen_key,
)


@pytest.mark.parametrize(
    ("base", "href", "url"),
    [
        ("http://example.test/dir/my.html", "?param=v", "http://example.test/dir/my.html?param=v"),
        ("http://example.test/a/b?x=1", "?page=2", "http://example.test/a/b?page=2"),
        ("http://example.test/a/b?x=1", "?", "http://example.test/a/b?"),
        ("http://example.test/a/b?x=1", "#f", "http://example.test/a/b?x=1"),
        ("http://example.test/a/b?x=1", "", "http://example.test/a/b?x=1"),
        ("http://example.test/a/b?x=1", " \n", "http://example.test/a/b?x=1"),
        ("http://example.test/a/b?x=1", "?#f", "http://example.test/a/b?"),
        ("http://example.test/a/b?x=/y/z", "c", "http://example.test/a/c"),
        ("http://example.test", "c", "http://example.test/c"),
        ("http://example.test/a/b/", ";p=1", "http://example.test/a/b/;p=1"),
    ],
)
def test_c02_queries_and_fragments(base: str, href: str, url: str) -> None:
    assert resolve(base, href) == url


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("//other.test/p", "https://other.test/p"),
        (r"\\other.test\p", "https://other.test/p"),
        (r"/\other.test/p", "https://other.test/p"),
        (r"\/other.test/p", "https://other.test/p"),
        ("///other.test/p", "https://other.test/p"),
        (r"sub\dir\p.html", "https://example.test/a/sub/dir/p.html"),
        (r"https:\\other.test\p", "https://other.test/p"),
        ("https:/p", "https://example.test/p"),
        ("https:p", "https://example.test/a/p"),
        ("http:p", "http://p/"),
        (r"?a=b\c", r"https://example.test/a/b?a=b\c"),
        ("//", None),
        (r"\\", None),
    ],
)
def test_c05_slashes_and_backslashes(href: str, url: str | None) -> None:
    assert resolve("https://example.test/a/b", href) == url


@pytest.mark.parametrize(
    ("href", "path"),
    [
        ("./", "/"),
        ("./search?k=1", "/search?k=1"),
        ("%2e%2e/b", "/b"),
        (".%2E/%2e/b", "/b"),
        ("../../../../g", "/g"),
        ("..", "/"),
        (".", "/"),
        ("./.", "/"),
        ("x/./y/../z", "/x/z"),
        ("...", "/..."),
        ("x/..;/y", "/x/..;/y"),
        ("?a=../b", "/a?a=../b"),
        ("x%2f..%2fy", "/x%2f..%2fy"),
    ],
)
def test_c06_dot_segments(href: str, path: str) -> None:
    assert resolve("http://example.test/a", href) == "http://example.test" + path


@pytest.mark.parametrize(
    ("url", "fetch", "key"),
    [
        ("https://example.test/p/foo%20%2376%2C%2Fx/Dia%25#top", "/p/foo%20%2376%2C%2Fx/Dia%25", None),
        ("https://example.test/100%/a%zz%2", "/100%/a%zz%2", None),
        ("https://example.test/%41%7e%2d", "/%41%7e%2d", "/A~-"),
        ("https://example.test/%c3%a9%2f", "/%c3%a9%2f", "/%C3%A9%2F"),
        ("https://example.test/%%41%4", "/%%41%4", None),
        ("https://example.test/a+b?c+d=%2B", "/a+b?c+d=%2B", None),
        ("https://example.test/?q=%26%3D%23", "/?q=%26%3D%23", None),
        ("https://example.test/%00%0a", "/%00%0a", "/%00%0A"),
        ("https://example.test/a%252e", "/a%252e", None),
    ],
)
def test_c07_escapes_that_mean_something_stay(url: str, fetch: str, key: str | None) -> None:
    assert normalize(url) == "https://example.test" + fetch
    assert seen_key(url) == "https://example.test" + (key or fetch)
    assert seen_key(seen_key(url)) == seen_key(url)


def test_c09_forms_of_one_url() -> None:
    forms = ["HTTP://EXAMPLE.TEST:80/%7euser/%c3%a9", "http://example.test/~user/%C3%A9",
             "http://example.test./~user/é", "http://exa%6Dple.test/~user/%C3%A9",
             "http://user@example.test:080/a/../~user/é#f", "\thttp:\\\\example.test/~user/\né "]  # fmt: skip
    urls = [url for url in map(normalize, forms) if url]
    assert len(urls) == len(forms)
    assert {seen_key(url) for url in urls} == {"http://example.test/~user/%C3%A9"}
    assert {host_key(url) for url in urls} == {"example.test"}
    assert {origin(url) for url in urls} == {"http://example.test"}


def test_c09_ports_make_origins() -> None:
    assert seen_key("http://example.test:443/~user/%C3%A9") != seen_key("http://example.test/~user/%C3%A9")
    assert origin("http://example.test:443/") != origin("http://example.test/")
    assert seen_key("https://example.test:443/") == seen_key("https://example.test/")
    assert key_hash(seen_key("https://example.test:443")) == key_hash(seen_key("https://example.test/"))
    assert seen_key("https://example.test:80/") != seen_key("http://example.test/")


def test_c10_only_the_user_makes_different_urls_one() -> None:
    paths = [
        "/Docs/A",
        "/docs/a",
        "/docs/a/",
        "/docs/a?B=1",
        "/docs/a?b=1",
        "/docs/a?b=1&a=2",
        "/docs/a?a=2&b=1",
    ]
    urls = ["http://example.test" + path for path in paths]
    assert len({seen_key(url) for url in urls}) == 7
    assert len({seen_key(url, Urls(sort_query=True)) for url in urls}) == 6


@pytest.mark.parametrize(
    ("typed", "host", "shown"),
    [
        ("http://bücher.example/", "xn--bcher-kva.example", "bücher.example"),
        ("http://xn--bcher-kva.example/", "xn--bcher-kva.example", "bücher.example"),
        ("http://XN--BCHER-KVA.example/", "xn--bcher-kva.example", "bücher.example"),
        ("http://B%C3%BCcher.example./", "xn--bcher-kva.example", "bücher.example"),
        ("http://bu\u0308cher.example/", "xn--bcher-kva.example", "bücher.example"),
        ("http://faß.example/", "xn--fa-hia.example", "faß.example"),
        ("http://例え.test/", "xn--r8jz45g.test", "例え.test"),
        ("http://例え。test/", "xn--r8jz45g.test", "例え.test"),
        ("http://EXAMPLE\uff0etest/", "example.test", "example.test"),
        ("http://\uff11\uff12\uff17.0.0.1/", "127.0.0.1", "127.0.0.1"),
        ("http://0x7f000001/", "127.0.0.1", "127.0.0.1"),
    ],
)
def test_c11_hosts_of_all_scripts(typed: str, host: str, shown: str) -> None:
    url = normalize(typed)
    assert url is not None
    assert host_key(url) == host
    assert url.isascii()
    assert display(url).split("/")[2].removesuffix(".") == shown


@pytest.mark.parametrize(
    ("href", "reason"),
    [
        ("mailto:a@example.test", "mailto"),
        ("tel:+1", "tel"),
        ("data:text/html,<a href=/z>", "data"),
        ("JavaScript:void(0)", "javascript"),
        ("\x01javascript:void(0)", "javascript"),
        ("ftp://example.test/f", "ftp"),
        ("example:8080/x", "example"),
        ("blob:x", "blob"),
        ("about:blank", "about"),
        ("file:///etc/passwd", "file"),
        ("view-source:http://example.test/", "view-source"),
        ("ws://example.test/", "ws"),
        ("http://", "bad url"),
        ("http://exa mple/", "bad url"),
        ("http://example.test:65536/", "bad url"),
        ("https://[::1/", "bad url"),
        ("//example.test:x/", "bad url"),
        ("http://1.2.3.256/", "bad url"),
        ("http://%00/", "bad url"),
    ],
)
def test_c13_what_cannot_be_fetched_says_why(href: str, reason: str) -> None:
    assert resolve("http://example.test/", href) is None
    assert refusal(href) == reason


def test_c13_a_name_is_a_relative_path() -> None:
    assert resolve("http://example.test/", "www.other.test/x") == "http://example.test/www.other.test/x"
    assert resolve("http://example.test/", "./a:b") == "http://example.test/a:b"


def test_c14_secrets_are_parted_from_urls() -> None:
    link = resolve("http://example.test/", "http://ann:secret@example.test/private")
    assert link == "http://example.test/private"
    assert resolve("http://example.test/", "//ann:sec@ret@example.test/p") == "http://example.test/p"
    assert resolve("http://ann:secret@example.test/", "x") == "http://example.test/x"
    assert normalize("http://bob:pw@example.test/") == "http://example.test/"
    assert credentials("http://bob:pw@example.test/") == ("bob", "pw")
    assert credentials("http://example.test/") is None
    assert seen_key("http://bob:pw@example.test/") == "http://example.test/"
    assert resolve("http://example.test/", "/@user/a@b?c@d") == "http://example.test/@user/a@b?c@d"


def test_scope_sees_the_host_that_is_meant() -> None:
    rules = ScopeRules(Config(scope=Scope(follow="host")), ["https://example.test/"])
    for href in (
        "//other.test/p",
        r"\\other.test",
        "https://example.test@other.test/",
        "https:\\\\other.test",
    ):
        url = resolve("https://example.test/a/b", href)
        assert url is not None
        assert rules.decide(url, 1) == "scope"
    for href in ("//EXAMPLE.test.:443/x", "http://example.test/", "https://u@example.test/"):
        url = resolve("https://example.test/a/b", href)
        assert url is not None
        assert rules.decide(url, 1) == ""
