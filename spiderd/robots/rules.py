"""Reading robots.txt, and asking it: which URLs of a host this crawler may fetch.

RFC 9309 with the leniency that its authors' own parser has (typing errors in field names, a missing colon).
Protego was tried first. It lets a byte order mark and NULs hide the first group (everything allowed), ends
lines at form feeds and U+2028, takes a group for `spider` as one for `spiderd`, misses `spiderd/2.0 extra`,
and cannot say which line has decided.

Records that are not RFC 9309's (Crawl-delay, Sitemap, anything else) never end a group, as the RFC demands; a
Crawl-delay holds for the crawlers that are named above it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from spiderd.robots.index import Rule, RuleIndex, RuleLine
from spiderd.robots.patterns import readings

LIMIT = 500 * 1024
"""Bytes that are read in any case (RFC 9309 2.5); a line that begins within them is read to its end."""
MAX_BODY = LIMIT + 64 * 1024
"""Bytes of a robots.txt worth fetching."""
MAX_SITEMAPS = 10_000

_FIELDS = {
    b"user-agent": "agent",
    b"useragent": "agent",
    b"user agent": "agent",
    b"allow": "allow",
    b"disallow": "disallow",
    b"dissallow": "disallow",
    b"dissalow": "disallow",
    b"disalow": "disallow",
    b"diasllow": "disallow",
    b"disallaw": "disallow",
    b"crawl-delay": "delay",
    b"crawldelay": "delay",
    b"crawl delay": "delay",
    b"sitemap": "sitemap",
    b"site-map": "sitemap",
    b"sitemaps": "sitemap",
}
_TOKEN = re.compile(r"[A-Za-z0-9_-]+")
_DELAY = re.compile(r"\d{1,12}(\.\d{0,12})?|\.\d{1,12}", re.ASCII)
_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


class Ruling(NamedTuple):
    """Whether a URL may be fetched, and the line of robots.txt that says so."""

    allowed: bool
    line: str = ""  # as written, without comment; "" where no line speaks of the URL
    number: int = 0  # of the line, from 1


SILENT = Ruling(allowed=True)
"""No rule speaks of the URL."""
ITSELF = Ruling(allowed=True, line="robots.txt itself may always be fetched")


@dataclass(slots=True, eq=False)
class _Group:
    """What all groups for one product token say together."""

    named: bool = False
    delay: float = 0.0
    rules: list[RuleLine] = field(default_factory=list)


def product_token(user_agent: str) -> str:
    """Return the name by which robots.txt speaks to a crawler: `MyBot` for `MyBot/1.0 (+http://..)`."""
    found = _TOKEN.match(user_agent.strip())
    return found[0] if found else "spiderd"


class Robots:
    """The rules of one robots.txt for one crawler."""

    def __init__(
        self,
        rules: Sequence[RuleLine] = (),
        *,
        crawl_delay: float = 0.0,
        sitemaps: Sequence[str] = (),
    ) -> None:
        self.crawl_delay = crawl_delay  # seconds; 0 where none is given
        self.sitemaps = list(sitemaps)  # as written
        self.everything_allowed = all(allow for _, allow, _, _ in rules)
        self._index = RuleIndex(() if self.everything_allowed else rules)

    def allowed(self, url: str) -> Ruling:
        """Decide on an absolute, canonical http(s) URL (ASCII; a fragment does not matter).

        Costs a fraction of a microsecond where nothing is disallowed, else a few.
        """
        if self.everything_allowed:
            return SILENT
        path = _path_of(url)
        best: Rule | None = None
        for reading in readings(path):
            found = self._index.best(reading)
            if found is not None and (best is None or found.weight > best.weight):
                best = found
        if best is None:
            return SILENT
        allow = bool(best.weight & 1)
        if not allow and path.partition("?")[0] == "/robots.txt":
            return ITSELF
        return Ruling(allow, best.text, best.number)


def _path_of(url: str) -> str:
    """Cut path and query out of an absolute URL."""
    start = url.find("//") + 2
    url = url.partition("#")[0]
    slash, mark = url.find("/", start), url.find("?", start)
    if slash < 0 or 0 <= mark < slash:
        return "/" if mark < 0 else "/" + url[mark:]
    return url[slash:]


ALLOW_ALL = Robots()


def disallow_all(why: str) -> Robots:
    """Return rules that allow nothing but robots.txt itself, and say `why`."""
    return Robots([("/", False, 0, why)])


def parse(body: bytes, agent: str = "spiderd") -> Robots:
    """Read a robots.txt. Never raises: what cannot be understood is skipped, as RFC 9309 2.2.4 wants.

    Args:
        body: the answer's body, content coding undone.
        agent: product token of this crawler.
    """
    ours, everyone = _Group(), _Group()
    sitemaps: list[str] = []
    open_to: tuple[_Group, ...] = ()  # those that the user-agent lines of the current group name
    in_names = False  # the last line that counts was a user-agent line
    for number, raw in enumerate(_lines(body), 1):
        kind, value, line = _record(raw)
        if kind == "agent":
            if not in_names:
                open_to, in_names = (), True
            group = _named(_text(value), agent, ours, everyone)
            if group is not None and group not in open_to:
                group.named = True
                open_to = (*open_to, group)
        elif kind in ("allow", "disallow"):
            in_names = False
            if value and open_to:
                allow = kind == "allow"
                rules = [(path, allow, number, _text(line)) for path in _spellings(value, allow=allow)]
                for group in open_to:
                    group.rules += rules
        elif kind == "delay":  # neither this nor any other record ends a group (RFC 9309 2.2.4)
            for group in open_to:
                group.delay = max(group.delay, _delay(_text(value)))
        elif kind == "sitemap" and value and len(sitemaps) < MAX_SITEMAPS:
            sitemaps.append(_text(value))
    chosen = ours if ours.named else everyone
    return Robots(chosen.rules, crawl_delay=chosen.delay, sitemaps=sitemaps)


def _lines(body: bytes) -> list[bytes]:
    """Cut the body into lines: at CR, LF or CRLF, within the limit, without NULs and byte order marks."""
    if len(body) > LIMIT:
        # A line that the limit cuts would say something else than its author did ("Allow: /" for
        # "Allow: /public/"): it is read to its end, or not at all where its end was not fetched.
        ends = [at for at in (body.find(b"\n", LIMIT), body.find(b"\r", LIMIT)) if at >= 0]
        cut = min(ends) if ends else max(body.rfind(b"\n", 0, LIMIT), body.rfind(b"\r", 0, LIMIT))
        body = body[: max(cut, 0)]
    for mark in _MARKS:
        body = body.removeprefix(mark)
    return body.replace(b"\0", b"").splitlines()  # bytes, unlike str, end lines at CR and LF only


def _record(raw: bytes) -> tuple[str, bytes, bytes]:
    """Read one line as (kind of field, value, line without comment); kind "" is a line to be skipped."""
    line = raw.partition(b"#")[0].strip()
    name, colon, value = line.partition(b":")
    kind = _FIELDS.get(name.rstrip().lower(), "") if colon else ""
    if not kind:
        # "Disallow /private": the colon is missing, or it belongs to the value.
        words = line.split(None, 1)
        kind = _FIELDS.get(words[0].lower(), "") if words else ""
        value = words[1] if len(words) > 1 else b""
    return kind, value.strip(), line


def _text(line: bytes) -> str:
    """Decode a line; bytes that are no UTF-8 become escapes, which is how URLs write them."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        return "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in line)


def _spellings(path: bytes, *, allow: bool) -> list[str]:
    """Return what a rule's path stands for.

    One in a legacy encoding is taken as it stands, and what it forbids is forbidden in UTF-8, too: that is
    how browsers write the links to it.
    """
    text = _text(path)
    legacy = not allow and text.isascii() and not path.isascii()
    return [text, path.decode("latin-1")] if legacy else [text]


def _named(value: str, agent: str, ours: _Group, everyone: _Group) -> _Group | None:
    """Return the group that a user-agent line opens for us, if any (RFC 9309 2.2.1)."""
    if value == "*" or value.startswith("* "):
        return everyone
    token = _TOKEN.match(value)
    return ours if token and token[0].lower() == agent.lower() else None


def _delay(value: str) -> float:
    """Return a Crawl-delay in seconds; 0 where it is not a plain number."""
    if not _DELAY.fullmatch(value):
        return 0.0
    seconds = float(value)
    return seconds if math.isfinite(seconds) else 0.0
