"""What somebody typed, understood: any text is a query, and none is an error.

    word word       pages that hold all the words
    "a phrase"      words that follow each other
    -word           pages that do not hold it; any term may be excluded
    a OR b          either; OR binds more tightly than the space
    site:host       of that host, or of a domain and all hosts below it
    title: url:     words (or a phrase) of the title, of the URL
    lang:zh         written in that language
    date:FROM..TO   fetched in that span: 2026, 2026-03 or 2026-03-14; either end may be left out
    after: before:  the same with one end

A quote that is not closed closes at the end; a field with nothing behind it is a word; brackets are blanks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Literal

MAX_LENGTH = 2_000
"""Characters that are looked at."""
MAX_TERMS = 32
"""Terms that are looked for, and words of one phrase."""

Part = Literal["", "title", "url"]


@dataclass(frozen=True, slots=True)
class Words:
    """Words that follow each other; most often it is one. `part` is where: "" = anywhere."""

    words: tuple[str, ...]
    part: Part = ""
    required: bool = False  # even if the word says little
    begun: bool = False  # somebody is still typing it

    def __str__(self) -> str:
        text = " ".join(self.words)
        text = f'"{text}"' if len(self.words) > 1 or self.required else text
        return f"{self.part}:{text}" if self.part else text


@dataclass(frozen=True, slots=True)
class Site:
    """Pages of a host or domain."""

    name: str

    def __str__(self) -> str:
        return f"site:{self.name}"


@dataclass(frozen=True, slots=True)
class Language:
    """Pages in a language."""

    tag: str

    def __str__(self) -> str:
        return f"lang:{self.tag}"


@dataclass(frozen=True, slots=True)
class Span:
    """Pages fetched from one unix time up to before another."""

    text: str
    since: int | None
    until: int | None

    def __str__(self) -> str:
        return self.text


Term = Words | Site | Language | Span


@dataclass(frozen=True, slots=True)
class Clause:
    """Alternatives, one of which a page must match; or, excluded, none."""

    terms: tuple[Term, ...]
    excluded: bool = False

    def __str__(self) -> str:
        text = " OR ".join(map(str, self.terms))
        return f"-{text}" if self.excluded else text


@dataclass(slots=True)
class ParsedQuery:
    """A query, and what there is to say about it."""

    clauses: list[Clause] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return " ".join(map(str, self.clauses))


_TOKEN = re.compile(
    r"""(?P<sign>[-+\u2212]?)(?P<field>[A-Za-z]+:)?(?:"(?P<quoted>[^"]*)(?:"|\Z)|(?P<bare>[^\s"()]+))"""
    r"""|(?P<junk>[\s()]+)""",
)
_QUOTES = str.maketrans(dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u300c\u300d\u300e\u300f", '"'))
_FIELDS = frozenset({"site:", "title:", "url:", "lang:", "language:", "date:", "after:", "before:"})
_DATE = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?$")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


def parse(text: str, *, typing: bool = False) -> ParsedQuery:
    """Understand a query.

    Args:
        text: as typed.
        typing: the last word may not be complete.
    """
    query = _parse(text)
    last = query.clauses[-1].terms[-1] if query.clauses else None
    if typing and text[-1:].isalnum() and isinstance(last, Words) and not last.required:
        clause = query.clauses[-1]
        query.clauses[-1] = replace(clause, terms=(*clause.terms[:-1], replace(last, begun=True)))
    return query


def _parse(text: str) -> ParsedQuery:
    query = ParsedQuery()
    if len(text) > MAX_LENGTH:
        query.remarks.append(f"Only the first {MAX_LENGTH} characters of the query were looked at.")
    alternative = False
    terms = 0
    for token in _TOKEN.finditer(text[:MAX_LENGTH].translate(_QUOTES)):
        if token["junk"]:
            continue
        bare = token["bare"]
        if bare in ("OR", "|", "||") and not token["sign"] and not token["field"]:
            alternative = bool(query.clauses)
            continue
        if bare in ("AND", "&", "&&") and not token["sign"] and not token["field"]:
            continue
        term = _term(token, query.remarks)
        if term is None:
            continue
        if terms == MAX_TERMS:
            query.remarks.append(f"Only the first {MAX_TERMS} terms were looked for.")
            break
        terms += 1
        _add(query.clauses, term, excluded=token["sign"] in ("-", "\u2212"), alternative=alternative)
        alternative = False
    return query


def _add(clauses: list[Clause], term: Term, *, excluded: bool, alternative: bool) -> None:
    if alternative and not excluded and not clauses[-1].excluded:
        clauses[-1] = Clause((*clauses[-1].terms, term))
    else:
        clauses.append(Clause((term,), excluded))


def _term(token: re.Match[str], remarks: list[str]) -> Term | None:
    name, quoted = (token["field"] or "").lower(), token["quoted"]
    value = (quoted if quoted is not None else token["bare"]).strip()
    if name and name not in _FIELDS:
        name, value = "", f"{token['field']}{value}"
    if not value:
        return None
    required = token["sign"] == "+" or quoted is not None
    match name:
        case "site:":
            return Site(_host(value))
        case "lang:" | "language:":
            return Language(value.lower().partition("-")[0])
        case "date:" | "after:" | "before:":
            return _span(name[:-1], value, remarks)
        case "title:" | "url:":
            return Words(_split(value), "title" if name == "title:" else "url", required)
        case _:
            return Words(_split(value), "", required)


def _split(value: str) -> tuple[str, ...]:
    return tuple(_SCHEME.sub("", value).split()[:MAX_TERMS]) or (value,)


def _host(value: str) -> str:
    return _SCHEME.sub("", value).partition("/")[0].lower().removeprefix("*.").strip(".")


def _span(name: str, value: str, remarks: list[str]) -> Span | None:
    first, dots, last = value.partition("..")
    if name == "after":
        first, last = value, ""
    elif name == "before":
        first, last = "", value
    elif not dots:
        last = first
    since, until = _date(first), _date(last)
    if (first and since is None) or (last and until is None) or not (first or last):
        remarks.append(f"{name}:{value} is no date; write {name}:2026, {name}:2026-03 or {name}:2026-03-14.")
        return None
    begin = None if since is None else since[0]
    end = None if until is None else until[0] if name == "before" else until[1]
    return Span(f"{name}:{value}", begin, end)


def _date(text: str) -> tuple[int, int] | None:
    """Unix time (UTC) at which a year, month or day begins, and at which the next one does."""
    found = _DATE.match(text)
    if not found:
        return None
    year, month, day = int(found[1]), int(found[2] or 1), int(found[3] or 1)
    try:
        begin = datetime(year, month, day, tzinfo=UTC)
        if found[3]:
            end = begin + timedelta(days=1)
        elif found[2]:
            end = begin.replace(year=year + month // 12, month=month % 12 + 1)
        else:
            end = begin.replace(year=year + 1)
    except (ValueError, OverflowError):
        return None
    return int(begin.timestamp()), int(end.timestamp())
