r"""What a stylesheet refers to: `@import` and `url()` (CSS Syntax Level 3, tokenization).

Not a parser, only the part of the tokenizer that tells references from comments, strings and names: one
expression, tried at each character that can begin one of them, and each takes all that it begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_STRING = r""""(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?"""
_ESCAPED = r"\\(?:[0-9A-Fa-f]{1,6}(?:\r\n|[ \t\r\n\f])?|[^\n\r\f0-9A-Fa-f])"
_TOKEN = re.compile(
    rf"""
    /\*.*?(?:\*/|\Z)                                          # a comment, perhaps without end
    | (?P<import>@import) \s*+ (?P<imported>{_STRING})
    | (?P<at>@import) (?![\w-])                               # what follows is a url()
    | (?<![\w-]) url\( \s*+
      (?: (?P<string>{_STRING}) | (?P<plain> (?:[^\s"'()\\] | {_ESCAPED})*+ ) ) \s*+ (?:\)|\Z)
    | {_STRING}
    """,
    re.DOTALL | re.IGNORECASE | re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(?:([0-9A-Fa-f]{1,6})(?:\r\n|[ \t\r\n\f])?|(\r\n|[\n\r\f])|(.))", re.DOTALL)


def parse_css(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the references of a stylesheet, and for each whether it is imported (a stylesheet itself)."""
    after_at = False
    for found in _TOKEN.finditer(text):
        imported = found["imported"]
        reference = imported or found["string"] or found["plain"]
        if found["at"]:
            after_at = True
            continue
        if reference and (url := _unescape(_without_quotes(reference))):
            yield url, after_at or imported is not None
        after_at = after_at and found[0].startswith("/*")


def _without_quotes(text: str) -> str:
    if text[0] in "\"'":
        return text[1:-1] if len(text) > 1 and text[-1] == text[0] else text[1:]
    return text


def _unescape(text: str) -> str:
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(escape: re.Match[str]) -> str:
    if escape[1]:
        point = int(escape[1], 16)
        return chr(point) if 0 < point < 0x110000 and not 0xD800 <= point < 0xE000 else "\ufffd"
    return escape[3] or ""
