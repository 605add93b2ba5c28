"""What a URL says about where to connect and what to ask for.

URLs that come here are canonical already (WHATWG parser); this takes them apart with a regular expression and
keeps what is the same for all URLs of a site, because a parse by httpx costs 9 us. httpx would also re-quote
the path, whereas what is asked for must be what the link said, byte for byte: so requests carry the origin's
URL and httpx's documented `target` extension.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import httpx

_URL = re.compile(
    r"(?P<scheme>https?)://(?:[^/?#]*@)?(?P<host>\[[0-9A-Fa-f:.]+\]|[^/?#:@\[\]]+)(?::(?P<port>[0-9]{0,9}))?",
    re.IGNORECASE,
)
_SITE = re.compile(r"https?://[^/?#]*", re.IGNORECASE)
_UNSAFE = re.compile(r"[^\x21-\x7e]")
_HOST = re.compile(r"[!-~]+")
MAX_KEPT = 4096  # sites


class BadUrl(ValueError):
    """This URL cannot be fetched."""


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """Scheme, host and port, with what a request to them needs; one object for each (see `Origins`)."""

    scheme: str
    host: str  # ASCII, lower case, IPv6 without brackets
    port: int
    authority: bytes = (
        b""  # value of the Host header (RFC 9110 7.2): the port only where it is not the default
    )
    url: httpx.URL = field(default_factory=httpx.URL)

    @property
    def secure(self) -> bool:
        """Whether TLS is spoken."""
        return self.scheme == "https"

    @property
    def name(self) -> str:
        """Host and port as in an authority, port always given (as CONNECT wants it)."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def make_origin(scheme: str, host: str, port: int | None) -> Origin:
    """An origin of its parts; `host` may have brackets. Raises BadUrl."""
    bare = host.strip("[]").lower()
    if not _HOST.fullmatch(bare) or (port is not None and not 0 < port < 65536):
        raise BadUrl(f"no host can be connected to by the name {host[:80]!r}")
    default = 443 if scheme == "https" else 80
    shown = f"[{bare}]" if ":" in bare else bare
    authority = shown if port in {None, default} else f"{shown}:{port}"
    try:
        url = httpx.URL(scheme=scheme, host=bare, port=None if port == default else port, path="/")
    except httpx.InvalidURL:  # stricter than the URL Standard about hosts; nothing of ours reads it
        url = httpx.URL(scheme=scheme, host="invalid", path="/")
    return Origin(scheme, bare, port or default, authority.encode(), url)


def quoted(target: str) -> bytes:
    """A request target without anything that could end the request line."""
    if _UNSAFE.search(target) is None:
        return target.encode()
    return _UNSAFE.sub(lambda found: "".join(f"%{byte:02X}" for byte in _bytes(found[0])), target).encode()


def _bytes(character: str) -> bytes:
    return character.encode("utf-8", "surrogatepass")


class Origins:
    """Takes URLs apart, and remembers origins so that they can be told apart by identity."""

    def __init__(self) -> None:
        self._sites: dict[str, Origin] = {}  # by the text before the path
        self._origins: dict[tuple[str, str, int | None], Origin] = {}

    def split(self, url: str) -> tuple[Origin, bytes]:
        """The origin of a URL and the target to ask it for; raises BadUrl."""
        site = _SITE.match(url)
        if site is None:
            raise BadUrl(f"not a http or https URL: {url[:80]!r}")
        origin = self._sites.get(site[0]) or self._parse(site[0])
        target = url[site.end() :]
        mark = target.find("#")
        if mark >= 0:
            target = target[:mark]
        if not target or target[0] == "?":
            target = "/" + target
        return origin, quoted(target)

    def of(self, scheme: str, host: str, port: int | None) -> Origin:
        """The origin of its parts; raises BadUrl."""
        key = (scheme, host, port)
        origin = self._origins.get(key)
        if origin is None:
            made = make_origin(scheme, host, port)
            if len(self._origins) >= MAX_KEPT:
                self._origins.clear()
                self._sites.clear()
            origin = self._origins.setdefault((scheme, made.host, made.port), made)
            self._origins[key] = origin
        return origin

    def _parse(self, site: str) -> Origin:
        found = _URL.fullmatch(site)
        if found is None:
            raise BadUrl(f"not a URL that can be fetched: {site[:80]!r}")
        origin = self.of(
            found["scheme"].lower(), found["host"], int(found["port"]) if found["port"] else None
        )
        if len(self._sites) >= MAX_KEPT:
            self._sites.clear()
        self._sites[site] = origin
        return origin
