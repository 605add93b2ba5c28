"""Cookies, as far as a crawler needs them: what a host has set is sent back to that host (RFC 6265).

`http.cookiejar`, and httpx over it, parses each request and each answer for them; here a host that never set
one costs a dictionary look-up. Every cookie belongs to its host alone: `Domain` is ignored, so that no site
can set cookies for another. All is bounded; the hosts that were used last are kept.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

MAX_HOSTS = 1000
MAX_COOKIES = 50  # of a host
MAX_SIZE = 4096  # characters of one cookie, name and value
MAX_JAR = 8192  # characters of all cookies of a host: servers take no longer a Cookie header
MAX_AGE = 400 * 86400.0  # seconds (RFC 6265bis 5.5)


@dataclass(slots=True)
class Cookie:
    """One cookie of a host."""

    value: str
    path: str
    secure: bool
    expires: float  # unix time


Jar = dict[tuple[str, str], Cookie]  # by name and path, the one that was set first at the front


def parse_cookie(line: str, target: str, now: float) -> tuple[str, Cookie] | None:
    """Name and cookie of a Set-Cookie line (RFC 6265 5.2); None where it is none, or too big."""
    pair, *attributes = line.split(";")
    name, equals, value = pair.partition("=")
    name, value = name.strip(), value.strip()
    if not equals or not name or len(name) + len(value) > MAX_SIZE or not _clean(pair):
        return None
    cookie = Cookie(value, default_path(target), secure=False, expires=now + MAX_AGE)
    has_age = False
    for attribute in attributes:
        key, _, setting = attribute.partition("=")
        key, setting = key.strip().lower(), setting.strip()
        if key == "path" and setting.startswith("/"):
            cookie.path = setting
        elif key == "secure":
            cookie.secure = True
        elif key == "max-age" and setting.removeprefix("-").isdecimal() and len(setting) < 20:
            cookie.expires = now + min(int(setting), MAX_AGE)
            has_age = True
        elif key == "expires" and not has_age:
            cookie.expires = min(_date(setting, cookie.expires), now + MAX_AGE)
    return name, cookie


def _clean(text: str) -> bool:
    return all(" " <= character < "\x7f" or character >= "\xa0" for character in text)


def _date(text: str, default: float) -> float:
    try:
        parsed = parsedate_to_datetime(text)
        return parsed.replace(tzinfo=parsed.tzinfo or UTC).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return default


def default_path(target: str) -> str:
    """The path that a cookie belongs to without an attribute that says so (RFC 6265 5.1.4)."""
    path = target.partition("?")[0]
    return path[: path.rindex("/")] or "/" if path.startswith("/") else "/"


def path_matches(path: str, target: str) -> bool:
    """Whether a cookie of `path` is sent with a request for `target` (RFC 6265 5.1.4)."""
    asked = target.partition("?")[0]
    return asked == path or (asked.startswith(path) and (path.endswith("/") or asked[len(path)] == "/"))


class Cookies:
    """The cookies of all hosts."""

    def __init__(self) -> None:
        self._hosts: OrderedDict[str, Jar] = OrderedDict()

    def __len__(self) -> int:
        return len(self._hosts)

    def store(self, host: str, target: str, lines: list[str], now: float) -> None:
        """Take the Set-Cookie lines of an answer; one that has expired removes its cookie."""
        jar = self._hosts.get(host, {})
        for line in lines[:MAX_COOKIES]:
            parsed = parse_cookie(line, target, now)
            if parsed is None:
                continue
            name, cookie = parsed
            key = (name, cookie.path)
            jar.pop(key, None)
            if cookie.expires > now:
                jar[key] = cookie
        while len(jar) > MAX_COOKIES or _size(jar) > MAX_JAR:
            del jar[next(iter(jar))]  # the one that was set first
        self._hosts.pop(host, None)
        if jar:
            self._hosts[host] = jar
        while len(self._hosts) > MAX_HOSTS:
            self._hosts.popitem(last=False)

    def header(self, host: str, target: str, now: float, *, secure: bool) -> str:
        """The value of the Cookie header for a request, "" for none."""
        jar = self._hosts.get(host)
        if not jar:
            return ""
        fitting = [
            (name, cookie)
            for (name, _), cookie in jar.items()
            if cookie.expires > now and (secure or not cookie.secure) and path_matches(cookie.path, target)
        ]
        fitting.sort(key=lambda item: -len(item[1].path))  # longer paths first
        return "; ".join(f"{name}={cookie.value}" for name, cookie in fitting)


def _size(jar: Jar) -> int:
    return sum(len(name) + len(cookie.value) + len("=; ") for (name, _), cookie in jar.items())
