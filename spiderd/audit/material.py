"""What an audit looks at: store and archive as of one moment, and what counts as the same URL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

from msgspec import Struct

from spiderd.archive.reading import read_body
from spiderd.config.declaration import Urls
from spiderd.robots.policy import RobotsRecord, robots_of
from spiderd.robots.rules import Robots
from spiderd.states import OutcomeKind
from spiderd.store.auditing import AuditReader
from spiderd.store.records import PageRecord, decode
from spiderd.urls import key_hash, origin, seen_key

Progress = Callable[[str, int, int], None]
"""Told what is looked at, how much of it is done, and how much there is."""

TELL = 500  # pages between two reports of progress
KEPT_RULES = 100  # robots.txt files that are kept as rules

HTML = frozenset({"text/html", "application/xhtml+xml"})


class Limits(Struct, frozen=True):
    """From where on a page is told of."""

    slow: float = 1.0  # seconds of a whole exchange
    title: int = 60  # characters: what result pages show of a title
    near: int = 3  # bits of 64
    since: float | None = None  # unix time from which on changes are told; None = a day ago


class Material:
    """An open store with its archive; a context manager, for one thread."""

    def __init__(
        self,
        data_dir: Path,
        *,
        urls: Urls,
        agent: str = "spiderd",
        progress: Progress = lambda *_: None,
    ) -> None:
        """Open what lies in a data directory.

        Args:
            data_dir: the data directory.
            urls: what counts as the same URL.
            agent: product token that robots.txt knows the crawler by.
            progress: told how far it is.

        Raises:
            StorageError: there is no store, or it cannot be read.
        """
        self.store = AuditReader(data_dir / "store")
        self.last = self.store.last
        self.archive = data_dir / "pages"
        self.progress = progress
        self._urls = urls
        self._agent = agent
        self._rules: dict[str, Robots | None] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.store.close()

    def pages(self, what: str = "pages") -> Iterator[tuple[int, PageRecord]]:
        """Yield number and row of each page, telling how far it is."""
        for number, page in self.store.pages():
            if number % TELL == 0:
                self.progress(what, number, self.last)
            yield number, page
        self.progress(what, self.last, self.last)

    def url(self, number: int) -> str:
        """The URL of a page; "" where there is none of the number."""
        page = self.store.page(number) if number else None
        return page.url if page is not None else ""

    def number_of(self, url: str) -> int:
        """The page number of a URL; 0 where it was not asked for."""
        return self.store.number_of(key_hash(seen_key(url, self._urls)))

    def body(self, page: PageRecord) -> bytes | None:
        """The body of a page that the archive has, None where it cannot be read."""
        if page.kind is not OutcomeKind.STORED or not page.number:
            return None
        try:
            return read_body(self.archive, page.directory, page.number)
        except OSError:
            return None

    def rule(self, url: str) -> str:
        """The line of robots.txt that keeps a URL back; "" where none does (any more)."""
        of = origin(url)
        if of not in self._rules:
            if len(self._rules) >= KEPT_RULES:
                self._rules.clear()
            row = self.store.row("robots", of.encode())
            self._rules[of] = None if row is None else robots_of(decode(RobotsRecord, row), self._agent)
        rules = self._rules[of]
        ruling = None if rules is None else rules.allowed(url)
        if ruling is None or ruling.allowed:
            return ""
        return f"line {ruling.number}: {ruling.line}" if ruling.number else ruling.line


def is_html(page: PageRecord) -> bool:
    """Whether a page says that it is HTML, or says nothing."""
    return essence(page) in HTML or not page.content_type


def essence(page: PageRecord) -> str:
    """Its media type without parameters, in lower case."""
    return page.content_type.partition(";")[0].strip().lower()
