"""What pages are compared by where traps may be. Time is linear in a page whatever is in it."""

from __future__ import annotations

import hashlib
import re

from spiderd.schedule.similarity import simhash

LIMIT = 256 * 1024  # bytes that are looked at

# Each of these takes all that it looks at: what is never closed goes to the end, and is not tried again.
NO_TEXT = re.compile(
    r"<(?:!--(?:[^-]++|-(?!->))*+(?:-->|\Z)"
    r"|(script|style|template)(?=[\s/>])(?:[^<]++|<(?!/\1))*+(?:</\1[^>]*+>?|\Z)"
    r"|[^>]*+(?:>|\Z))",
    re.IGNORECASE,
)
# In the cases that pages are written in: for these words as they stand a page is searched in no time.
_TARGETS = {
    name: re.compile(name + rb"""\s*+=\s*+(?:"[^"]*+"?|'[^']*+'?|[^\s>"']++)""")
    for name in (b"href", b"HREF", b"action", b"ACTION")
}


def fingerprint(body: bytes) -> int:
    """The 64-bit simhash of a page's words; the encoding matters little, if it is the same each time."""
    text = body[:LIMIT].decode("utf-8", "replace")
    return simhash(NO_TEXT.sub(" ", text).split())


def likeness(body: bytes) -> bytes:
    """A hash of 8 bytes of all but the targets of the links: what differs in nothing else is one page."""
    rest = body[:LIMIT]
    for name, target in _TARGETS.items():
        if name in rest:
            rest = target.sub(b"", rest)
    return hashlib.blake2b(rest, digest_size=8).digest()
