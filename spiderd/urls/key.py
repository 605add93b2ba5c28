"""The seen key: the string whose hash decides whether a URL has been seen before.

Two URLs get one key where RFC 3986 section 6 says that they are the same by their form alone: letter case of
scheme and host, the default port, dot segments, escapes of characters that need none, letter case of escapes,
the root dot of the host, no fragment, no user. Everything else keeps them apart: `/a` and `/a/`, `?a&b` and
`?b&a`, `/A` and `/a` may be different pages, and a page that is never fetched because its key was taken is
lost without a trace, while a page fetched twice only costs a request. The rules of the section [urls] go
further, each at the user's wish; session ids are dropped by default.

The key never goes on the wire: what is fetched is the fetch URL (`spiderd.urls.resolve`).

Making a key of a key gives the same key. The trap on the way there is a stray `%`: in `%%37e` decoding
`%37` would make a new escape, `%7e`, out of nothing, so that a second pass would go on to `~`.

Cost: about a microsecond for a URL that is in normal form already, as nearly all are: one regular expression
says so. The rest pays up to ten.
"""

from __future__ import annotations

import hashlib
import re

import ada_url

from spiderd.config.declaration import Urls
from spiderd.urls.session import drop_parameters, drop_path_ids, drop_query_ids

DEFAULT = Urls()

_HEX = frozenset("0123456789ABCDEFabcdef")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_TRIPLES = {f"%{high}{low}": chr(int(high + low, 16)) for high in _HEX for low in _HEX}
_NORMAL_TRIPLES = {
    triple: char if char in _UNRESERVED else triple.upper() for triple, char in _TRIPLES.items()
}

# Normal form beyond doubt: a name (last label no number, no root dot) or a plain IPv4 address, a path without
# escapes, dot segments and parameters, a query without escapes.
_NORMAL = re.compile(
    r"https?://"
    r"(?:(?:[a-z0-9_-]+\.)*[a-z_][a-z0-9_-]*|(?:[1-9][0-9]{0,2}|0)(?:\.(?:[1-9][0-9]{0,2}|0)){3})"
    r"(?::(?!80/|443/)[1-9][0-9]{1,4})?"
    r"(?:/(?![.(])[A-Za-z0-9_~!$&'()*+,=:@.-]*+)++"
    r"(\?[A-Za-z0-9_~!$&()*+,;=:@/?.-]*+)?"
)
_TRIPLE = re.compile("%[0-9A-Fa-f]{2}")
_STRAY = re.compile("%(?![0-9A-Fa-f]{2})")
_NOT_IN_URIS = re.compile(r"[^A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]")  # RFC 3986 2: neither reserved nor un-
_SLASHES = re.compile("//+")


def seen_key(url: str, rules: Urls = DEFAULT) -> str:
    """Return the string that stands for a URL when it is asked whether it has been seen.

    Args:
        url: A fetch URL. Others are taken as a person would mean them; what is no URL is its own key.
        rules: Section [urls] of the configuration.
    """
    normal = _NORMAL.fullmatch(url)
    if normal:
        if not (normal[1] or rules.same_www or rules.same_scheme or rules.collapse_slashes):
            return url
    else:
        try:
            url = ada_url.normalize_url(url)
        except ValueError:
            return url
    scheme, separator, rest = url.partition("://")
    if not separator:
        return url
    authority, path, query = _cut(rest)
    if not normal:
        authority, path = _host(authority), _escapes(path)
        query = _escapes(query) if query else query
    return _optional(scheme, authority, path, query, rules)


def key_hash(key: str) -> bytes:
    """Return the 8 bytes that the seen trie holds for a key: BLAKE2b, the first 64 bits.

    With n URLs seen, the chance that a new one is taken for one of them is n / 2**64: at 100 million URLs
    the odds that any page at all is lost so are 1 in 3,700.
    """
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _cut(rest: str) -> tuple[str, str, str | None]:
    """Cut "authority/path?query#fragment"; the query is None where there is no question mark."""
    rest = rest.partition("#")[0]
    path_and, mark, query = rest.partition("?")
    authority, _, path = path_and.partition("/")
    return authority, "/" + path, query if mark else None


def _host(authority: str) -> str:
    """Drop user, password and root dot."""
    host, colon, port = authority.rpartition("@")[2].partition(":")
    if host.startswith("["):  # an IPv6 address: its colons are not the port's
        return authority.rpartition("@")[2]
    return without_root_dot(host) + colon + port


def without_root_dot(host: str) -> str:
    """Drop the dot that stands for the root of the name space; a name that ends in more is left alone."""
    return host[:-1] if host.endswith(".") and host[-2:-1] not in ("", ".") else host


def _escapes(part: str) -> str:
    """Write escapes in one way: none where none is needed, capitals elsewhere, none missing."""
    if "%" in part:
        if _STRAY.search(part):
            part = _escapes_beside_strays(part)
        else:
            part = _TRIPLE.sub(lambda found: _NORMAL_TRIPLES[found[0]], part)
    return _NOT_IN_URIS.sub(lambda found: _escaped(found[0]), part)


def _escapes_beside_strays(part: str) -> str:
    """As above, but never let a decoded digit complete an escape that was none."""
    out: list[str] = []
    tail = "  "  # the last two characters that were put out
    position = 0
    for found in _TRIPLE.finditer(part):
        plain, triple = part[position : found.start()], found[0]
        tail = (tail + plain)[-2:]
        char = _NORMAL_TRIPLES[triple]
        completes = tail[1] == "%" or (tail[0] == "%" and tail[1] in _HEX)
        if char in _HEX and completes:
            char = triple.upper()
        out += (plain, char)
        tail = (tail + char)[-2:]
        position = found.end()
    out.append(part[position:])
    return "".join(out)


def _escaped(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogatepass"))


def _optional(scheme: str, authority: str, path: str, query: str | None, rules: Urls) -> str:
    """Apply the rules of section [urls] and put the key together."""
    if rules.drop_session_ids:
        path = drop_path_ids(path)
        query = drop_query_ids(query) if query else query
    if rules.drop_parameters and query:
        query = drop_parameters(query, tuple(rules.drop_parameters))
    if rules.sort_query and query:
        query = "&".join(sorted(query.split("&"), key=lambda pair: pair.partition("=")[0]))
    if rules.collapse_slashes:
        path = _SLASHES.sub("/", path)
    while rules.same_www and authority.startswith("www.") and "." in authority[4:]:
        authority = authority[4:]
    if rules.same_scheme and (":" not in authority or authority.endswith("]")):
        scheme = "http"
    return f"{scheme}://{authority}{path}" if query is None else f"{scheme}://{authority}{path}?{query}"


def sitemap_key(url: str, rules: Urls) -> bytes:
    """Return the hash of a URL as a sitemap: the same URL may be a page as well."""
    return key_hash("sitemap " + seen_key(url, rules))
