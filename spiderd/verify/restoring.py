"""What is wrong with the archive, put right within the open transaction of a ledger."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from pathlib import Path

from spiderd.archive.directory import INDEX, directory_path
from spiderd.config.declaration import Urls
from spiderd.errors import StorageError
from spiderd.states import OutcomeKind
from spiderd.store.ledger import Ledger
from spiderd.store.records import WaitingUrl
from spiderd.urls import host_key
from spiderd.verify.facts import LOST, Facts
from spiderd.verify.index_file import IndexFile, line_of
from spiderd.verify.rebuilding import all_stored, all_waiting, hashes_of, wait_again

ASIDE = ".lost"
"""Ending of the name of a body that no page has."""


def put_back(ledger: Ledger, facts: Facts) -> None:
    """Let the URLs of pages wait again whose body is missing or damaged; what is there becomes a stray."""
    with ledger.cursor("page_of") as cursor:
        for url_hash, key in cursor:
            page = ledger.pages.get(key) if facts.has(int.from_bytes(key, "big"), LOST) else None
            if page is not None and page.kind is OutcomeKind.STORED:
                wait_again(ledger, url_hash, key, page)


def set_strays_aside(ledger: Ledger, archive: Path, urls: Urls) -> None:
    """Give bodies that no page has another name; their URLs wait, unless they are known to be dealt with."""
    claimed: defaultdict[int, set[int]] = defaultdict(set)
    for page in all_stored(ledger):
        claimed[page.directory].add(page.number)
    stray_urls: dict[bytes, str] = {}
    for number, record in ledger.directories.all():
        folder = directory_path(archive, number)
        index = IndexFile(folder / INDEX, record.index_bytes)
        for file in sorted(folder.iterdir()) if folder.is_dir() else ():
            resource = int(file.name) if file.name.isdigit() else 0
            if 0 < resource <= record.count and resource not in claimed[number]:
                url = index.line(resource).partition(b":")[2].decode(errors="replace")
                _set_aside(file)
                if host_key(url):
                    stray_urls[hashes_of(url, urls)[0]] = url
    for _, _, waiting in all_waiting(ledger) if stray_urls else ():
        stray_urls.pop(waiting.hash, None)
    for url_hash, text in stray_urls.items():
        if ledger.pages.of(url_hash) is None:
            ledger.frontier.enqueue(ledger.hosts.id_of(host_key(text)), WaitingUrl(text, url_hash, 1))


def _set_aside(file: Path) -> None:
    with suppress(FileNotFoundError):
        file.rename(file.with_name(file.name + ASIDE))


def index_files(ledger: Ledger, archive: Path, damaged: set[int]) -> None:
    """Write index.txt of these directories anew, from their pages.

    Raises:
        StorageError: a file cannot be written.
    """
    urls: defaultdict[int, dict[int, str]] = defaultdict(dict)
    for page in all_stored(ledger):
        if page.directory in damaged:
            urls[page.directory][page.number] = page.url
    for number, record in ledger.directories.all():
        if number not in damaged:
            continue
        folder = directory_path(archive, number)
        old = IndexFile(folder / INDEX, record.index_bytes)
        lines = []
        for resource in range(1, max(record.count, *urls[number], 0) + 1):
            url, kept = urls[number].get(resource), old.line(resource)
            if url is None and not kept.startswith(line_of(resource, "")):
                kept = line_of(resource, "")
            lines.append((kept if url is None else line_of(resource, url)) + b"\n")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            temporary = folder / f"{INDEX}.new"
            temporary.write_bytes(b"".join(lines))
            temporary.replace(folder / INDEX)
        except OSError as error:
            raise StorageError(f"{folder / INDEX} cannot be written: {error.strerror}.") from error
        record.index_bytes = sum(map(len, lines))
        ledger.directories.put(number, record)
