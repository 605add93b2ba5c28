"""A guess at the encoding of bytes that are no UTF-8, on pages that declare none or lie.

East Asian encodings give themselves away by their structure: characters are pairs of bytes, and the tables
were laid out with the common characters in a few rows, so the share of first bytes from those rows (GB 2312
level 1, Big5 level 1, the Hangul of KS X 1001, kana and level 1 of JIS X 0208) is near one in the right
encoding and less in the others. Where rows overlap, the commonest characters themselves decide. Single-byte
encodings are told apart by the letters that they would make (`spiderd.parse.letters`).

Measured on the translations of the Debian handbook, 26 pages each of 25 languages written in their old
encodings, nothing declared: right on all pages of the languages that have a script of their own (Arabic,
Chinese, Greek but one, Japanese, Korean, Persian, Russian in five encodings) and of Latin ones that have
enough letters; wrong on pages that are English but for a name or two, where nobody could tell. A library for
this (charset-normalizer 3.5) was right on one Korean page of five, no Greek and three of five in Big5. Cost:
one to five milliseconds, for pages that declare nothing and are no UTF-8.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from spiderd.parse.labels import decode
from spiderd.parse.letters import BIAS, FREQUENT, PROFILES, PUNCTUATION, SYMBOLS, WESTERN, Profile

SAMPLE = 64 * 1024
"""Bytes looked at first, and eight times as many where these are nearly all ASCII."""

_LEAST = 200  # bytes of words beyond ASCII that make a sample
_ENOUGH = 3_000  # bytes of such words that are looked at
_BAD_SHARE = 0.02  # undecodable characters that a guess may have
_HINT = 0.25  # for the language that the page names
_FEW = 1  # characters that count for little against windows-1252
_DOUBT = 0.15  # a guess below is none

_HIGH = bytes(range(128, 256))
_BEYOND_ASCII = re.compile("[^\x00-\x7f]")
_TAG = re.compile(rb"<[^<>]*>")
_LONE_BLANK = re.compile(rb"(?<![\x80-\xff])\xa0(?![\x80-\xff])")  # a no-break space, in all that have it
_WORD = re.compile(rb"[\x30-\x7f]*[\x80-\xff][\x30-\xff]*")  # later bytes of characters are 30 and above
_LANG = re.compile(rb"<html[^<>]*?\slang\s*=\s*[\"']?([a-z]{2,3})", re.IGNORECASE)

_SMALL = "a-z\u00df-\u00f6\u00f8-\u00ff\u0430-\u045f\u03ac-\u03ce"
_CAPITAL = "A-Z\u00c0-\u00d6\u00d8-\u00de\u0400-\u042f\u0386-\u03ab"
_SYMBOL = (
    "\u00a1-\u00a9\u00ab-\u00b4\u00b6\u00b8\u00b9\u00bb-\u00bf\u00d7\u00f7"
    "\u201c-\u2026\u2039-\u20ac\u2122\u2500-\u25ff"
)
_OTHER_SCRIPT = "\u0370-\u06ff\u0e00-\u0e7f"
_SLIP = (
    re.compile(  # no right reading has capitals after small letters, symbols in words, words in two scripts
        f"[{_SMALL}](?=[{_CAPITAL}])"
        f"|[^\\W\\d_][{_SYMBOL}]+(?=[^\\W\\d_])"
        f"|[A-Za-z](?=[{_OTHER_SCRIPT}])|[{_OTHER_SCRIPT}](?=[A-Za-z])"
    )
)


class Guess(NamedTuple):
    """An encoding by its standard name, and how sure it is: 0 to 1."""

    charset: str
    confidence: float


def _rows(*ranges: tuple[int, int]) -> bytes:
    return bytes(byte for first, last in ranges for byte in range(first, last + 1))


class _Pairs(NamedTuple):
    """A double-byte encoding: its characters, and the first bytes of its rows."""

    name: str
    character: re.Pattern[bytes]
    common: bytes  # rows that nearly all characters are from
    needed: bytes  # rows without which the language is not written,
    share: float  # and how many of its characters are from them, at the least
    second: int = 0xA1  # least second byte of a common character


_EUC = re.compile(rb"[\xa1-\xfe][\xa1-\xfe]")
_GBK = re.compile(rb"[\x81-\xfe][\x40-\x7e\x80-\xfe]")
_BIG5 = re.compile(rb"[\x81-\xfe][\x40-\x7e\xa1-\xfe]")
_SHIFT_JIS = re.compile(rb"[\x81-\x9f\xe0-\xfc][\x40-\x7e\x80-\xfc]|[\xa1-\xdf]")
_PAIRS = (
    # rows C9 to D7 hold half of the common Chinese characters, and no Hangul
    _Pairs("gbk", _GBK, _rows((0xA1, 0xA1), (0xA3, 0xA3), (0xB0, 0xD7)), _rows((0xC9, 0xD7)), 0.1),
    _Pairs("big5", _BIG5, _rows((0xA1, 0xA2), (0xA4, 0xC6)), _rows((0xA4, 0xAF)), 0.1, second=0x40),
    _Pairs("euc-kr", _EUC, _rows((0xA1, 0xA1), (0xB0, 0xC8)), _rows((0xB0, 0xC8)), 0.2),
    # kana
    _Pairs("euc-jp", _EUC, _rows((0xA1, 0xA1), (0xA3, 0xA5), (0xB0, 0xCF)), b"\xa4\xa5", 0.2),
    _Pairs("shift_jis", _SHIFT_JIS, _rows((0x81, 0x83), (0x88, 0x98)), b"\x82\x83", 0.2, second=0x40),
)


def detect(body: bytes) -> Guess:
    """Guess the encoding of a page; windows-1252 where nothing speaks for anything."""
    sample = body[:SAMPLE]
    words = _words(sample)
    if len(words) < _LEAST and len(body) > SAMPLE:
        sample = body[: 8 * SAMPLE]
        words = _words(sample)
    if certain := disguised(sample) or _nearly_utf8(sample):
        return certain
    if not words:
        return Guess("windows-1252" if _high(sample) else "utf-8", 0.5)
    named = _LANG.search(sample)
    guesses = _score_letters(words, named[1].decode().lower() if named else "")
    guesses += [_score_pairs(pairs, words) for pairs in _PAIRS]
    best = max(guesses, key=lambda guess: guess.confidence)
    return best if best.confidence > _DOUBT else Guess("windows-1252", 0.0)


def disguised(body: bytes) -> Guess | None:
    """See what would pass for ASCII, and so for UTF-8: ISO-2022-JP by its escapes, UTF-16 by its zeros."""
    if b"\x1b$" in body or b"\0" in body[:1024]:
        sample = body[:SAMPLE]
        return _utf16(sample) or _iso_2022_jp(sample)
    return None


def _words(sample: bytes) -> bytes:
    """Return the words that are not all ASCII; the rest of a page tells nothing, and is most of it."""
    return b" ".join(_WORD.findall(_LONE_BLANK.sub(b" ", _TAG.sub(b" ", sample))))[:_ENOUGH]


def _high(data: bytes) -> int:
    return len(data) - len(data.translate(None, _HIGH))


def _iso_2022_jp(sample: bytes) -> Guess | None:
    if not _high(sample) and decode(sample, "iso-2022-jp")[1] == 0:
        return Guess("iso-2022-jp", 0.9)
    return None


def _utf16(sample: bytes) -> Guess | None:
    """See UTF-16 without a mark by the zeros of its markup."""
    half = len(sample) // 2
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if max(even, odd) < 8 or max(even, odd) < 0.02 * half or min(even, odd) > 0.1 * max(even, odd):
        return None
    return Guess("utf-16le" if odd > even else "utf-16be", 0.9)


def _nearly_utf8(sample: bytes) -> Guess | None:
    """See UTF-8 with a few broken characters."""
    text, bad = decode(sample, "utf-8")
    good = len(_BEYOND_ASCII.findall(text)) - bad
    return Guess("utf-8", 0.9) if good >= 10 and good > 20 * bad else None


def _score_pairs(pairs: _Pairs, words: bytes) -> Guess:
    """Score a double-byte encoding: is it decodable, are the rows the common ones, are the characters?"""
    text, bad = decode(words, pairs.name)
    characters = _BEYOND_ASCII.findall(text)
    pairs_found = pairs.character.findall(words)
    count = len(pairs_found)
    if not count or bad > 1 + _BAD_SHARE * len(characters):
        return Guess(pairs.name, 0.0)
    common = sum(pair[0] in pairs.common and pair[-1] >= pairs.second for pair in pairs_found) / count
    needed = sum(pair[0] in pairs.needed for pair in pairs_found) / count
    frequent = sum(map(FREQUENT[pairs.name].__contains__, characters)) / len(characters)
    score = 0.7 * common * min(1.0, 0.4 + needed / pairs.share) + min(0.3, 1.5 * frequent)
    return Guess(pairs.name, score * count / (count + 1))


def _score_letters(words: bytes, language: str) -> list[Guess]:
    """Score every single-byte encoding by the language that it reads like best."""
    read: dict[str, _Reading] = {}
    best: dict[str, float] = {}
    for profile in PROFILES:
        hint = _HINT if language in profile.languages.split() else 0.0
        for place, name in enumerate(profile.encodings):
            if name not in read:
                read[name] = _read(words, name)
            score = _score(read[name], profile) + hint + BIAS.get(name, 0.0) - 0.001 * place
            best[name] = max(best.get(name, -9.0), score)
    return [Guess(name, min(1.0, score)) for name, score in best.items()]


class _Reading(NamedTuple):
    """Words as one encoding reads them."""

    characters: Counter[str]  # beyond ASCII
    slips: int  # capitals after small letters, symbols between letters


def _read(words: bytes, name: str) -> _Reading:
    text, _ = decode(words, name)
    return _Reading(Counter(_BEYOND_ASCII.findall(text)), len(_SLIP.findall(text)))


@lru_cache(maxsize=len(PROFILES))
def _weights(profile: Profile) -> dict[str, float]:
    weights = dict.fromkeys(SYMBOLS, 0.2) | dict.fromkeys(PUNCTUATION, 0.5)
    for letters, weight in ((profile.rare, 0.4), (profile.usual, 0.7), (profile.common, 1.0)):
        weights.update(dict.fromkeys(letters, weight))
    return weights


def _score(reading: _Reading, profile: Profile) -> float:
    """Mean weight of the characters, from -3 (garbage) to 1 (nothing but common letters)."""
    weights = _weights(profile)
    total = -1.5 * reading.slips
    for char, count in reading.characters.items():
        weight = weights.get(char)
        if weight is None:
            capital = profile.capitals and char.isupper() and char.lower() in weights
            weight = 0.2 if capital else _stranger(char)
        total += weight * count
    count = max(1, reading.characters.total())
    return total / (count if profile.encodings == WESTERN else count + _FEW)


def _stranger(char: str) -> float:
    """Weigh a character that is not in the profile."""
    if char == "\ufffd":
        return -3.0
    if char < "\xa0":  # a control
        return -2.0
    return -1.0 if char.isalpha() else -0.7
