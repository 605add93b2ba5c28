"""From a reference on a page, or a line typed by a person, to the URL that is fetched.

One resolver for the whole program: the URL Standard (WHATWG) as ada implements it. What browsers read is
what pages are written for: backslashes are slashes, blanks around and line ends inside are dropped,
`%2e%2e` is a dot segment, host names become ASCII (UTS 46, non-transitional), numbers in strange bases
become dotted addresses.

The *fetch URL* is absolute, http or https, serialised by the standard, without fragment and without user
name and password (RFC 9110 4.2.4 asks not to follow those, and a secret has no place in logs and exports).
A malformed escape stays as it is, byte for byte.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

import ada_url

from spiderd.urls.query import encode_query

MAX_REFERENCE = 65_536
"""References longer than this are not even parsed (characters); `urls.max_length` is the limit users set."""

_BLANKS = "".join(map(chr, range(0x21)))  # C0 controls and space: trimmed by the URL Standard
_LINE_ENDS = str.maketrans("", "", "\t\n\r")  # dropped wherever they stand
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_HOST_AND_PORT = re.compile(r"(?!(?:javascript|tel|sms|data|mailto):)[^/?#@:\\]+:\d{1,5}(?:[/?#\\]|$)")
_HTTP = ("http://", "https://")
_UTF8 = frozenset({"utf-8", "utf8", "", "utf-16le", "utf-16be", "replacement"})  # their links speak UTF-8


def resolve(base: str, href: str, encoding: str = "utf-8") -> str | None:
    """Return the fetch URL that a reference stands for, or None where there is none.

    Args:
        base: An absolute URL: the page's, or that of its `base` element.
        href: The reference as the attribute has it, entities already decoded.
        encoding: The page's encoding by its name in the Encoding Standard; a query is written in it, a
            path always in UTF-8.

    Returns:
        The fetch URL; None where the reference is broken or not http(s): `refusal` tells which.
    """
    if len(href) > MAX_REFERENCE:
        return None
    href = href.partition("#")[0]
    if not href.isascii() and encoding not in _UTF8:
        href = encode_query(href.strip(_BLANKS).translate(_LINE_ENDS), encoding)
    try:
        url = ada_url.join_url(base, href)
    except ValueError:
        return None
    if not url.startswith(_HTTP):
        return None
    return _strip(url) if "@" in url or "#" in url else url


def refusal(href: str) -> str:
    """Say in a word why `resolve` gave None: the scheme ("mailto"), "length", or "bad url".

    The word is meant for counters, so its length is bounded.
    """
    head = href[:256].strip(_BLANKS).translate(_LINE_ENDS)
    found = _SCHEME.match(head)
    if found:
        scheme = found[0][:-1].lower()
        if scheme not in ("http", "https"):
            return scheme[:20]
    return "length" if len(href) > MAX_REFERENCE else "bad url"


def normalize(text: str) -> str | None:
    """Return the fetch URL of what a person typed: a seed, an argument of `spiderd add`.

    Without a scheme, `http://` is meant, as in wget: `example.org`, `example.org:8080/x` and
    `//example.org` are taken; a server that prefers https says so by a redirect.

    Returns:
        The fetch URL; None for what is no http(s) URL.
    """
    try:
        url = ada_url.normalize_url(_with_scheme(text))
    except ValueError:
        return None
    return _strip(url) if url.startswith(_HTTP) else None


def credentials(text: str) -> tuple[str, str] | None:
    """Return user name and password that a seed carries, decoded; None where it has none.

    `normalize` drops them, so that they never reach a log: whoever keeps them must take them from here.
    """
    try:
        parts = ada_url.parse_url(_with_scheme(text), ("username", "password"))
    except ValueError:
        return None
    if not (parts["username"] or parts["password"]):
        return None
    return unquote(parts["username"]), unquote(parts["password"])


def _with_scheme(text: str) -> str:
    text = text.strip(_BLANKS).translate(_LINE_ENDS)
    if text.startswith(("//", "\\\\", "/\\", "\\/")):
        return "http:" + text
    if not _SCHEME.match(text) or _HOST_AND_PORT.match(text):
        # "example.org:8080" has the form of a scheme, but nobody means one
        return "http://" + text if text and text[0] not in "/\\?#" else ""
    return text


def _strip(url: str) -> str:
    """Cut fragment, user name and password off a serialised http(s) URL."""
    url = url.partition("#")[0]
    start = url.index("//") + 2
    end = url.index("/", start)
    at = url.rfind("@", start, end)
    return url if at < 0 else url[:start] + url[at + 1 :]
