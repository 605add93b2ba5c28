"""The rows of the store, and the one codec that writes them.

Rows are msgpack arrays: a field may be added at the end with a default, never moved or removed without a new
schema version. Times are unix seconds, sizes bytes.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec
from msgspec import Struct

from spiderd.messages import LeaseKind
from spiderd.states import Failure, OutcomeKind

T = TypeVar("T", bound=Struct)

HOST_ID_BYTES = 4
RANK_BYTES = 8
FRONTIER_KEY_BYTES = HOST_ID_BYTES + RANK_BYTES


class Row(Struct, array_like=True, gc=False):
    """Base of all rows."""


class WaitingUrl(Row):
    """A URL in the frontier: waiting, or leased (its row goes only when its outcome is committed)."""

    url: str
    hash: bytes  # of the seen key
    depth: int = 0
    hops: int = 0  # redirects that led here
    tries: int = 0  # that ended in a failure
    referrer: int = 0  # page number; 0 = a seed
    inlinks: int = 1  # known links to it (kept up to date in best-first order only)
    sequence: int = 0  # when it came in, as a part of its rank
    kind: LeaseKind = "page"
    lastmod: str = ""  # that a sitemap gave
    cookie: bool = False  # a redirect on the way here has set a cookie
    changefreq: str = ""  # that a sitemap gave


class PageRecord(Row):
    """What is known of a URL that has been asked for."""

    url: str
    kind: OutcomeKind
    status: int
    failure: Failure
    fetched_at: float
    depth: int = 0
    referrer: int = 0
    directory: int = 0
    number: int = 0  # resource in the directory; 0 where nothing was stored
    size: int = 0
    truncated: bool = False
    digest: bytes = b""
    content_type: str = ""
    charset: str = ""
    etag: str = ""
    last_modified: str = ""
    title: str = ""
    location: str = ""  # of a redirect
    address: str = ""
    elapsed: float = 0.0
    tries: int = 0
    charset_source: str = ""
    charset_lie: bool = False
    lang: str = ""
    canonical: str = ""
    noindex: bool = False
    lastmod: str = ""
    change: int = 0  # place of this version in the table `changes`
    charset_confidence: float = 1.0  # below 1 where the encoding was detected
    simhash: int = 0  # of the words (see spiderd.schedule.similarity); 0 where none was made


class ErrorRecord(Row):
    """A URL in the error queue; its page record says the rest."""

    hash: bytes
    tries: int
    detail: str
    hops: int = 0


class HostRecord(Row):
    """Tallies of one host queue."""

    key: str
    waiting: int = 0  # rows in the frontier and in `delayed`
    complete: int = 0
    error: int = 0
    pages: int = 0
    bytes: int = 0
    directories: int = 0  # rows in the table `tree`


class DirectoryRecord(Row):
    """One download directory."""

    worker: int
    count: int = 0  # resources committed
    bytes: int = 0
    index_bytes: int = 0  # length of index.txt that is committed
    open: bool = True
    records_bytes: int = 0  # length of the records that is committed


_encoder = msgspec.msgpack.Encoder()
_decoders: dict[type[Struct], msgspec.msgpack.Decoder[Struct]] = {}
encode = _encoder.encode


def decode(kind: type[T], data: bytes) -> T:
    """Read one row.

    Raises:
        msgspec.DecodeError: the bytes are not a row of that kind.
    """
    decoder = _decoders.get(kind)
    if decoder is None:
        decoder = _decoders[kind] = msgspec.msgpack.Decoder(kind)
    return decoder.decode(data)  # type: ignore[return-value]  # the table above pairs kind and decoder


def number_key(number: int) -> bytes:
    """Key of a numbered row: 8 bytes, big-endian."""
    return number.to_bytes(8, "big")


def host_key_bytes(host: int) -> bytes:
    """A host id as the first part of a frontier key."""
    return host.to_bytes(HOST_ID_BYTES, "big")


def host_of(frontier_key: bytes) -> int:
    """The host id in a frontier key."""
    return int.from_bytes(frontier_key[:HOST_ID_BYTES], "big")


def due_of(key: bytes) -> float:
    """The unix time in a key of `delayed`."""
    return int.from_bytes(key[:8], "big") / 1000


def due_key(at: float, frontier_key: bytes) -> bytes:
    """Key in `delayed`: milliseconds, then the frontier key the URL had."""
    return max(0, int(at * 1000)).to_bytes(8, "big") + frontier_key
