"""Small crawls for the search: real rows in a real store, real files in a real archive, no network."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from typing import Self

from spiderd.archive.directory import Directory
from spiderd.config import Config
from spiderd.config.declaration import Urls
from spiderd.messages import Outcome
from spiderd.parse import parse_page
from spiderd.search.exchange import Task
from spiderd.search.indexer import Bell, Indexer
from spiderd.states import Failure, OutcomeKind
from spiderd.store.opening import open_ledger
from spiderd.store.records import WaitingUrl
from spiderd.urls import ScopeRules, key_hash, seen_key

AT = 1_767_225_600.0  # 2026-01-01


class Crawled:
    """A data directory that is being written; a context manager."""

    def __init__(self, data_dir: Path) -> None:
        self.path = data_dir
        self._env, self._ledger = open_ledger(data_dir / "store", "breadth", sync=False)
        self._number = self._ledger.directories.new(0)
        self._archive = Directory(data_dir / "pages", self._number)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.commit()
        self._archive.close()
        self._env.close()

    def commit(self) -> None:
        self._ledger.commit()

    def store(
        self, url: str, body: str | bytes, content_type: str = "text/html", at: float = AT, lang: str = ""
    ) -> int:
        """Store a page as a crawl would; its number."""
        data = body.encode() if isinstance(body, str) else body
        config = Config()
        parsed = parse_page(data, url, content_type, config, ScopeRules(config, [url]), 0)
        outcome = Outcome(
            0,
            0,
            OutcomeKind.STORED,
            200,
            content_type=content_type,
            charset=parsed.charset,
            size=len(data),
            digest=hashlib.sha256(data).digest(),
            directory=self._number,
            number=self._archive.store(url, data),
            index_bytes=self._archive.index_bytes,
            title=parsed.title,
            lang=lang or parsed.lang,
            noindex=parsed.noindex,
            fetched_at=at,
            links=parsed.links,
        )
        number = self.put(url, outcome)
        self._ledger.pages.put_content(outcome.digest, number)
        return number

    def fail(self, url: str) -> int:
        return self.put(url, Outcome(0, 0, OutcomeKind.FAILED, 404, Failure.HTTP_ERROR, fetched_at=AT))

    def redirect(self, url: str, location: str) -> int:
        return self.put(url, Outcome(0, 0, OutcomeKind.REDIRECT, 301, location=location, fetched_at=AT))

    def put(self, url: str, outcome: Outcome) -> int:
        return self._ledger.pages.put(WaitingUrl(url, hash_of(url)), outcome)


def hash_of(url: str) -> bytes:
    return key_hash(seen_key(url, Urls()))


def html(title: str, text: str, lang: str = "") -> str:
    return f"<html lang='{lang}'><title>{title}</title><body><h1>{title}</h1><p>{text}</p></body></html>"


def index(data_dir: Path, *, rebuild: bool = False) -> None:
    """Bring the index up to date, in this process."""
    task = Task(str(data_dir), Urls(), rebuild=rebuild, follow=False)
    Indexer(task, Bell(), lambda _: None).run()
    assert threading.active_count() < 20
