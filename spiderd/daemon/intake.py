"""What becomes of URLs that a person adds: checked, normalised, put into the frontier as seeds."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence

from msgspec import Struct

from spiderd.config import Config
from spiderd.config.declaration import Urls
from spiderd.daemon.wording import in_words
from spiderd.protocol import Added, AddResult
from spiderd.store.frontier import Found
from spiderd.urls import ScopeRules, credentials, key_hash, normalize, origin, seen_key


class Candidate(Struct):
    """One URL that was given."""

    text: str
    url: str = ""  # to be fetched; "" where it is refused
    hash: bytes = b""
    reason: str = ""  # why it is refused
    authorization: str = ""  # header, from a user name in the URL


NO_URL = "not an http(s) URL"

_BEGINNING = re.compile(r"^[\x00-\x20]*(?:[a-z][a-z0-9+.-]*:)?[/\\]*", re.IGNORECASE)

MANY = 100  # URLs from which on examining them would hold up the event loop


def examine(texts: Sequence[str], config: Config) -> list[Candidate]:
    """Check URLs that are to become seeds; a seed is in scope by itself, but not if it is excluded."""
    rules = ScopeRules(config, texts)
    return [_examine(text.strip(), rules, config) for text in texts if text.strip()]


def recognise(texts: Sequence[str], urls: Urls) -> list[Candidate]:
    """Take URLs as they would be seen, in scope or not."""
    candidates = []
    for text in filter(None, map(str.strip, texts)):
        url = normalize(text)
        if url is None:
            candidates.append(Candidate(_without_userinfo(text), reason=NO_URL))
        else:
            candidates.append(Candidate(_without_userinfo(text), url, key_hash(seen_key(url, urls))))
    return candidates


def _examine(text: str, rules: ScopeRules, config: Config) -> Candidate:
    url = normalize(text)
    if url is None:
        return Candidate(_without_userinfo(text), reason=NO_URL)
    reason = rules.decide(url, 0)
    if reason:
        return Candidate(url, reason=in_words(reason, url, config))
    return Candidate(
        _without_userinfo(text), url, key_hash(seen_key(url, config.urls)), "", _authorization(text)
    )


def _without_userinfo(text: str) -> str:
    """What may be shown of a text: where it is no URL, anything before the last "@" may be a password."""
    before, mark, after = text.rpartition("@")
    beginning = _BEGINNING.match(before)
    return f"{beginning[0] if beginning else ''}…{after}" if mark else text


def _authorization(text: str) -> str:
    """The header for a user name in a URL (RFC 7617); it is never logged."""
    pair = credentials(text)
    if pair is None:
        return ""
    return "Basic " + base64.b64encode(":".join(pair).encode()).decode()


def auth_of(candidates: Sequence[Candidate]) -> dict[str, str]:
    """Authorization headers by origin."""
    return {origin(one.url): one.authorization for one in candidates if one.url and one.authorization}


def found(candidates: Sequence[Candidate]) -> Found:
    """Those that are not refused, as the store takes them."""
    good = [candidate for candidate in candidates if candidate.url]
    return Found(
        b"".join(candidate.hash for candidate in good),
        [candidate.url for candidate in good],
        0,
    )


def results(candidates: Sequence[Candidate], new: Sequence[bool]) -> list[AddResult]:
    """What to tell of each; `new` speaks of those that were not refused, in order."""
    verdicts = iter(new)
    told = []
    for candidate in candidates:
        if not candidate.url:
            told.append(AddResult(url=candidate.text, result="refused", reason=candidate.reason))
        else:
            told.append(AddResult(url=candidate.url, result="new" if next(verdicts) else "known"))
    return told


def added(candidates: Sequence[Candidate], new: Sequence[bool]) -> Added:
    """What to tell of all; `new` as for `results`."""
    told = results(candidates, new)
    count = {kind: sum(row.result == kind for row in told) for kind in ("new", "known", "refused")}
    return Added(new=count["new"], known=count["known"], refused=count["refused"], results=told)
