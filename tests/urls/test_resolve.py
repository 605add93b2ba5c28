from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.urls import credentials, normalize, refusal, resolve


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("example.org", "http://example.org/"),
        ("example.org:8080/x", "http://example.org:8080/x"),
        ("localhost:8080", "http://localhost:8080/"),
        ("//example.org/x", "http://example.org/x"),
        ("  HTTPS://Example.ORG:443/a#b \n", "https://example.org/a"),
        ("https://user:pw@example.org", "https://example.org/"),
        ("bücher.example/ü?q=ü", "http://xn--bcher-kva.example/%C3%BC?q=%C3%BC"),
        ("127.0.0.1:8081", "http://127.0.0.1:8081/"),
        ("0x7f.1", "http://127.0.0.1/"),
        ("[::1]:8080/x", "http://[::1]:8080/x"),
        ("example.org?x=1", "http://example.org/?x=1"),
    ],
)
def test_what_people_type_becomes_a_url(typed: str, url: str) -> None:
    assert normalize(typed) == url


@pytest.mark.parametrize(
    "typed",
    ["", "   ", "#x", "/path", "?q", "mailto:a@example.org", "javascript:1", "tel:12345", "ftp://example.org/",
     "http://", "http://a b/", "http://example.org:99999/", "file:///etc/passwd", "http://[::1/"],
)  # fmt: skip
def test_what_is_no_url_is_refused(typed: str) -> None:
    assert normalize(typed) is None


def test_credentials_are_told_apart_from_the_url() -> None:
    assert credentials("http://bob:p%40w@example.test/") == ("bob", "p@w")
    assert credentials("bob:pw@example.test") is None or normalize("bob:pw@example.test") is None
    assert credentials("http://example.test/@bob") is None
    assert normalize("http://example.test/@bob") == "http://example.test/@bob"


@pytest.mark.parametrize(
    ("href", "word"),
    [
        ("mailto:a@example.test", "mailto"),
        (" JavaScript:void(0)", "javascript"),
        ("java\nscript:1", "javascript"),
        ("http://a b/", "bad url"),
        ("z" * 300 + ":x", "bad url"),
        ("y" * 100 + ":x", "y" * 20),
    ],
)
def test_the_reason_of_a_refusal_is_a_bounded_word(href: str, word: str) -> None:
    assert refusal(href) == word


def test_a_reference_without_end_is_not_even_parsed() -> None:
    assert resolve("http://h/", "x" * 70_000) is None
    assert refusal("x" * 70_000) == "length"
    assert refusal("data:" + "x" * 70_000) == "data"


@pytest.mark.parametrize(
    ("encoding", "href", "url"),
    [
        ("gbk", "/ü?q=中 文", "/%C3%BC?q=%D6%D0%20%CE%C4"),
        ("shift_jis", "?ソ=1", "/p/q?%83\\=1"),  # the trail byte is a backslash and stays one
        ("iso-2022-jp", "?#x", "/p/q?"),
        ("euc-kr", "?한", "/p/q?%C7%D1"),
        ("windows-1251", "?я&b=☃", "/p/q?%FF&b=%26%239731%3B"),
        ("windows-1252", "?a=é\n&b", "/p/q?a=%E9&b"),
        ("utf-16le", "?é", "/p/q?%C3%A9"),
        ("no-such-encoding", "?é", "/p/q?%C3%A9"),
        ("windows-1252", "mailto:a?subject=é", None),
    ],
)
def test_a_query_is_written_in_the_encoding_of_its_page(encoding: str, href: str, url: str | None) -> None:
    assert resolve("http://example.test/p/q", href, encoding) == (url and "http://example.test" + url)


@given(
    st.text(), st.sampled_from(["utf-8", "gbk", "iso-2022-jp", "windows-1252", "big5", "replacement", "?"])
)
def test_a_fetch_url_resolves_to_itself_and_has_no_secrets(href: str, encoding: str) -> None:
    url = resolve("http://example.test/a/b?c", href, encoding)
    if url is not None:
        assert url.isascii()
        assert "#" not in url
        assert "@" not in url.split("/")[2]
        assert resolve("http://other.test/", url) == url
        assert normalize(url) == url
    assert refusal(href)
