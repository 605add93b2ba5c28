"""Which addresses may be connected to: no page leads the crawler into its operator's own network (SSRF).

Decided on the address that is connected to, never on the name: a name may resolve to anything, 2130706433 and
0x7f.1 are addresses too, and an IPv6 address may carry an IPv4 one. Public is what the IANA registries of
special-purpose addresses do not except; they are listed here because `ipaddress.is_global` changed its mind
between patch releases of Python.

`scope.private_addresses`:
    never    public addresses only
    seeds    also private ones, for exactly those hosts that a seed names; link-local addresses (cloud
             metadata services live there) only where a seed names the address itself. Loopback counts as one:
             a seed in 127.0.0.0/8 opens the whole of it.
    always   everything that can be connected to
`scope.ip_allow` (where given) and `scope.ip_deny` restrict further; a denied address is never allowed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from spiderd.config.declaration import Scope
from spiderd.errors import ConfigError

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_SPECIAL4 = [
    IPv4Network(block)
    for block in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade NAT
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local, metadata services
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # AMT
        "192.88.99.0/24",  # 6to4 relays, deprecated
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
]
_GLOBAL6 = IPv6Network("2000::/3")  # all that has been given out so far
_SPECIAL6 = [
    IPv6Network(block)
    for block in (
        "2001::/23",  # protocol assignments: Teredo, ORCHID, benchmarks
        "2001:db8::/32",  # documentation
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
]
_NAT64 = IPv6Network("64:ff9b::/96")
_LOOPBACK4 = IPv4Network("127.0.0.0/8")
_LINK_LOCAL4 = IPv4Network("169.254.0.0/16")
_NEVER = [IPv4Network("0.0.0.0/8"), IPv4Network("224.0.0.0/4"), IPv4Network("240.0.0.0/4")]


def parse_address(text: str) -> Address | None:
    """The address that a text denotes, an IPv4 one where IPv6 only carries it; None for a name."""
    try:
        return embedded(ip_address(_without_zone(text)))
    except ValueError:
        return None


def literal(host: str) -> str:
    """The address that a URL's host denotes, in a form that needs no look-up; "" for a name."""
    try:
        return str(ip_address(_without_zone(host)))
    except ValueError:
        return ""


def _without_zone(host: str) -> str:
    return host.partition("%")[0] if ":" in host else host


def embedded(address: Address) -> Address:
    """The IPv4 address within a v4-mapped, v4-compatible, 6to4 or NAT64 address, else the address itself."""
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address in _NAT64 or (int(address) >> 32 == 0 and int(address) > 1):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def is_public(address: Address) -> bool:
    """Whether an address belongs to the Internet at large."""
    if isinstance(address, IPv4Address):
        return not any(address in block for block in _SPECIAL4)
    return address in _GLOBAL6 and not any(address in block for block in _SPECIAL6)


def is_link_local(address: Address) -> bool:
    """Whether an address is link-local (RFC 3927, RFC 4291 2.5.6)."""
    return address in _LINK_LOCAL4 if isinstance(address, IPv4Address) else address.is_link_local


def _connectable(address: Address) -> bool:
    if isinstance(address, IPv6Address):
        return not (address.is_multicast or address.is_unspecified)
    return not any(address in block for block in _NEVER)


def _networks(blocks: Sequence[str], key: str) -> list[Network]:
    try:
        return [ip_network(block, strict=False) for block in blocks]
    except ValueError as error:
        raise ConfigError(f"scope.{key}: {error}") from None


_SEED_HOST = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^/?#]*@)?(\[[^\]]*\]|[^/?#:]*)", re.IGNORECASE)


def _seed_hosts(seeds: Sequence[str]) -> set[str]:
    found = (_SEED_HOST.match(seed) for seed in seeds)
    return {match[1].strip("[]").lower().rstrip(".") for match in found if match}


class Guard:
    """Decides for a whole crawl. Raises ConfigError for a block that is none."""

    def __init__(self, scope: Scope, seeds: Sequence[str] = ()) -> None:
        self._hosts: set[str] = set()
        self._literal: set[Address] = set()
        self._loopback = False
        self.reconfigure(scope)
        self.extend(seeds)

    def reconfigure(self, scope: Scope) -> None:
        """Go by other blocks."""
        self._mode = scope.private_addresses
        self._allow = _networks(scope.ip_allow, "ip_allow")
        self._deny = _networks(scope.ip_deny, "ip_deny")

    def extend(self, seeds: Sequence[str]) -> None:
        """Let these seeds decide which private addresses are allowed, too."""
        hosts = _seed_hosts(seeds)
        literal = {address for address in map(parse_address, hosts) if address is not None}
        self._hosts |= hosts
        self._literal |= literal
        self._loopback = (
            self._loopback
            or "localhost" in hosts
            or any(isinstance(address, IPv4Address) and address in _LOOPBACK4 for address in literal)
        )

    def refuses(self, host: str, address: str) -> str:
        """Why `address` must not be connected to for the sake of `host`; "" where it may be."""
        parsed = parse_address(address)
        if parsed is None:
            return f"{address} is not an IP address"
        if any(parsed in block for block in self._deny if block.version == parsed.version):
            return f"{parsed} is in scope.ip_deny"
        if self._allow and not any(
            parsed in block for block in self._allow if block.version == parsed.version
        ):
            return f"{parsed} is not in scope.ip_allow"
        if is_public(parsed) or self._private(host, parsed):
            return ""
        return f"{parsed} is not a public address (scope.private_addresses)"

    def _private(self, host: str, address: Address) -> bool:
        if self._mode == "never" or not _connectable(address):
            return False
        if self._mode == "always" or address in self._literal:
            return True
        if self._loopback and isinstance(address, IPv4Address) and address in _LOOPBACK4:
            return True
        return host.lower().rstrip(".") in self._hosts and not is_link_local(address)
