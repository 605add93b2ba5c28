"""What a page says about its own encoding: header parameter, meta elements, XML declaration.

The HTML Standard, "prescan a byte stream to determine its encoding": only the first 1,024 bytes count, only
ASCII bytes matter, comments and other tags are skipped as a tokenizer would skip them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spiderd.parse.labels import encoding_name

PRESCAN = 1024

_PARAMETER = re.compile(r"""charset\s*=\s*["']?\s*([^\s"';,]+)""", re.IGNORECASE)

# Each alternative is one step of the standard's loop. A tag that the 1,024 bytes cut in two is no tag.
_STEP = re.compile(
    rb"<!--.*?-->|<!-->"
    rb"|<(?P<meta>meta)(?=[\t\n\f\r /])"
    rb"|<(?P<tag>/?[A-Za-z][^\t\n\f\r >]*)"
    rb"|<[!/?][^>]*>?",
    re.IGNORECASE | re.DOTALL,
)
_ATTRIBUTE = re.compile(
    rb"[\t\n\f\r /]*+(?:(>)|([^\t\n\f\r />][^\t\n\f\r />=]*+)"
    rb"(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:\"([^\"]*)\"|'([^']*)'|([^\t\n\f\r >\"'][^\t\n\f\r >]*+)|(?=>)))?)"
)
_IN_CONTENT = re.compile(
    rb"charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:\"([^\"]*)\"|'([^']*)'|([^\t\n\f\r ;\"'][^\t\n\f\r ;]*))",
    re.IGNORECASE,
)
_XML = re.compile(rb"<\?xml[^>]*?encoding[\t\n\r ]*=[\t\n\r ]*(?:\"([^\"<>]*)\"|'([^'<>]*)')")


def declared_in_header(content_type: str) -> str:
    """Return the encoding that a Content-Type header names, "" where it names none that exists."""
    found = _PARAMETER.search(content_type)
    return encoding_name(found[1]) if found else ""


def declared_in_page(body: bytes) -> str:
    """Return the encoding that the first bytes of a page name, "" where they name none that exists."""
    head = body[:PRESCAN]
    folded = head.lower()
    if b"charset" in folded:
        for name in _in_meta(head):
            return name
    if folded.startswith(b"<?x"):
        return declared_in_xml(head)
    return ""


def declared_in_xml(body: bytes) -> str:
    """Return the encoding that an XML declaration names, "" where there is none."""
    found = _XML.match(body[:PRESCAN])
    return _no_utf16(encoding_name((found[1] or found[2] or b"").decode("latin-1"))) if found else ""


def _in_meta(head: bytes) -> Iterator[str]:
    position = 0
    while step := _STEP.search(head, position):
        position = step.end()
        if not (step["meta"] or step["tag"]):
            continue
        attributes, position = _attributes(head, position)
        if step["meta"] and (name := _of_meta(attributes)):
            yield name


def _attributes(head: bytes, position: int) -> tuple[dict[bytes, bytes], int]:
    """Read the attributes of a tag; none where the tag does not end within the bytes looked at."""
    attributes: dict[bytes, bytes] = {}
    while found := _ATTRIBUTE.match(head, position):
        position = found.end()
        if found[1]:
            return attributes, position
        value = found[3] or found[4] or found[5] or b""
        attributes.setdefault(found[2].lower(), value.lower())
    return {}, max(position, len(head))


def _of_meta(attributes: dict[bytes, bytes]) -> str:
    label = attributes.get(b"charset")
    if label is None and attributes.get(b"http-equiv") == b"content-type":
        found = _IN_CONTENT.search(attributes.get(b"content", b""))
        label = (found[1] or found[2] or found[3]) if found else None
    return _no_utf16(encoding_name(label.decode("latin-1"))) if label else ""


def _no_utf16(name: str) -> str:
    """Who can read this declaration byte by byte is not reading UTF-16 (HTML Standard)."""
    if name in ("utf-16le", "utf-16be"):
        return "utf-8"
    return "windows-1252" if name == "x-user-defined" else name
