from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.fetch.framing import (
    MAX_LINE,
    MAX_OVERHEAD,
    BadFraming,
    ByChunks,
    ByLength,
    Framing,
    content_length,
    framing_of,
    persists,
)
from spiderd.fetch.head import Head
from spiderd.fetch.headers import Headers


def headers(*pairs: tuple[str, str]) -> Headers:
    return Headers([(name.encode(), value.encode()) for name, value in pairs])


def read(framing: Framing, *pieces: bytes) -> bytes:
    for piece in pieces:
        framing.feed(piece)
    return b"".join(framing.parts)


def chunked(data: bytes) -> ByChunks:
    framing = ByChunks()
    framing.feed(data)
    return framing


@given(st.lists(st.binary(min_size=1, max_size=40), max_size=6), st.lists(st.integers(0, 400)), st.booleans())
def test_chunks_come_together_however_they_are_cut(chunks, cuts, trailers):
    data = b"".join(b"%X;ext=1 \r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n"
    data += b"X: y\r\n\r\n" if trailers else b"\r\n"
    edges = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    framing = ByChunks()
    for start, end in pairwise(edges):
        framing.feed(data[start:end])
    assert framing.complete
    assert b"".join(framing.parts) == b"".join(chunks)
    assert framing.size == sum(map(len, chunks))


@given(st.binary(max_size=300), st.integers(1, 7))
def test_no_bytes_break_the_chunks(data, step):
    framing = ByChunks()
    try:
        for start in range(0, len(data), step):
            framing.feed(data[start : start + step])
    except BadFraming:
        return
    assert framing.size == len(b"".join(framing.parts))


@pytest.mark.parametrize(
    "data",
    [
        b"1A  \r\n" + b"x" * 26 + b"\r\n0  \r\n\r\n",
        b" 1a\t\r\n" + b"x" * 26 + b"\r\n0\r\n\r\n",
        b"1A\n" + b"x" * 26 + b"\n0\n\n",
        b'1A ; a b="c\\"" @\r\n' + b"x" * 26 + b"\r\n0;q\r\n\r\n",
        b"0000000001A\r\n" + b"x" * 26 + b"\r\n0000\r\n\r\n",
        b"1A\r\n" + b"x" * 26 + b"\r\n0\r\nX-T: 1\r\nY: 2\r\n\r\n",
        b"1A\r\n" + b"x" * 26 + b"\r\n0\r\n",
    ],
)
def test_odd_chunks_are_read(data):
    framing = chunked(data)
    assert framing.complete
    assert b"".join(framing.parts) == b"x" * 26


@pytest.mark.parametrize(
    "data",
    [
        b"zz\r\n",
        b"\r\nhello",
        b"-5\r\nhello",
        b"0x5\r\nhello",
        b"5 5\r\nhello",
        b"5\r\nhello5\r\nworld\r\n",
        b"f" * 40 + b"\r\n",
        b"5;" + b"x" * (MAX_LINE + 1),
    ],
)
def test_bad_chunks_are_refused(data):
    with pytest.raises(BadFraming):
        chunked(data)


def test_chunks_that_are_mostly_overhead_are_refused():
    framing = ByChunks()
    extension = b"1;" + b"e" * 10_000 + b"\r\nx\r\n"
    with pytest.raises(BadFraming, match="overhead"):
        read(framing, *[extension] * (MAX_OVERHEAD // 10_000 + 2))


def test_endless_trailers_are_refused():
    with pytest.raises(BadFraming, match="overhead"):
        read(chunked(b"0\r\nT: x"), *[b"\r\nX: " + b"y" * 1000] * (MAX_OVERHEAD // 1000))


def test_tiny_chunks_become_one_object_a_piece():
    framing = chunked(b"2\r\nxy\r\n" * 1000)
    assert len(framing.parts) == 1
    assert framing.size == 2000


def test_the_last_chunk_ends_a_message_whose_empty_line_is_missing():
    framing = chunked(b"1\r\nx\r\n0\r\n")
    assert framing.complete
    assert framing.surplus  # the line may still come: no second request on this connection


def test_what_follows_a_message_is_surplus():
    assert chunked(b"0\r\n\r\nmore").surplus
    framing = ByLength(2)
    assert read(framing, b"abc") == b"ab"
    assert framing.complete
    assert framing.surplus


def test_an_end_before_time():
    assert not chunked(b"4\r\nhalf\r\n").finish()
    assert not chunked(b"4\r\nha").finish()
    assert not ByLength(3).finish()
    assert Framing().finish()


@pytest.mark.parametrize(
    ("values", "length"),
    [
        (["5"], 5),
        (["5", "5"], 5),
        (["5, 5"], 5),
        (["5", "5,5 "], 5),
        (["0"], 0),
        (["007"], 7),
        ([""], None),
        (["-2"], None),
        (["+2"], None),
        (["2 bytes"], None),
        (["9" * 30], None),
        (["9" * 5000], None),
        (["٣"], None),
        (["abc", "5"], 5),
        ([], None),
    ],
)
def test_content_length(values, length):
    assert content_length(headers(*(("Content-Length", value) for value in values))) == length


@pytest.mark.parametrize("values", [["5", "6"], ["5, 6"], ["5", "05", "6"]])
def test_lengths_that_differ_are_refused(values):
    with pytest.raises(BadFraming):
        content_length(headers(*(("Content-Length", value) for value in values)))


@pytest.mark.parametrize(
    ("status", "pairs", "kind"),
    [
        (200, [("Content-Length", "3")], ByLength),
        (200, [("Transfer-Encoding", "Chunked ")], ByChunks),
        (200, [("Transfer-Encoding", "chunked"), ("Content-Length", "3")], ByChunks),
        (200, [("Transfer-Encoding", "gzip, chunked")], ByChunks),
        (200, [("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")], ByChunks),
        (200, [("Transfer-Encoding", "identity"), ("Content-Length", "3")], ByLength),
        (200, [("Transfer-Encoding", "gzip"), ("Content-Length", "3")], Framing),
        (200, [], Framing),
        (304, [("Content-Length", "3")], ByLength),
        (204, [("Transfer-Encoding", "chunked")], ByLength),
    ],
)
def test_which_framing(status, pairs, kind):
    framing = framing_of(Head(status, 1, headers(*pairs)))
    assert type(framing) is kind
    assert framing.complete == (status != 200)
    assert framing.delimited == (kind is not Framing)


@pytest.mark.parametrize(
    ("minor", "pairs", "stays"),
    [
        (1, [], True),
        (0, [], False),
        (0, [("Connection", "Keep-Alive")], True),
        (1, [("Connection", "close")], False),
        (1, [("Connection", ", , CLOSE,")], False),
        (1, [("Connection", "keep-alive"), ("Connection", "close")], False),
        (1, [("Connection", "Upgrade, Keep-Alive"), ("Upgrade", "h2")], True),
        (1, [("Proxy-Connection", "close")], False),
    ],
)
def test_which_connections_persist(minor, pairs, stays):
    assert persists(Head(200, minor, headers(*pairs))) is stays
