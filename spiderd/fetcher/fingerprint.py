"""A page's simhash, from its words without markup; for the shapes of URLs that traps have."""

from __future__ import annotations

import re

from spiderd.schedule.similarity import simhash

_NO_TEXT = re.compile(r"<(script|style|template)\b.*?</\1\s*>|<!--.*?-->", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
LIMIT = 256 * 1024  # characters that are looked at


def fingerprint(body: bytes) -> int:
    """The 64-bit simhash of a page; the encoding matters little, as long as it is the same each time."""
    text = body[:LIMIT].decode("utf-8", "replace")
    return simhash(_TAG.sub(" ", _NO_TEXT.sub(" ", text)).split())
