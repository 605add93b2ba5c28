"""C30: robots.txt is bytes from a stranger, and no byte of it may turn into more permission."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.robots import MAX_BODY, parse
from spiderd.robots.rules import LIMIT

HOST = "http://a.test"


def allowed(body: bytes, path: str) -> bool:
    return parse(body).allowed(HOST + path).allowed


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"", b"\xef\xbb\xbf\n", b"\xef\xbb\xbf  "])
def test_c30_a_byte_order_mark_hides_nothing(mark):
    assert not allowed(mark + b"User-agent: *\nDisallow: /", "/x")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-16"])
def test_c30_utf_16_is_read(codec):
    text = "User-agent: *\r\nDisallow: /private\r\n"
    if codec != "utf-16":
        text = "\ufeff" + text
    body = text.encode(codec)
    assert not allowed(body, "/private")
    assert allowed(body, "/public")


@pytest.mark.parametrize("end", [b"\r", b"\n", b"\r\n", b"\n\r", b"\r\r\n"])
def test_c30_all_line_ends(end):
    body = end.join([b"User-agent: *", b"Disallow: /a", b"Allow: /a/b", b"Disallow: /c"])
    assert [allowed(body, path) for path in ("/a", "/a/b", "/c", "/d")] == [False, True, False, True]


@pytest.mark.parametrize("other", [b"\x0b", b"\x0c", b"\x1c", b"\x85", "\u2028".encode(), "\u0085".encode()])
def test_c30_nothing_else_ends_a_line(other):
    body = b"User-agent: *\nDisallow: /a" + other + b"Allow: /\n"
    assert parse(body).allowed(HOST + "/b").line == ""
    assert not allowed(b"User-agent: *\nAllow: /x" + other + b"y\nDisallow: /", "/b")


def test_c30_a_rule_within_the_limit_counts_and_one_beyond_never_allows():
    head = b"User-agent: *\nDisallow: /first\n"
    comment = b"# " + b"x" * 97 + b"\n"
    inside = head + comment * ((LIMIT - 1000) // 100) + b"Disallow: /late\n" + comment * 1100
    assert len(inside) > 600 * 1024
    assert not allowed(inside, "/late")
    beyond = head + comment * 5222 + b"Disallow: /beyond\nAllow: /first\n" + comment * 900
    assert beyond.index(b"/beyond") > 510 * 1024
    assert not allowed(beyond, "/first")


def test_c30_a_line_across_the_limit_is_whole_or_nothing():
    head = b"User-agent: *\nDisallow: /\n"
    filler = b"#" * (LIMIT - len(head) - len(b"\nAllow: /p")) + b"\n"
    cut_short = head + filler + b"Allow: /public/only\n"
    assert cut_short[LIMIT - 9 : LIMIT] == b"Allow: /p"
    assert not allowed(cut_short, "/private")
    assert allowed(cut_short, "/public/only")
    without_its_end = head + filler + b"Allow: /public/only"
    assert not allowed(without_its_end[: LIMIT + 3], "/private")


def test_c30_one_line_longer_than_the_limit():
    assert allowed(b"User-agent: *\nDisallow: /" + b"a" * 700_000, "/b")
    assert allowed(b"x" * 700_000, "/b")


def test_c30_a_long_line_is_one_rule():
    path = "/" + "p" * 3000
    body = f"User-agent: *\nDisallow: {path}\nDisallow: /z".encode()
    assert not allowed(body, path + "q")
    assert allowed(body, path[:-1])
    assert not allowed(body, "/z")


@pytest.mark.parametrize(
    "body",
    [
        b"User-agent: *\0\nDisallow: /a\0",
        b"\0User-agent: *\nDis\0allow: /a",
        b"User-agent: *\n\0\nDisallow: /a\n",
    ],
)
def test_c30_nuls_are_not_there(body):
    assert not allowed(body, "/a")
    assert allowed(body, "/b")


def test_c30_latin_1_paths():
    body = b"User-agent: *\nDisallow: /caf\xe9\nDisallow: /na\xc3\xafve\xff"
    assert not allowed(body, "/caf%E9")
    assert not allowed(body, "/caf%e9/x")
    assert allowed(body, "/caf")
    assert not allowed(body, "/na%C3%AFve%FF")


def test_c30_latin_1_paths_as_browsers_link_to_them():
    assert not allowed(b"User-agent: *\nDisallow: /caf\xe9", "/caf%C3%A9")
    opened = b"User-agent: *\nDisallow: /\nAllow: /caf\xe9"  # permission is taken literally
    assert not allowed(opened, "/caf%C3%A9")
    assert allowed(opened, "/caf%E9")


def test_c30_garbage_does_not_close_the_group():
    garbage = b"This is not a record\n<html>\n: nothing\nfoo: bar\n\xff\xfe\xfd\n"
    body = b"User-agent: *\nDisallow: /a\n" + garbage + b"Disallow: /b"
    assert not allowed(body, "/a")
    assert not allowed(body, "/b")


def test_c30_garbage_among_the_names_does_not_part_them():
    body = b"User-agent: spiderd\nfoo: bar\nnonsense\nUser-agent: other\nDisallow: /b"
    assert not allowed(body, "/b")


def test_an_html_page_says_nothing():
    page = (
        b"<!DOCTYPE html><html><head><title>404</title></head><body>User-agent: * Disallow: /</body></html>"
    )
    assert parse(page).everything_allowed


@given(st.binary(max_size=400))
def test_any_bytes_can_be_read(body):
    robots = parse(body)
    robots.allowed(HOST + "/x?y=1")
    assert robots.crawl_delay >= 0


WORDS = [
    b"User-agent: *",
    b"User-agent: spiderd",
    b"Allow: /a",
    b"Disallow: /",
    b"Disallow: /a*b$",
    b"junk",
    b"",
]


@given(st.lists(st.sampled_from(WORDS), max_size=12), st.sampled_from([b"\r", b"\n", b"\r\n"]))
def test_line_ends_marks_and_comments_change_nothing(lines, end):
    plain = parse(b"\n".join(lines))
    dressed = parse(b"\xef\xbb\xbf" + end.join(b" \t" + line + b" # remark" for line in lines))
    for path in ("/", "/a", "/axb", "/axbc", "/z"):
        assert plain.allowed(HOST + path) == dressed.allowed(HOST + path)


def test_what_is_fetched_at_most_is_more_than_what_is_read():
    assert MAX_BODY > LIMIT == 500 * 1024
