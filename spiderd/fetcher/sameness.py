"""Whether a page that was fetched again is what it was: judged by its words and links, not by its bytes.

Pages tick: a date, a counter, "3 minutes ago", a token in a form. What is compared is therefore the text
without tags, scripts and styles; numbers, dates and times in it are all one; and of the links those that may
be followed, by their seen keys. Three answers:

    SAME     the words are the same, and so are the links
    NEARLY   the links are the same, and the words nearly (`spiderd.schedule.similarity`): an edit, which does
             not count when the page's rate of change is estimated, but is kept
    OTHER    another text, or other links: a list with one new headline is another page, however long it is

A page is compared with the version that is kept, not with what it was at its last visit: so small changes add
up. Blocking: some milliseconds for a page of usual size.
"""

from __future__ import annotations

import re
from enum import Enum

from spiderd.fetcher.fingerprint import NO_TEXT
from spiderd.schedule.similarity import MAX_WORDS, near, simhash

_TIMES = re.compile(
    r"(?:\d+(?:st|nd|rd|th)?|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?"
    r"|sun)(?:day)?|[ap]m|gmt|utc|ago|today|yesterday|(?:second|minute|hour|day|week|month|year)s?)",
    re.IGNORECASE,
)
_WORDS = re.compile(r"\d+(?:(?:st|nd|rd|th)(?![^\W_]))?|[^\W\d_]+")


class Sameness(Enum):
    """What a page has become."""

    SAME = "same"
    NEARLY = "nearly"
    OTHER = "other"


def compare(old: bytes, new: bytes) -> Sameness:
    """Compare the words of two versions of a page."""
    before, after = words_of(old), words_of(new)
    if before == after:
        return Sameness.SAME
    pieces = range(0, max(len(before), len(after)), MAX_WORDS)
    alike = all(
        near(simhash(before[at : at + MAX_WORDS]), simhash(after[at : at + MAX_WORDS])) for at in pieces
    )
    return Sameness.NEARLY if alike else Sameness.OTHER


def words_of(body: bytes) -> list[str]:
    """Return the words of a page, with "0" for each run of numbers and times."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        text = body.decode("latin-1")  # whatever it is, it is the same for both, and no two bytes become one
    words: list[str] = []
    for word in _WORDS.findall(NO_TEXT.sub(" ", text)):
        if not _TIMES.fullmatch(word):
            words.append(word)
        elif not words or words[-1] != "0":
            words.append("0")
    return words
