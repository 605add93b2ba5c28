"""The head of an answer: status line and header fields, from bytes.

Only the head goes to llhttp, in one piece; how the body is framed is decided and undone in `framing`. That
gives us the position where the head ends (httptools does not tell), lets the body pass without a callback a
piece, and keeps every leniency in our hands. What llhttp refuses although browsers read it comes here to
`lenient`. Measured on httptools 0.9 with every leniency flag it has:

    refused: two equal Content-Length, "5, 5", a line without a colon, a blank or UTF-8 in a name, an empty
      name, a line that starts with a blank, two blanks after the version, HTTP/2 and HTTP/1.10 in the
      status line, ICY, text or junk before the status line, a Content-Length with a sign, unit or overflow
    read, but wrongly: "Name : v" keeps the blank in the name; identity with Content-Length waits for the
      end of the connection; LF line ends in chunks never end the message

So llhttp runs without flags, as the quick path for what is well-formed (nearly everything).
"""

from __future__ import annotations

import re
from typing import NamedTuple

import httptools

from spiderd.fetch.headers import Headers, Pairs

HEAD_END = re.compile(rb"\n\r{0,2}\n")  # CRLF CRLF, and what is taken for it (RFC 9112 2.2)

# Browsers allow a few bytes of junk before the status line, any version, and SHOUTcast's ICY.
_STATUS_LINE = re.compile(rb"(?s:.{0,4}?)(?i:HTTP/(\d{1,4})(?:\.(\d{1,4}))?|ICY)[ \t]+(\d{3})(?!\d)")
_TOKEN = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")  # RFC 9110 5.6.2
_START = re.compile(rb"(?s:.{0,4}?)(?i:HTTP/|ICY )")


class BadHead(ValueError):
    """This is not the head of an HTTP answer."""


class Head(NamedTuple):
    """A parsed head."""

    status: int
    minor: int  # of HTTP/1.x; 0 where the connection does not persist by itself
    headers: Headers


class _Fields:
    __slots__ = ("pairs",)

    def __init__(self) -> None:
        self.pairs: Pairs = []

    def on_header(self, name: bytes, value: bytes) -> None:
        self.pairs.append((name, value))


def looks_wrong(data: bytes, *, ended: bool = False) -> bool:
    """Whether these first bytes of an answer cannot become a status line; `ended`: no more will come."""
    if ended:
        return _START.match(data) is None and not b"HTTP/".startswith(data.upper())
    return len(data) >= 12 and _START.match(data) is None


def parse_head(data: bytes) -> Head:
    """Parse a complete head, the empty line included; raises BadHead."""
    fields = _Fields()
    parser = httptools.HttpResponseParser(fields)
    try:
        parser.feed_data(data)
    except (httptools.HttpParserError, httptools.HttpParserUpgrade):
        return lenient(data)
    version = parser.get_http_version()
    if version not in {"1.1", "1.0"} or parser.get_status_code() < 100 or not data.startswith(b"HTTP"):
        return lenient(data)  # llhttp also reads RTSP
    return Head(parser.get_status_code(), 1 if version == "1.1" else 0, Headers(fields.pairs))


def lenient(data: bytes) -> Head:
    """Parse a head as browsers do: skips lines that are no fields, joins folded ones; raises BadHead."""
    start = _STATUS_LINE.match(data)
    if start is None or int(start[3]) < 100:
        raise BadHead("the answer does not begin with an HTTP status line")
    pairs: Pairs = []
    for line in data[start.end() :].split(b"\n")[1:]:
        stripped = line.strip(b" \t\r")
        if line[:1] in {b" ", b"\t"}:
            if pairs and stripped:  # obs-fold, RFC 9112 5.2
                pairs[-1] = (pairs[-1][0], pairs[-1][1] + b" " + stripped)
            continue
        name, colon, value = stripped.partition(b":")
        name = name.rstrip(b" \t")
        if colon and _TOKEN.fullmatch(name) and b"\0" not in value:
            pairs.append((name, value.strip(b" \t")))
    major, minor = int(start[1] or 1), int(start[2] or 0)
    return Head(int(start[3]), 1 if (major, minor) >= (1, 1) else 0, Headers(pairs))
