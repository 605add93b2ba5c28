"""What a value must be beyond its type: patterns that compile, blocks, seeds and proxies that parse.

Pure functions over values that have their types already. A fault is the index of the guilty item of a list
(None for a plain value) and the rest of a sentence that begins with key and value.
"""

from __future__ import annotations

import ipaddress
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import ada_url

from spiderd.config.declaration import Config
from spiderd.units import format_duration

Fault = tuple[int | None, str]

_MEDIA_TYPE = re.compile(r"\*/\*|[a-z0-9!#$&^_.+-]+/(?:\*|[a-z0-9!#$&^_.+-]+)", re.IGNORECASE)
_HEADER_VALUE = re.compile(r"[\x20-\x7e]*")  # RFC 9110 5.5 without obs-text: what every server reads
_HOST_NAME = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*", re.IGNORECASE)
LEAST_PASSWORD = 12  # characters: whoever can reach the port may try as often as they like
_SITE_SCHEMES = ("http:", "https:")


def faults(key: str, value: Any) -> Iterator[Fault]:
    """Yield what is wrong with the value of a key."""
    if check := _PLAIN.get(key):
        if message := check(value):
            yield None, message
    elif check := _ITEMS.get(key):
        for index, item in enumerate(value):
            if message := check(item):
                yield index, message


def contradictions(config: Config) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield pairs of keys that have values which do not go together, and why."""
    for section, low, high in (("politeness", "delay", "max_delay"), ("revisit", "min", "max")):
        values = getattr(config, section)
        least, most = getattr(values, low), getattr(values, high)
        if least > most:
            written = f'{section}.{low} = "{format_duration(least)}"'
            message = f'{written} is longer than {section}.{high} = "{format_duration(most)}"'
            yield (f"{section}.{low}", f"{section}.{high}"), message
    if not config.web.password and not is_loopback(config.web.bind):
        message = (
            f'web.bind = "{config.web.bind}" lets others in, and web.password is empty: anybody could read '
            "what was crawled"
        )
        yield ("web.bind", "web.password"), message


def is_loopback(address: str) -> bool:
    """Whether an IP address reaches this machine only."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def seed_fault(seed: str) -> str:
    """Say what is wrong with a seed; "" where nothing is."""
    url = _parsed(seed)
    if url is not None and url.protocol in _SITE_SCHEMES and url.hostname:
        return ""
    # "example.com" has no scheme, "localhost:8000" has one that nobody meant.
    guess = _parsed(f"http://{seed.strip()}") if url is None or "//" not in seed else None
    if guess is not None and not guess.username and ("." in guess.hostname or guess.port):
        return f'is not a URL; did you mean "{guess.href if guess.port else f"https{guess.href[4:]}"}"?'
    return "is not a URL that can be crawled: it must begin with http:// or https:// and name a host"


def _pattern_fault(pattern: str) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "possible nested set" is for programmers
            re.compile(pattern, re.IGNORECASE)
    except (re.error, OverflowError, RecursionError) as error:
        return f"is not a regular expression: {error}"
    return ""


def _block_fault(block: str) -> str:
    try:
        network = ipaddress.ip_network(block, strict=False)
    except ValueError:
        return 'is not a block of addresses such as "10.0.0.0/8" or "2001:db8::/32"'
    address = block.partition("/")[0]
    if network.network_address != ipaddress.ip_address(address):
        return f'has bits set beyond its prefix; did you mean "{network}"?'
    return ""


def _proxy_fault(proxy: str) -> str:
    url = _parsed(proxy) if proxy else None
    if not proxy or (url is not None and url.protocol == "http:" and url.hostname):
        return ""
    return 'is not the URL of a proxy such as "http://user:password@host:3128"; only http is spoken with it'


def _type_fault(media_type: str) -> str:
    if _MEDIA_TYPE.fullmatch(media_type):
        return ""
    return 'is not a media type such as "text/html", "image/*" or "*/*"'


def _header_fault(text: str) -> str:
    return "" if _HEADER_VALUE.fullmatch(text) else "must be plain ASCII on one line: it is sent in a header"


def _socket_fault(socket: str) -> str:
    if socket and (not socket.startswith(("/", "~")) or "\0" in socket):
        return "must be an absolute path: daemon and clients have different current directories"
    return ""


def _metrics_fault(place: str) -> str:
    try:
        if place:
            loopback_port(place)
    except ValueError:
        return 'is not an address of loopback with a port such as "127.0.0.1:9105" or "[::1]:9105"'
    return ""


def loopback_port(place: str) -> tuple[str, int]:
    """Read "127.0.0.1:9105" as address and port.

    Raises:
        ValueError: it is something else, or an address that others can reach.
    """
    host, _, port = place.rpartition(":")
    address = ipaddress.ip_address(host[1:-1] if host.startswith("[") and host.endswith("]") else host)
    if not address.is_loopback or not (port.isascii() and port.isdigit() and int(port) < 65536):
        raise ValueError(place)
    return str(address), int(port)


def _bind_fault(address: str) -> str:
    try:
        ipaddress.ip_address(address)
    except ValueError:
        return 'is not an IP address such as "127.0.0.1", "::1" or, for all that there are, "0.0.0.0"'
    return ""


def _password_fault(password: str) -> str:
    if password and (len(password) < LEAST_PASSWORD or not _HEADER_VALUE.fullmatch(password)):
        return f"must have {LEAST_PASSWORD} characters or more, of plain ASCII"
    return ""


def _name_fault(name: str) -> str:
    return "" if _HOST_NAME.fullmatch(name) else 'is not the name of a host such as "search.example.org"'


def _parsed(text: str) -> ada_url.URL | None:
    try:
        return ada_url.URL(text)
    except ValueError:
        return None


_PLAIN: dict[str, Callable[[Any], str]] = {
    "politeness.user_agent": _header_fault,
    "politeness.contact": _header_fault,
    "fetch.proxy": _proxy_fault,
    "api.socket": _socket_fault,
    "api.metrics": _metrics_fault,
    "web.bind": _bind_fault,
    "web.password": _password_fault,
}
_ITEMS: dict[str, Callable[[Any], str]] = {
    "crawl.seeds": seed_fault,
    "scope.include": _pattern_fault,
    "scope.exclude": _pattern_fault,
    "scope.ip_allow": _block_fault,
    "scope.ip_deny": _block_fault,
    "fetch.types": _type_fault,
    "web.names": _name_fault,
}
