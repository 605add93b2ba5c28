"""Undoing gzip around a sitemap, bounded.

The name and the declared type say little: `.gz` files are served plain, plain names are served packed, and
a content coding may have been put around a packed file. So it goes by the magic bytes, layer by layer.

Input is fed in small slices: what a slice gives is kept even if the next one is damaged, and the rest of a
slice in which a member ends is all that is copied (a file of 500,000 empty members costs no more than one).
"""

from __future__ import annotations

import zlib

MAX_BYTES = 50 * 1024 * 1024
"""Bytes of a sitemap, unpacked (sitemaps.org: 50 MB)."""
MAX_LAYERS = 3

_GZIP = b"\x1f\x8b\x08"
_SLICE = 512


def unpacked(body: bytes) -> tuple[bytes, list[str]]:
    """Return the body without gzip layers, and what was wrong with it.

    A layer that breaks off or is damaged gives what came before the damage; more than `MAX_BYTES` are cut.
    """
    problems: list[str] = []
    for _ in range(MAX_LAYERS):
        if not body.startswith(_GZIP):
            break
        body, problem = _layer(body)
        if problem:
            problems.append(problem)
    if len(body) > MAX_BYTES:
        problems.append("bigger than 50 MiB: the rest is left out")
        body = body[:MAX_BYTES]
    return body, problems


def _layer(body: bytes) -> tuple[bytes, str]:
    """Undo one layer; returns at most one byte more than `MAX_BYTES`, and what was wrong."""
    parts: list[bytes] = []
    room = MAX_BYTES + 1
    at = 0
    member = zlib.decompressobj(wbits=31)
    while at < len(body) and room > 0:
        if member.eof:
            if not body.startswith(_GZIP, at):
                return b"".join(parts), ""  # padding
            member = zlib.decompressobj(wbits=31)
        piece = body[at : at + _SLICE]
        try:
            part = member.decompress(piece, room)
        except zlib.error:
            return b"".join(parts), "the gzip data are damaged"
        at += len(piece) - len(member.unused_data)
        parts.append(part)
        room -= len(part)
    return b"".join(parts), "" if member.eof or room <= 0 else "the gzip data break off"
