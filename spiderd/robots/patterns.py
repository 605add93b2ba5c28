"""The paths of robots.txt rules: how they are written the same way as a URL's path, and how they match it.

RFC 9309 2.2.2 compares octets after percent-encoding has been made alike. Two readings of a path are kept,
and a rule matches where any reading of it matches any reading of the URL:

- the *plain* one: escapes of unreserved characters are undone, other escapes get upper-case digits, and
  what may not stand in a URI (blanks, controls, everything beyond ASCII) is escaped;
- the *loose* one: escapes of reserved characters that may as well stand there unescaped are undone, too,
  so that the RFC's own example, `?baz=https://foo.bar` and `?baz=https%3A%2F%2Ffoo.bar`, is one path. An
  escaped slash in the path, and an escaped `&`, `=` or `+` in the query, mean something else than the bare
  character and stay as they are.

For nearly every path both are the same string, which costs one scan by a regular expression.

A pattern is cut at its `*` into literal pieces. The pieces are looked for from left to right, each from
where the last one ended: taking the first place for each is always right, because a piece found earlier
leaves more room for the rest. So a match reads the path once, whatever the pattern (no backtracking), and
`str.find` itself is linear in CPython since 3.10.
"""

from __future__ import annotations

import re

_UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
_LOOSE_PATH = frozenset(_UNRESERVED + "!$&'()*+,;=:@")  # pchar, RFC 3986 3.3
_LOOSE_QUERY = frozenset(_UNRESERVED + "!$'()*,:@/?")  # RFC 3986 3.4 without what separates parameters
_PLAIN = frozenset(_UNRESERVED)

_AS_IT_IS = re.compile(r"[A-Za-z0-9\-._~!$&'()*+,;=:@/?]*").fullmatch
_ODD = re.compile(rb"%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?\[\]]")  # "#" never comes this far


def _normal(part: str, kept: frozenset[str]) -> str:
    """Rewrite the escapes of `part`; those of characters in `kept` are undone."""
    if _AS_IT_IS(part):
        return part

    def rewrite(match: re.Match[bytes]) -> bytes:
        found = match[0]
        if len(found) == 1:
            return b"%%%02X" % found[0]
        byte = int(found[1:], 16)
        return bytes((byte,)) if chr(byte) in kept else found.upper()

    # A lone surrogate is no character at all: it can only come from a caller's mistake, and must not raise.
    return _ODD.sub(rewrite, part.encode("utf-8", "surrogatepass")).decode("ascii")


def _loose(plain: str, *, in_query: bool) -> str:
    if in_query:
        return _normal(plain, _LOOSE_QUERY)
    head, mark, query = plain.partition("?")
    return _normal(head, _LOOSE_PATH) + mark + _normal(query, _LOOSE_QUERY)


def readings(path: str) -> tuple[str, ...]:
    """Return the plain reading of a path with query, and the loose one where it differs."""
    if _AS_IT_IS(path):
        return (path,)
    plain = _normal(path, _PLAIN)
    if "%" not in plain:
        return (plain,)
    loose = _loose(plain, in_query=False)
    return (plain,) if loose == plain else (plain, loose)


class Pattern:
    """One reading of the path of a rule that has `*` or a final `$`."""

    __slots__ = ("anchored", "first", "last", "middle", "probe")

    def __init__(self, pieces: list[str], *, anchored: bool) -> None:
        self.first = pieces[0]  # must begin the path
        self.middle = [piece for piece in pieces[1:-1] if piece]
        self.last = pieces[-1] if len(pieces) > 1 else None  # None: there is no `*`
        self.anchored = anchored
        self.probe = max(pieces, key=len)  # stands in every path that matches

    def matches(self, path: str) -> bool:
        """Tell whether the pattern matches the beginning of `path`, or all of it where it ends in `$`."""
        if not path.startswith(self.first):
            return False
        if self.last is None:
            return not self.anchored or len(path) == len(self.first)
        at = len(self.first)
        for piece in self.middle:
            at = path.find(piece, at)
            if at < 0:
                return False
            at += len(piece)
        if self.anchored:
            return len(path) - len(self.last) >= at and path.endswith(self.last)
        return path.find(self.last, at) >= 0


def compiled(value: str) -> tuple[int, list[str | Pattern]]:
    """Make the readings of a rule's path ready for matching.

    Args:
        value: the path as it stands in robots.txt, with `*` and `$`.

    Returns:
        The octets of the plain reading, by which the most specific rule is chosen, and one string (a literal
        prefix) or `Pattern` for each reading.
    """
    anchored = value.endswith("$")
    plain = [_normal(piece, _PLAIN) for piece in (value[:-1] if anchored else value).split("*")]
    size = sum(map(len, plain)) + len(plain) - 1 + anchored
    both = [plain]
    if "%" in value:
        loose, in_query = [], False
        for piece in plain:
            loose.append(_loose(piece, in_query=in_query))
            in_query = in_query or "?" in piece
        if loose != plain:
            both.append(loose)
    return size, [_matcher(pieces, anchored=anchored) for pieces in both]


def _matcher(pieces: list[str], *, anchored: bool) -> str | Pattern:
    return Pattern(pieces, anchored=anchored) if anchored or len(pieces) > 1 else pieces[0]
