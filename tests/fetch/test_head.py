from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.fetch.head import HEAD_END, BadHead, lenient, looks_wrong, parse_head
from spiderd.fetch.headers import Headers

NAMES = st.from_regex(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,20}", fullmatch=True).filter(
    # how a body is framed is llhttp's business too: it may refuse what lenient() takes
    lambda name: name.lower() not in {b"content-length", b"transfer-encoding", b"connection", b"upgrade"}
)
VALUES = st.binary(max_size=30).map(
    lambda value: bytes(byte for byte in value if byte >= 0x20 and byte != 0x7F).strip(b" ")
)


def head(*lines: bytes, end: bytes = b"\r\n") -> bytes:
    return end.join(lines) + end + end


def values(data: bytes) -> list[tuple[bytes, bytes]]:
    return parse_head(data).headers.raw


@given(st.lists(st.tuples(NAMES, VALUES), max_size=8), st.integers(200, 999))
def test_both_parsers_read_a_good_head_alike(pairs, status):
    data = head(b"HTTP/1.1 %d Fine" % status, *(b"%b: %b" % pair for pair in pairs))
    quick, slow = parse_head(data), lenient(data)
    assert (quick.status, quick.minor) == (slow.status, slow.minor) == (status, 1)
    assert quick.headers.raw == slow.headers.raw == pairs


@given(st.binary(max_size=200))
def test_no_bytes_break_the_parser(data):
    for start in (b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nA: b\r\n"):
        try:
            parsed = parse_head(start + data + b"\r\n\r\n")
        except BadHead:
            continue
        assert 100 <= parsed.status <= 999


@pytest.mark.parametrize(
    ("line", "status", "minor"),
    [
        (b"HTTP/1.1 200 OK", 200, 1),
        (b"HTTP/1.1 200", 200, 1),
        (b"HTTP/1.1 600 X", 600, 1),
        (b"HTTP/1.1 999 Denied", 999, 1),
        (b"HTTP/1.0 200 OK", 200, 0),
        (b"HTTP/1.1  200 OK", 200, 1),
        (b"HTTP/1.1 200\tOK", 200, 1),
        (b"HTTP/2 200 OK", 200, 1),
        (b"HTTP/2.0 200 OK", 200, 1),
        (b"HTTP/1.10 200 OK", 200, 1),
        (b"HTTP/0.9 200 OK", 200, 0),
        (b"http/1.1 404 no", 404, 1),
        (b"ICY 200 OK", 200, 1),
        (b"xx\nHTTP/1.1 200 OK", 200, 1),
        ("HTTP/1.1 200 Ünïcode".encode(), 200, 1),
    ],
)
def test_status_lines(line, status, minor):
    parsed = parse_head(head(line, b"A: b"))
    assert (parsed.status, parsed.minor if line[:3] != b"ICY" else 1) == (status, minor)
    assert parsed.headers.get("a") == "b"


@pytest.mark.parametrize(
    "line",
    [
        b"HTTP/1.1 20 OK",
        b"HTTP/" + b"1" * 5000 + b" 200 OK",
        b"HTTP/1.1 2000 OK",
        b"HTTP/1.1 000 OK",
        b"HTTP/1.1 OK",
        b"<html>",
        b"RTSP/1.0 200 OK",
    ],
)
def test_what_is_no_status_line(line):
    with pytest.raises(BadHead):
        parse_head(head(line))


def test_lines_that_are_no_fields_are_skipped():
    bad = [b"a.php userdata not support", b": empty", b"a b: c", "é: c".encode(), b"N: a\0b", b"\x01: c"]
    assert values(head(b"HTTP/1.1 200 OK", b"A: 1", *bad, b"B: 2")) == [(b"A", b"1"), (b"B", b"2")]


def test_odd_fields_are_read():
    lines = [
        b"Server:",
        b"Blank:   ",
        b"a.php: userdata not support",
        b"Space : v",
        b"C: a\x01b",
        b"U: \xc3\xa9",
    ]
    assert values(head(b"HTTP/1.1 200 OK", *lines)) == [
        (b"Server", b""),
        (b"Blank", b""),
        (b"a.php", b"userdata not support"),
        (b"Space", b"v"),
        (b"C", b"a\x01b"),
        (b"U", b"\xc3\xa9"),
    ]


def test_folded_lines_are_joined_and_one_without_a_beginning_is_dropped():
    assert values(head(b"HTTP/1.1 200 OK", b"  lost", b"X: a", b"\t b", b"Y: c")) == [
        (b"X", b"a b"),
        (b"Y", b"c"),
    ]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r\r\n"])
def test_line_ends(end):
    data = head(b"HTTP/1.1 200 OK", b"A: b", b"C: d", end=end)
    found = HEAD_END.search(data + b"body")
    assert found is not None
    assert found.end() == len(data)
    assert values(data) == [(b"A", b"b"), (b"C", b"d")]


def test_what_can_no_longer_become_a_status_line():
    assert looks_wrong(b"SSH-2.0-OpenSSH_9.2\r\n")
    assert looks_wrong(b"<!doctype html>")
    assert not looks_wrong(b"HTTP/1.1 200 O")
    assert not looks_wrong(b"ICY 200 OK\r\n")
    assert not looks_wrong(b"SSH-")
    assert looks_wrong(b"SSH-", ended=True)
    assert not looks_wrong(b"HTT", ended=True)


def test_headers_are_found_in_any_case_and_decoded_when_asked():
    headers = Headers(
        [(b"Set-Cookie", b"a=1"), (b"LOCATION", "/é".encode()), (b"set-cookie", b"b=2"), (b"X", b"\xe9")]
    )
    assert headers.all("SET-cookie") == ["a=1", "b=2"]
    assert headers.get("set-cookie") == "a=1"
    assert headers.get("location") == "/é"
    assert headers.get("x") == "é"
    assert headers.get("none", "-") == "-"
    assert headers.all("none") == []
    assert "x" in headers
    assert "y" not in headers
    assert list(headers)[1] == ("location", "/é")
    assert len(headers) == 4
