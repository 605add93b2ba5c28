"""Where the body of an answer ends: by length, by chunks or with the connection (RFC 9112 6.3).

Pure: bytes go in by `feed`, pieces of the body collect in `parts`. Read as browsers read: LF ends a line too,
chunk sizes may be padded and carry any extension, a length that is no number does not count. Refused is what
no browser reads: two lengths that differ, a chunk size that is no number, data where a chunk should end.
"""

from __future__ import annotations

import re

from spiderd.fetch.head import Head
from spiderd.fetch.headers import Headers

MAX_LINE = 16 * 1024  # bytes of a chunk-size or trailer line
MAX_OVERHEAD = 1024 * 1024  # bytes of sizes, extensions and trailers beyond the size of the body itself
MAX_LENGTH = 2**63 - 1  # a greater Content-Length is no length for browsers either

_CHUNK_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,32})[ \t]*(?:;.*)?\r?", re.DOTALL)


class BadFraming(ValueError):
    """The body cannot be told from what follows it."""


class Framing:
    """Base: a body that ends with the connection."""

    __slots__ = ("complete", "parts", "size", "surplus")

    delimited = False  # whether the message itself says where it ends

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0  # bytes of the body so far
        self.complete = False
        self.surplus = False  # bytes came that belong to no message

    def feed(self, data: bytes) -> None:
        """Take bytes from the wire; raises BadFraming."""
        self.parts.append(data)
        self.size += len(data)

    def finish(self) -> bool:
        """The connection has ended in order: is the message whole?"""
        return True

    def missing(self) -> int | None:
        """Bytes of the body still to come, where that is known."""
        return None


class ByLength(Framing):
    """A body of a known length."""

    __slots__ = ("length",)

    delimited = True

    def __init__(self, length: int) -> None:
        super().__init__()
        self.length = length
        self.complete = not length

    def feed(self, data: bytes) -> None:
        """Take bytes from the wire; what exceeds the length is surplus."""
        room = self.length - self.size
        if len(data) > room:
            self.surplus = True
            data = data[:room]
        if data:
            self.parts.append(data)
            self.size += len(data)
        self.complete = self.size == self.length

    def finish(self) -> bool:
        """Whole only when all bytes have come."""
        return self.complete

    def missing(self) -> int | None:
        """Bytes of the body still to come."""
        return self.length - self.size


class ByChunks(Framing):
    """A body in chunks (RFC 9112 7.1)."""

    __slots__ = ("_left", "_overhead", "_state", "_tail")

    delimited = True

    def __init__(self) -> None:
        super().__init__()
        self._tail = b""  # a line that has not ended yet
        self._left = 0  # bytes of the current chunk to come
        self._state = "size"  # size, data, end (the line end after the data), trailer
        self._overhead = 0

    def feed(self, data: bytes) -> None:
        """Take bytes from the wire; raises BadFraming."""
        if self.complete:
            self.surplus = True
            return
        data, self._tail = self._tail + data, b""
        pieces: list[bytes] = []
        position = 0
        while position < len(data) and not self.complete:
            if self._state == "data":
                piece = data[position : position + self._left]
                pieces.append(piece)
                position += len(piece)
                self._left -= len(piece)
                if not self._left:
                    self._state = "end"
                continue
            end = data.find(b"\n", position)
            if end < 0:
                self._hold(data[position:])
                break
            self._line(data[position:end])
            self._overhead += end + 1 - position
            position = end + 1
        else:
            self.surplus = position < len(data)
        if self._state == "trailer" and not self.complete and not self._tail:
            # The body is whole. Some servers never send the empty line, and nobody needs the trailers.
            self.complete = self.surplus = True
        self._collect(pieces)

    def _hold(self, tail: bytes) -> None:
        if len(tail) > MAX_LINE or (self._state == "end" and tail != b"\r"):
            raise BadFraming("a line of the chunked coding does not end")
        self._tail = tail

    def _line(self, line: bytes) -> None:
        if self._state == "size":
            found = _CHUNK_SIZE.fullmatch(line)
            if found is None:
                raise BadFraming("a chunk has no size")
            self._left = int(found[1], 16)
            self._state = "data" if self._left else "trailer"
        elif self._state == "end":
            if line not in {b"", b"\r"}:
                raise BadFraming("a chunk is longer than its size says")
            self._state = "size"
        else:
            self.complete = line in {b"", b"\r"}

    def _collect(self, pieces: list[bytes]) -> None:
        if pieces:  # joined, so that a million chunks of two bytes do not become a million objects
            piece = pieces[0] if len(pieces) == 1 else b"".join(pieces)
            self.parts.append(piece)
            self.size += len(piece)
        if self._overhead > MAX_OVERHEAD + self.size:
            raise BadFraming("the chunked coding is mostly overhead")

    def finish(self) -> bool:
        """Whole when the last chunk has come (RFC 9112 8)."""
        return self._state == "trailer"


def content_length(headers: Headers) -> int | None:
    """The length that the header declares, if any; raises BadFraming where two differ (RFC 9110 8.6)."""
    found: int | None = None
    for value in headers.values(b"content-length"):
        for item in value.split(b","):
            digits = item.strip(b" \t")
            if not digits.isdigit() or (length := int(digits[:40])) > MAX_LENGTH:
                continue
            if found is not None and found != length:
                raise BadFraming("two lengths of the body that differ")
            found = length
    return found


def tokens(headers: Headers, key: bytes) -> list[bytes]:
    """The members of a list-valued field, in lower case."""
    return [item.strip(b" \t") for value in headers.values(key) for item in value.lower().split(b",")]


def framing_of(head: Head) -> Framing:
    """The framing of an answer to a GET; raises BadFraming."""
    if head.status in {204, 304}:
        return ByLength(0)
    if head.headers.has(b"transfer-encoding"):
        transfer = tokens(head.headers, b"transfer-encoding")
        if b"chunked" in transfer:
            return ByChunks()
        if transfer != [b"identity"]:
            return Framing()
    length = content_length(head.headers)
    return Framing() if length is None else ByLength(length)


def persists(head: Head) -> bool:
    """Whether the server means to keep the connection open after this answer (RFC 9112 9.3)."""
    headers = head.headers
    options = tokens(headers, b"connection" if headers.has(b"connection") else b"proxy-connection")
    if b"close" in options:
        return False
    return bool(head.minor) or b"keep-alive" in options
