"""Undoing gzip around a sitemap, bounded.

The name and the declared type say little: `.gz` files are served plain, plain names are served packed, and
a content coding may have been put around a packed file. So it goes by the magic bytes, layer by layer.
"""

from __future__ import annotations

import zlib

MAX_BYTES = 50 * 1024 * 1024
"""Bytes of a sitemap, unpacked (sitemaps.org: 50 MB)."""
MAX_LAYERS = 3

_GZIP = b"\x1f\x8b\x08"


def unpacked(body: bytes) -> tuple[bytes, list[str]]:
    """Return the body without gzip layers, and what was wrong with it.

    A layer that breaks off or is damaged gives what came before the damage; more than `MAX_BYTES` are cut.
    """
    problems: list[str] = []
    for _ in range(MAX_LAYERS):
        if not body.startswith(_GZIP):
            break
        body = _layer(body, problems)
    if len(body) > MAX_BYTES:
        problems.append("bigger than 50 MiB: the rest is left out")
        body = body[:MAX_BYTES]
    return body, problems


def _layer(body: bytes, problems: list[str]) -> bytes:
    parts: list[bytes] = []
    room = MAX_BYTES + 1
    while (
        body.startswith(_GZIP) and room > 0
    ):  # a file may have several members; what else follows is padding
        member = zlib.decompressobj(wbits=31)
        try:
            part = member.decompress(body, room)
        except zlib.error:
            # The data before the fault came out of no call: take them in small steps.
            part = _until_fault(body, room)
            problems.append("the gzip data are damaged")
            parts.append(part)
            break
        parts.append(part)
        room -= len(part)
        if not member.eof:
            if room > 0:
                problems.append("the gzip data break off")
            break
        body = member.unused_data
    return b"".join(parts)


def _until_fault(body: bytes, room: int) -> bytes:
    member = zlib.decompressobj(wbits=31)
    parts: list[bytes] = []
    view = memoryview(body)
    try:
        for start in range(0, len(view), 1024):
            part = member.decompress(view[start : start + 1024], room)
            parts.append(part)
            room -= len(part)
            if room <= 0 or member.eof:
                break
    except zlib.error:
        pass
    return b"".join(parts)
