"""In which encoding a page is written: who says so, and whether it is true.

The order of the HTML Standard: byte order mark, header, meta prescan (or XML declaration), and only for pages
that declare nothing a guess: UTF-8 where the bytes are valid UTF-8, else `spiderd.parse.detect`.

A declaration that is wrong is worse than none. What decodes badly, or is plainly UTF-8 under another name, is
decoded as the guess says, and the page is marked as lying (our policy, not the standard's: browsers show
garbage and wait for the author to notice; nobody looks at a crawler's copy).
"""

from __future__ import annotations

import codecs
from typing import Literal, NamedTuple

from spiderd.parse.detect import Guess, detect, disguised
from spiderd.parse.labels import decode
from spiderd.parse.prescan import declared_in_header, declared_in_page, declared_in_xml

Source = Literal["", "bom", "header", "meta", "utf-8", "detected"]

LIE_COUNT = 3  # more undecodable places than this,
LIE_SHARE = 0.1  # and more than this share of what is not ASCII, is no slip but a lie
UTF8_COUNT = (
    16  # valid sequences of UTF-8 in a page that declares a single-byte encoding: no chance does that
)

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16le"), (codecs.BOM_UTF16_BE, "utf-16be"))
_MULTI_BYTE = frozenset({"gbk", "gb18030", "big5", "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr"})
_WIDE = frozenset({"utf-16le", "utf-16be"})


class Decoded(NamedTuple):
    """A decoded page."""

    html: bytes  # UTF-8 without a BOM
    text: str | None  # the same as text, where it is at hand
    charset: str  # name in the Encoding Standard, lower case
    source: Source  # who decided; "utf-8": nobody declared anything, and the bytes are UTF-8
    lie: bool = False  # the declaration was wrong
    confidence: float = 1.0  # of a guess; below 1 only where the source is "detected"


def decode_page(body: bytes, content_type: str, *, xml: bool = False) -> Decoded:
    """Decode a page.

    Args:
        body: As it was received, content coding undone.
        content_type: The header.
        xml: Whether it is XML by its type, where meta elements say nothing.
    """
    for mark, name in _BOMS:
        if body.startswith(mark):
            return _as(body[len(mark) :], name, "bom")
    declared, source = _declared(body, content_type, xml=xml)
    if not declared and (guess := disguised(body)):
        return _detected(body, guess, lie=False)
    if declared == "utf-8" or not declared:
        if (valid := _valid_utf8(body)) is not None:
            return Decoded(body, valid, "utf-8", source or "utf-8")
        if not declared:
            return _detected(body, detect(body), lie=False)
    text, bad = decode(body, declared)
    if _is_lie(body, declared, bad):
        certain = declared != "utf-8" and _valid_utf8(body) is not None
        guess = Guess("utf-8", 1.0) if certain else detect(body)
        if guess.charset != declared:
            return _detected(body, guess, lie=True)
    return Decoded(_utf8(text), text, declared, source)


def _declared(body: bytes, content_type: str, *, xml: bool) -> tuple[str, Source]:
    if name := declared_in_header(content_type):
        return name, "header"
    if name := (declared_in_xml(body) if xml else "") or declared_in_page(body):
        return name, "meta"
    return "", ""


def _valid_utf8(body: bytes) -> str | None:
    """Return the text, None where it is no UTF-8; a last character that was cut in two is forgiven."""
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data" or body[: error.start].isascii():
            return None
        return body[: error.start].decode()


def _is_lie(body: bytes, declared: str, bad: int) -> bool:
    if declared == "replacement":
        return False
    if bad > LIE_COUNT and bad > LIE_SHARE * _not_ascii(body, declared):
        return True
    if declared == "utf-8":
        return False
    text = _valid_utf8(body)
    if text is None:
        return False
    if declared in _WIDE:  # their markup has zeros
        return len(body) > UTF8_COUNT and b"\0" not in body[:1024]
    return len(body) - len(text) > UTF8_COUNT


def _not_ascii(body: bytes, declared: str) -> float:
    """Estimate how many characters beyond ASCII the body holds."""
    high = len(body) - len(body.translate(None, bytes(range(128, 256))))
    if declared in _WIDE:
        return len(body) / 2
    return high / 2 if declared in _MULTI_BYTE else high


def _as(body: bytes, name: str, source: Source) -> Decoded:
    text, _ = decode(body, name)
    return Decoded(_utf8(text), text, name, source)


def _detected(body: bytes, guess: Guess, *, lie: bool) -> Decoded:
    return _as(body, guess.charset, "detected")._replace(lie=lie, confidence=guess.confidence)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")
