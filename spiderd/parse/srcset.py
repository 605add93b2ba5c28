"""The candidates of a `srcset` attribute (HTML, "parse a srcset attribute")."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Blanks and commas, then a URL; it may hold commas, but not end in one. Then descriptors up to a comma that
# stands outside of parentheses.
_CANDIDATE = re.compile(r"[\s,]*+([^\s]++)")
_DESCRIPTORS = re.compile(r"(?:[^,(]|\([^)]*+(?:\)|$))*+")


def parse_srcset(value: str) -> Iterator[str]:
    """Yield the URLs of a srcset, descriptors left out."""
    position = 0
    while found := _CANDIDATE.match(value, position):
        url = found[1].rstrip(",")
        position = found.end()
        if url == found[1]:  # else the comma has ended the candidate
            rest = _DESCRIPTORS.match(value, position)
            position = rest.end() if rest else position
        if url:
            yield url
