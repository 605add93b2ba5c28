"""Names of hosts as the crawl uses them: politeness queue, origin, registered domain, form for the screen."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote_to_bytes

import ada_url
from publicsuffixlist import PublicSuffixList

from spiderd.urls.key import without_root_dot

# The authority of a serialised http(s) URL that needs no second look: lower case, no user, no root dot.
_PLAIN = re.compile(r"(https?://)([a-z0-9_.-]*[a-z0-9_-](?::(?!80/|443/)[0-9]+)?)/")
_ADDRESS = re.compile(r"[0-9]+(?:\.[0-9]+){3}|\[[0-9a-f:.]+\]")
_DEFAULT_PORT = {"http:": "80", "https:": "443"}
_SHOWN = re.compile(r"(?:%[89A-Fa-f][0-9A-Fa-f])+")


def host_key(url: str) -> str:
    """Return the name of the URL's politeness queue: the host in ASCII, without root dot.

    The port is part of it (":8080") where it is not the scheme's own, so that http and https of one host,
    which are one machine, share a queue. What is no URL gives "".
    """
    found = _PLAIN.match(url)
    return found[2] if found else _authority(url)[1]


def origin(url: str) -> str:
    """Return scheme, host and port, "https://example.org:8443": what one robots.txt speaks for."""
    found = _PLAIN.match(url)
    return found[0][:-1] if found else "//".join(_authority(url))


def _authority(url: str) -> tuple[str, str]:
    """Return scheme with its colon, and the host key, of any text that is an absolute URL."""
    try:
        parts = ada_url.parse_url(url, ("protocol", "hostname", "port"))
    except ValueError:
        return "", ""
    scheme, host, port = parts["protocol"], parts["hostname"], parts["port"]
    host = without_root_dot(host)
    return scheme, f"{host}:{port}" if port and port != _DEFAULT_PORT.get(scheme) else host


@lru_cache(maxsize=1)
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()  # 30 ms and 2 MB, so only for those who ask


@lru_cache(maxsize=16_384)
def site(host: str) -> str:
    """Return the registered domain of a host or host key: `example.co.uk` for `www.example.co.uk:8080`.

    By the Public Suffix List with its private part: `a.github.io` and `b.github.io` are two sites. An
    address, a single label and a public suffix itself are their own site.
    """
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    name = without_root_dot(name.lower())
    if _ADDRESS.fullmatch(name):
        return name
    return _suffixes().privatesuffix(name) or name


def display_host(host: str) -> str:
    """Return a host or host key as people write it: `bücher.example` for `xn--bcher-kva.example`."""
    if "xn--" not in host:
        return host
    name, colon, port = host.partition(":")
    return ada_url.idna_to_unicode(name) + colon + port


def display(url: str) -> str:
    """Return a URL for the screen: host and path in Unicode where that is readable and harmless.

    Only whole characters that print are shown; blanks, controls, direction marks and broken UTF-8 stay
    escaped, so that what is shown can be pasted and nothing on the screen is upset.
    """
    start = url.find("//") + 2
    end = url.find("/", start)
    if start < 2 or end < 0:
        return url
    return url[:start] + display_host(url[start:end]) + _SHOWN.sub(_readable, url[end:])


def _readable(escapes: re.Match[str]) -> str:
    try:
        text = unquote_to_bytes(escapes[0]).decode()
    except UnicodeDecodeError:
        return escapes[0]
    return text if text.isprintable() else escapes[0]
