from __future__ import annotations

import gzip
import random
import tracemalloc
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from spiderd.fetch.coding import FREE, CodingError, codings, decode, transfer_codings
from spiderd.fetch.headers import Headers
from spiderd.states import Failure

TEXT = b"".join(b"<p>%d words</p>" % n for n in range(5000))


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


PACKERS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "raw": raw_deflate,
    "br": lambda data: brotli.compress(data, quality=4),
    "zstd": zstandard.compress,
}


def undo(body: bytes, *names: str, limit: int = 10**7, max_ratio: int = 200):
    return decode(
        body, ["deflate" if name == "raw" else name for name in names], limit=limit, max_ratio=max_ratio
    )


@pytest.mark.parametrize("name", PACKERS)
def test_every_coding_is_undone(name):
    assert undo(PACKERS[name](TEXT), name) == (TEXT, False, True)
    assert undo(PACKERS[name](b""), name) == (b"", False, True)


@pytest.mark.parametrize("name", PACKERS)
def test_no_more_comes_out_than_the_limit(name):
    for limit in (1, 1000, len(TEXT) - 1):
        assert undo(PACKERS[name](TEXT), name, limit=limit) == (TEXT[:limit], True, True)
    assert undo(PACKERS[name](TEXT), name, limit=len(TEXT)) == (TEXT, False, True)


@pytest.mark.parametrize("name", PACKERS)
def test_what_ends_in_the_middle_is_not_whole(name):
    packed = PACKERS[name](TEXT)
    body, cut, whole = undo(packed[: len(packed) // 2], name)
    assert TEXT.startswith(body)
    assert (cut, whole) == (False, False)


@pytest.mark.parametrize("name", PACKERS)
def test_a_bomb_is_refused_early_and_costs_little_memory(name):
    packed = PACKERS[name](bytes(64 * 1024 * 1024))
    tracemalloc.start()
    try:
        with pytest.raises(CodingError) as caught:
            undo(packed, name, limit=10**9)
        assert tracemalloc.get_traced_memory()[1] < 40 * FREE
    finally:
        tracemalloc.stop()
    assert caught.value.failure is Failure.DECODED_TOO_BIG


def test_a_small_page_may_be_packed_as_well_as_can_be():
    page = bytes(FREE)
    assert undo(gzip.compress(page), "gzip", max_ratio=10) == (page, False, True)


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_garbage_is_refused(name):
    with pytest.raises(CodingError) as caught:
        undo(b"<html>not packed at all" * 10, name)
    assert caught.value.failure is Failure.BAD_ENCODING


@given(st.sampled_from(["gzip", "deflate", "br", "zstd"]), st.binary(max_size=200), st.integers(0, 10**6))
def test_no_bytes_break_a_decoder(name, junk, seed):
    packed = bytearray(PACKERS[name](TEXT[:2000]))
    for _ in range(3):
        packed[random.Random(seed).randrange(len(packed))] ^= 1 + seed % 255
    for body in (junk, bytes(packed), b"\x1f\x8b\x08" + junk):
        try:
            size = len(undo(body, name).body)
        except CodingError:
            continue
        assert size <= 10**7


def test_gzip_as_browsers_read_it():
    packed = gzip.compress(TEXT)
    assert undo(packed[:-8], "gzip").body == TEXT  # no check sum
    assert undo(packed[:-8] + b"wrong sum", "gzip") == (TEXT, False, True)
    assert undo(packed + b"\0\0junk", "gzip") == (TEXT, False, True)
    assert undo(packed + packed, "gzip") == (TEXT * 2, False, True)  # members
    flags = bytes([4 | 8 | 16 | 2])
    named = (
        b"\x1f\x8b\x08" + flags + bytes(6) + b"\x02\x00ab" + b"name\0" + b"comment\0" + b"hc" + packed[10:]
    )
    assert undo(named, "gzip") == (TEXT, False, True)


def test_a_gzip_header_that_does_not_end_is_refused():
    with pytest.raises(CodingError):
        undo(b"\x1f\x8b\x08\x08" + bytes(6) + b"name without end", "gzip")


def test_zstd_frames_and_windows():
    packed = zstandard.compress(TEXT)
    assert undo(packed + packed, "zstd").body == TEXT * 2
    assert undo(packed + b"junk", "zstd") == (TEXT, False, True)
    wide = zstandard.ZstdCompressionParameters(window_log=27)
    packer = zstandard.ZstdCompressor(compression_params=wide).compressobj()
    with pytest.raises(CodingError):  # more memory than RFC 9659 lets a coding ask for
        undo(packer.compress(TEXT) + packer.flush(), "zstd")


def test_layers_are_undone_from_the_last_and_are_few():
    assert undo(brotli.compress(gzip.compress(TEXT)), "gzip", "br").body == TEXT
    with pytest.raises(CodingError):
        undo(TEXT, "gzip", "gzip", "gzip", "gzip")


def test_a_bomb_within_a_bomb_is_refused():
    inner = gzip.compress(bytes(256 * 1024 * 1024), compresslevel=1)
    with pytest.raises(CodingError) as caught:
        undo(gzip.compress(inner), "gzip", "gzip")
    assert caught.value.failure is Failure.DECODED_TOO_BIG


def test_an_unknown_coding_is_refused_unless_the_name_is_none():
    with pytest.raises(CodingError) as caught:
        undo(b"x", "compress")
    assert caught.value.failure is Failure.BAD_ENCODING
    noise = ["identity", "none", "", "utf-8", "UTF8", "iso-8859-1", "8bit", "binary", "text/html"]
    assert codings(noise) == []


def test_names_of_codings():
    assert codings(["X-GZip , br", '"zstd"']) == ["gzip", "br", "zstd"]
    assert transfer_codings(Headers([(b"Transfer-Encoding", b"gzip, chunked")])) == ["gzip"]
    assert transfer_codings(Headers([])) == []
