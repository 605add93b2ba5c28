"""What the pages show, as plain values: everything crawled has passed `printable` here, and is text."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from msgspec import Struct, field

from spiderd.printable import printable
from spiderd.protocol import Counters, Hit, PageReply, Rates, SearchReply, Snapshot
from spiderd.states import Step
from spiderd.units import counted, human_count, human_duration, human_rate, human_size

LIMIT = 10  # results on a page
MAX_PAGE = 100
MAX_QUERY = 2_000  # characters

LANGUAGES = {
    "": "any language",
    "ar": "Arabic",
    "zh": "Chinese",
    "cs": "Czech",
    "da": "Danish",
    "nl": "Dutch",
    "en": "English",
    "fi": "Finnish",
    "fr": "French",
    "de": "German",
    "el": "Greek",
    "he": "Hebrew",
    "hu": "Hungarian",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nb": "Norwegian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "es": "Spanish",
    "sv": "Swedish",
    "ta": "Tamil",
    "th": "Thai",
    "tr": "Turkish",
    "uk": "Ukrainian",
}
_LEADING_OR = re.compile(r"(?:\s*OR(?=\s|$))+")  # would be one with the filter
_SITE = re.compile(r'[^\s"\x00-\x20]{1,255}')


class Asked(NamedTuple):
    """What somebody looks for."""

    query: str = ""
    page: int = 1
    language: str = ""
    site: str = ""

    @property
    def full(self) -> str:
        """The query with its filters, as the search understands it; before it, for a quote may be open."""
        return self.filters + _LEADING_OR.sub("", self.query) if self.query.strip() else ""

    @property
    def filters(self) -> str:
        """The filters as parts of a query."""
        language = f"lang:{self.language} " if self.language else ""
        return language + (f"site:{self.site} " if self.site else "")

    def href(self, **changes: str | int) -> str:
        """Where the same is looked for, but for some changes."""
        changed = self._replace(**changes)  # type: ignore[arg-type]  # names and types are those of the fields
        values = {"q": changed.query, "lang": changed.language, "site": changed.site}
        pairs = [(name, value) for name, value in values.items() if value or name == "q"]
        if changed.page > 1:
            pairs.append(("page", str(changed.page)))
        return "/search?" + urlencode(pairs)


def asked(query: str, page: str, language: str, site: str) -> Asked:
    """Read what a browser sends; what makes no sense is left out."""
    number = int(page) if page.isascii() and page.isdigit() and len(page) < 6 else 1
    return Asked(
        query[:MAX_QUERY],
        min(max(number, 1), MAX_PAGE),
        language if language in LANGUAGES else "",
        site.strip() if _SITE.fullmatch(site.strip()) else "",
    )


class Segment(NamedTuple):
    """A piece of a text; marked where it is a word that was looked for."""

    text: str
    marked: bool


class Result(NamedTuple):
    """A result."""

    number: int  # of the page
    href: str  # "" where it leads nowhere
    url: str
    title: list[Segment]
    snippet: list[Segment]
    site: str
    site_href: str  # the same search on that site only
    facts: str


class Results(NamedTuple):
    """A page of results."""

    asked: Asked
    results: list[Result]
    summary: str
    message: str
    suggestions: list[tuple[str, str]]  # words, href
    first: str  # hrefs; "" where there is none
    previous: str
    next: str


def results_view(asked: Asked, reply: SearchReply) -> Results:
    """Make a page of results."""
    about = "" if reply.exact else "about "
    start = (reply.page - 1) * reply.limit + 1
    summary = ""
    if reply.hits:
        last = start + len(reply.hits) - 1
        summary = f"{start} to {last} of {about}{counted(reply.total, 'result')} ({reply.elapsed:.3f} s)"
    more = reply.page < min(reply.pages, MAX_PAGE)
    return Results(
        asked,
        [_result(asked, hit) for hit in reply.hits],
        summary,
        printable(reply.message),
        [(printable(words), asked.href(query=words, page=1)) for words in _without_filters(asked, reply)],
        asked.href(page=1) if asked.page > 1 else "",
        asked.href(page=asked.page - 1) if asked.page > 1 else "",
        asked.href(page=asked.page + 1) if more else "",
    )


def _without_filters(asked: Asked, reply: SearchReply) -> list[str]:
    return [words.removeprefix(asked.filters) for words in reply.suggestions]


def _result(asked: Asked, hit: Hit) -> Result:
    facts = [time.strftime("%Y-%m-%d", time.gmtime(hit.fetched)), language_name(hit.language)]
    if hit.duplicates:
        facts.append(f"and {counted(hit.duplicates, 'copy', 'copies')}")
    return Result(
        hit.id,
        leads_to(hit.url),
        printable(hit.url),
        segments(hit.title, hit.title_marks),
        segments(hit.snippet, hit.marks),
        printable(hit.site),
        asked.href(site=hit.site, page=1),
        printable(" · ".join(filter(None, facts))),
    )


def language_name(tag: str) -> str:
    """What a language is called; its tag where that has no name here, "" where it is not known."""
    return LANGUAGES.get(tag, tag) if tag else ""


def leads_to(url: str) -> str:
    """A URL as the target of a link; "" where no browser should follow it."""
    return url if url.startswith(("http://", "https://")) else ""


def segments(text: str, marks: Sequence[tuple[int, int]]) -> list[Segment]:
    """Cut a text at its marks, each piece made printable."""
    made: list[Segment] = []
    last = 0
    for start, end in marks:
        made += [Segment(printable(text[last:start]), marked=False)]
        made += [Segment(printable(text[start:end]), marked=True)]
        last = end
    made.append(Segment(printable(text[last:]), marked=False))
    return [segment for segment in made if segment.text]


class Kept(NamedTuple):
    """What is kept of a page."""

    title: str
    href: str
    url: str
    facts: list[tuple[str, str]]
    lines: list[str]  # of its readable text
    cut: bool


def kept_view(page: PageReply) -> Kept:
    """Make the page that shows the text of a page."""
    status = f"{page.status or page.failure} ({page.kind})"
    fetched = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(page.fetched)) if page.fetched else "never"
    facts = [("fetched", fetched), ("status", status), ("type", page.content_type)]
    facts += [("size", human_size(page.size)), ("language", language_name(page.language))]
    facts += [("found on", page.referrer or "a seed"), ("leads to", page.location)]
    facts += [("depth", str(page.depth)), ("links on it", human_count(page.links_out))]
    if page.links_in >= 0:
        facts.append(("links to it", human_count(page.links_in)))
    return Kept(
        printable(page.title) or printable(page.url),
        leads_to(page.url),
        printable(page.url),
        [(name, printable(value)) for name, value in facts if value],
        [printable(line) for line in page.text.splitlines()],
        page.cut,
    )


class WorkerView(Struct):
    """What one worker is doing."""

    worker: str
    step: str
    url: str


class StatusView(Struct):
    """The crawl as it is; `facts` by the name that stands before them."""

    live: bool
    state: str
    message: str
    facts: dict[str, str]
    done: float  # share of the known URLs that are done, 0 to 1
    line: str  # points of the curve of pages a second, 300 by 40
    workers: list[WorkerView] = field(default_factory=list)


def status_view(status: Snapshot | Counters) -> StatusView:
    """Make the page that follows the crawl."""
    if isinstance(status, Counters):
        sentence = "No daemon runs; this is what was crawled."
        return StatusView(False, "stopped", sentence, _facts(status), _done(status), "")
    facts = _facts(status.counters)
    facts["pages a second"] = human_rate(status.rates.pages)
    facts["for"] = human_duration(status.now - status.since)
    if status.index is not None:
        facts["in the index"] = f"{human_count(status.index.indexed)} of {human_count(status.index.pages)}"
    if status.revisits is not None and status.revisits.on:
        facts["visited again"] = human_count(status.counters.revisits)
        facts["due"] = f"{human_count(status.revisits.due)} of {human_count(status.revisits.scheduled)}"
    workers = [
        WorkerView(str(row.worker), row.step, printable(row.url) if row.step is not Step.IDLE else "")
        for row in status.workers[:64]
    ]
    message = printable(status.message)
    return StatusView(
        True, status.state, message, facts, _done(status.counters), curve(status.rates), workers
    )


def trouble(sentence: str) -> StatusView:
    """What is shown where the crawl cannot be asked."""
    return StatusView(False, "unknown", printable(sentence), {}, 0.0, "")


def _done(counters: Counters) -> float:
    return round((counters.complete + counters.error) / counters.known, 4) if counters.known else 0.0


def _facts(counters: Counters) -> dict[str, str]:
    return {
        "pages": human_count(counters.pages),
        "known": human_count(counters.known),
        "waiting": human_count(counters.waiting),
        "in flight": human_count(counters.processing),
        "errors": human_count(counters.error),
        "duplicates": human_count(counters.duplicates),
        "hosts": human_count(counters.hosts),
        "size": human_size(counters.bytes),
    }


def curve(rates: Rates, width: int = 300, height: int = 40) -> str:
    """The points of a polyline."""
    history = rates.history[-60:]
    most = max(history, default=0.0) or 1.0
    step = width / max(1, len(history) - 1)
    return " ".join(
        f"{place * step:.1f},{height - 2 - (height - 4) * value / most:.1f}"
        for place, value in enumerate(history)
    )
