"""Links that stand in headers, and the refresh that both a header and a meta element may hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

MAX_REFRESH_DELAY = 100.0
"""A page that goes elsewhere only after this many seconds is a page, not a redirect."""

_BLANK = "[ \t\n\f\r]*+"
# HTML, "shared declarative refresh steps": time, separator, and a URL which may have "url=" before it and
# quotes around it; after a closing quote anything may follow.
_REFRESH = re.compile(
    rf"{_BLANK}(?:([0-9]+)[0-9.]*|\.[0-9.]*)(?:{_BLANK}$|(?:{_BLANK}[;,]|[ \t\n\f\r]){_BLANK}(.*))",
    re.DOTALL,
)
_URL_SIGN = re.compile(rf"url{_BLANK}={_BLANK}", re.IGNORECASE)

# RFC 8288 3: <target>; name=value; name="value", the next link after a comma
_LINK = re.compile(r'<([^>]*)>((?:[^,"]|"(?:[^"\\]|\\.)*+")*+)', re.DOTALL)
_PARAMETER = re.compile(
    r';\s*([\w!#$&+^`|~.-]+)\*?\s*(?:=\s*(?:"((?:[^"\\]|\\.)*+)"|([^\s;,"]*)))?', re.DOTALL
)
_QUOTED_PAIR = re.compile(r"\\(.)", re.DOTALL)


class Refresh(NamedTuple):
    """Where a page goes by itself, and after how many seconds."""

    delay: float
    url: str  # as it is written; "" means the page itself


class HeaderLink(NamedTuple):
    """One link of a `Link` header."""

    url: str
    rel: str
    parameters: dict[str, str]


def parse_refresh(value: str) -> Refresh | None:
    """Read the content of a meta refresh or a `Refresh` header; None where it is none.

    The seconds are capped at a billion, so that no number of digits hurts.
    """
    found = _REFRESH.match(value)
    if not found:
        return None
    target = found[2] or ""
    sign = _URL_SIGN.match(target)
    if sign:
        target = target[sign.end() :]
    if target[:1] in ("'", '"'):
        target = target[1:].partition(target[0])[0]
    return Refresh(float((found[1] or "0")[:9]), target.strip(" \t\n\f\r"))


def parse_link_header(value: str) -> Iterator[HeaderLink]:
    """Read a `Link` header (RFC 8288); what has no `rel` is no link."""
    for target, rest in _LINK.findall(value):
        parameters: dict[str, str] = {}
        for name, quoted, token in _PARAMETER.findall(rest):
            parameters.setdefault(name.lower(), _QUOTED_PAIR.sub(r"\1", quoted) if quoted else token)
        if parameters.get("rel"):
            yield HeaderLink(target.strip(), parameters["rel"], parameters)
