"""The links of a page as they are kept: kinds, flags, and the row of the link table.

A page link that is followed is kept as the 8 bytes of its seen key (the store knows which page that is), a
link that is not (an image, another site, a nofollow link) as its URL, since nothing else knows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum, IntFlag

import msgspec

TEXT_LIMIT = 80
"""Characters of anchor text that are kept."""


class LinkKind(IntEnum):
    """Where a link stands. The numbers are stored: never change one."""

    # page links: followed
    A = 1
    AREA = 2
    FRAME = 3
    IFRAME = 4
    REFRESH = 5  # meta refresh or Refresh header: a redirect that looks like a page
    REL = 6  # link element or header that names a page: next, prev, alternate, author, help, license, ...
    CANONICAL = 7
    HREFLANG = 8  # the page in another language
    FORM = 9  # action of a GET form, followed only with fetch.forms
    # resources: recorded, fetched only with fetch.assets
    IMG = 20
    SRCSET = 21
    SOURCE = 22
    VIDEO = 23
    AUDIO = 24
    TRACK = 25
    SCRIPT = 26
    STYLESHEET = 27  # link rel=stylesheet and @import
    CSS_URL = 28  # url() in a stylesheet, style element or style attribute
    OBJECT = 29
    EMBED = 30
    ICON = 31
    FEED = 32
    SVG = 33  # image, use and feImage
    BACKGROUND = 34
    POSTER = 35
    RESOURCE = 36  # link element or header that names another resource: manifest, preload, pingback, ...


FIRST_ASSET = LinkKind.IMG
"""Kinds from here on are resources, those below are pages."""


class LinkFlag(IntFlag):
    """What else is known of a link that was not followed."""

    NONE = 0
    NOFOLLOW = 1  # rel=nofollow, or the whole page asks for it: gives no rank


class OtherLink(msgspec.Struct, array_like=True, gc=False, frozen=True):
    """A link that is not followed from this page."""

    url: str
    kind: int
    flags: int = 0
    text: str = ""


class LinkRecord(msgspec.Struct, array_like=True, gc=False):
    """The row of a page in the link table.

    `keys` holds the key hashes of the links that are followed, 8 bytes each, `kinds` a byte and `texts` a
    string for each of them, in the same order.
    """

    keys: bytes
    kinds: bytes
    texts: list[str]
    others: list[OtherLink]
    dropped: int = 0  # links beyond the limit of a page
    canonical: str = ""

    def followed(self) -> Iterator[tuple[bytes, LinkKind, str]]:
        """Yield key hash, kind and anchor text of each link that is followed."""
        for place, (kind, text) in enumerate(zip(self.kinds, self.texts, strict=True)):
            yield self.keys[place * 8 : place * 8 + 8], LinkKind(kind), text


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(LinkRecord)


def encode_record(record: LinkRecord) -> bytes:
    """Pack a row of the link table."""
    return _encoder.encode(record)


def decode_record(data: bytes) -> LinkRecord:
    """Unpack a row of the link table; no bytes are the row of what has no links (a PDF).

    Raises:
        msgspec.DecodeError: the bytes are no such row.
    """
    return _decoder.decode(data) if data else LinkRecord(b"", b"", [], [])
