"""The times in sitemaps and feeds: W3C date and time (a profile of ISO 8601), RFC 822 in RSS."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_W3C = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*([Zz]|[+-]\d\d:?\d\d)?)?)?)?",
    re.ASCII,
)


def lastmod_time(text: str) -> float | None:
    """Return the unix time that a lastmod means, None where it is none; without a zone it is read as UTC."""
    text = text.strip()
    found = _W3C.fullmatch(text)
    try:
        if not found:
            moment = parsedate_to_datetime(text)
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        year, month, day, hour, minute, second = (
            int(part or default) for part, default in zip(found.groups()[:6], (0, 1, 1, 0, 0, 0), strict=True)
        )
        seconds = datetime(year, month, day, hour, minute, min(second, 59), tzinfo=UTC).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return seconds - _offset(found[7] or "Z")


def _offset(zone: str) -> float:
    if zone in "Zz":
        return 0.0
    digits = zone[1:].replace(":", "")
    seconds = int(digits[:2]) * 3600.0 + int(digits[2:]) * 60.0
    return -seconds if zone[0] == "-" else seconds
