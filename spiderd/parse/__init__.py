"""Pages: which encoding, which links, which title. Hostile input all of it; nothing in it can do harm."""

from __future__ import annotations

from spiderd.parse.links import LinkFlag, LinkKind, LinkRecord, OtherLink, decode_record, encode_record
from spiderd.parse.page import ParsedPage, parse_page
from spiderd.parse.refresh import parse_link_header, parse_refresh

__all__ = [
    "LinkFlag",
    "LinkKind",
    "LinkRecord",
    "OtherLink",
    "ParsedPage",
    "decode_record",
    "encode_record",
    "parse_link_header",
    "parse_page",
    "parse_refresh",
]
