"""Undoing content codings (RFC 9110 8.4) of bodies that may be bombs.

Whatever the input, no more than `limit` bytes come out of any layer and no more than `MAX_LAYERS` layers are
undone, so that the cost is bounded; beyond `max_ratio` bytes out for a byte in (once more than 1 MiB came
out) it is a bomb. As browsers do: the check sum at the end of gzip may be wrong or missing, `deflate` may be
raw, what follows the end of the data does not matter (except to brotli's library), and a name that denotes no
coding at all ("utf-8", "none") is not there.
"""

from __future__ import annotations

import re
import sys
import zlib
from collections.abc import Callable, Iterable
from typing import NamedTuple

import brotli  # type: ignore[import-untyped]  # has no type information
import zstandard

from spiderd.fetch.headers import Headers
from spiderd.states import Failure

ACCEPTED = b"gzip, deflate, br, zstd"
MAX_LAYERS = 3
FREE = 1024 * 1024  # bytes out that no ratio is asked of
STEP = 256 * 1024  # bytes taken out of a decoder at a time
GZIP_MAGIC = b"\x1f\x8b"
BROTLI_STEP = 4096  # bytes given to its decoder at a time
ZSTD_WINDOW = 8 * 1024 * 1024  # RFC 9659
ZSTD_STEP = 512  # bytes given to its decoder at a time
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"

# Names of charsets and the like in the wrong field; browsers pass the body on unchanged.
_NO_CODING = re.compile(r"|identity|none|binary|[78]bit|text(/.*)?|utf-?8|us-ascii|iso-8859-\d+|windows-\d+")


class CodingError(ValueError):
    """The coding cannot be undone."""

    def __init__(self, failure: Failure, detail: str) -> None:
        super().__init__(detail)
        self.failure = failure


class Decoded(NamedTuple):
    """A body without its codings."""

    body: bytes
    cut: bool  # more than `limit` bytes would have come out
    whole: bool  # every layer came to its end


def codings(values: Iterable[str]) -> list[str]:
    """The codings that Content-Encoding names, in the order in which they were applied."""
    named = (item.strip().strip("\"'").lower() for value in values for item in value.split(","))
    return [item.removeprefix("x-") for item in named if not _NO_CODING.fullmatch(item)]


def transfer_codings(headers: Headers) -> list[str]:
    """The codings that were applied for the way only (RFC 9112 7), beside chunked."""
    if "transfer-encoding" not in headers:
        return []
    return [name for name in codings(headers.all("transfer-encoding")) if name != "chunked"]


def decode(body: bytes, names: list[str], *, limit: int, max_ratio: int) -> Decoded:
    """Undo the codings `names`, the last one first; raises CodingError. A limit of 0 is none."""
    if len(names) > MAX_LAYERS:
        raise CodingError(Failure.BAD_ENCODING, f"{len(names)} content codings on top of each other")
    cut, whole = False, True
    for name in reversed(names):
        unpack = _UNPACKERS.get(name)
        if unpack is None:
            raise CodingError(Failure.BAD_ENCODING, f"unknown content coding {name[:40]!r}")
        if not body:
            break
        sink = _Sink(limit or sys.maxsize, max_ratio)
        try:
            whole = unpack(body, sink) and whole
        except _Full:
            cut = True
        except (zlib.error, brotli.error, zstandard.ZstdError) as error:
            raise CodingError(Failure.BAD_ENCODING, f"not {name}: {error}") from None
        body = b"".join(sink.parts)
    return Decoded(body, cut, whole)


class _Full(Exception):
    """The limit is reached."""


class _Sink:
    """Collects what a decoder gives, within bounds."""

    __slots__ = ("limit", "max_ratio", "parts", "size")

    def __init__(self, limit: int, max_ratio: int) -> None:
        self.parts: list[bytes] = []
        self.size = 0
        self.limit = limit
        self.max_ratio = max_ratio

    def put(self, piece: bytes, consumed: int) -> None:
        """Take a piece; `consumed` is how many bytes of the layer below it and all before it took."""
        self.size += len(piece)
        if self.size > FREE and self.size > self.max_ratio * consumed:
            raise CodingError(
                Failure.DECODED_TOO_BIG,
                f"a decompression bomb: {consumed} bytes become {self.size} and more",
            )
        if self.size > self.limit:
            self.parts.append(piece[: len(piece) - (self.size - self.limit)])
            raise _Full
        self.parts.append(piece)


def _inflate(body: bytes, start: int, wbits: int, sink: _Sink) -> tuple[bool, bytes]:
    """Undo one deflate stream; returns whether it ended, and what follows it."""
    unpacker = zlib.decompressobj(wbits)
    data = body[start:] if start else body
    while True:
        piece = unpacker.decompress(data, STEP)
        data = unpacker.unconsumed_tail
        sink.put(piece, len(body) - len(data))
        if unpacker.eof or not (data or piece):
            return unpacker.eof, unpacker.unused_data


def _gzip(body: bytes, sink: _Sink) -> bool:
    """Undo the members of a gzip file (RFC 1952); their check sums and sizes are not looked at."""
    while True:
        ended, rest = _inflate(body, _gzip_header(body), -zlib.MAX_WBITS, sink)
        body = rest[8:]  # after check sum and size
        if not ended or body[:2] != GZIP_MAGIC:
            return ended


def _gzip_header(body: bytes) -> int:
    """Where the compressed data begin; raises zlib.error."""
    if body[:2] != GZIP_MAGIC or len(body) < 10:
        raise zlib.error("no gzip header")
    flags, position = body[3], 10
    if flags & 4:  # FEXTRA
        position += 2 + int.from_bytes(body[position : position + 2], "little")
    for flag in (8, 16):  # FNAME, FCOMMENT
        if flags & flag:
            position = body.find(b"\0", position) + 1
            if not position:
                raise zlib.error("a gzip header without end")
    return position + (2 if flags & 2 else 0)  # FHCRC


def _deflate(body: bytes, sink: _Sink) -> bool:
    """Undo the zlib format, or raw deflate as some servers send it."""
    zlib_header = len(body) > 1 and body[0] & 15 == 8 and int.from_bytes(body[:2], "big") % 31 == 0
    return _inflate(body, 0, zlib.MAX_WBITS if zlib_header else -zlib.MAX_WBITS, sink)[0]


def _brotli(body: bytes, sink: _Sink) -> bool:
    unpacker = brotli.Decompressor()
    for position in range(0, len(body), BROTLI_STEP):
        data = body[position : position + BROTLI_STEP]
        while True:
            piece = unpacker.process(data, output_buffer_limit=STEP)
            sink.put(piece, position + BROTLI_STEP)
            if unpacker.is_finished():
                return True
            if unpacker.can_accept_more_data():
                break
            data = b""
    return False


def _zstd(body: bytes, sink: _Sink) -> bool:
    """Undo frames. The decoder bounds no output, so it gets little at a time (4 bytes can make 128 KiB)."""
    position = 0
    while True:
        unpacker = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW).decompressobj()
        while position < len(body) and not unpacker.eof:
            data = body[position : position + ZSTD_STEP]
            position += len(data)
            sink.put(unpacker.decompress(data), position)
        position -= len(unpacker.unused_data)
        if not unpacker.eof or body[position : position + 4] != ZSTD_MAGIC:
            return unpacker.eof


_UNPACKERS: dict[str, Callable[[bytes, _Sink], bool]] = {
    "gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
