"""What a power cut has taken of the files, found when a store is opened, and put back among the waiting.

Only rows behind `State.durable` are looked at: the pages of the last few moments, or of the last steps in the
journal. Each of them must have its body, as long as it was and with the digest that it had, and its line in
index.txt. One that has not is no page: its URL waits again, and so do the duplicates that were not kept
because it was there. Where the end of a directory is lost, it is as if that had never been written; a body
that is lost before others leaves a hole.

Counters and tallies follow; but for those of what was asked and found on the way (answers by status, links,
bytes received), which count work that was done, and it will be done twice.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from spiderd.archive.directory import INDEX, directory_path, resource_name
from spiderd.archive.reading import read_body
from spiderd.archive.records import RECORDS, whole_length
from spiderd.config.declaration import Urls
from spiderd.states import OutcomeKind
from spiderd.store.ledger import Ledger
from spiderd.store.records import DirectoryRecord, PageRecord, number_key
from spiderd.urls import host_key
from spiderd.verify.index_file import IndexFile, IndexFiles, line_of
from spiderd.verify.rebuilding import hashes_of, wait_again
from spiderd.verify.restoring import index_files


class Mending:
    """Puts right what was lost behind the last sync. Call it in the store's thread, with the ledger."""

    def __init__(self, archive: Path, urls: Urls) -> None:
        """Prepare.

        Args:
            archive: folder of the download directories.
            urls: which URLs count as one; decides under which hash a page is found.
        """
        self._archive = archive
        self._urls = urls
        self.lost = 0  # pages whose URLs wait again, duplicates included

    def __call__(self, ledger: Ledger) -> None:
        """Look at all pages behind the last sync.

        Raises:
            StorageError: an index.txt cannot be written.
        """
        self.lost = 0
        gone: list[tuple[bytes, PageRecord]] = []
        damaged: set[int] = set()
        indexes = IndexFiles(self._archive)
        for key, page in _recent(ledger, OutcomeKind.STORED):
            if not self._is_whole(page):
                gone.append((key, page))
            elif page.directory not in damaged:
                length = ledger.directories.get(page.directory).index_bytes
                if indexes.get(page.directory, length).line(page.number) != line_of(page.number, page.url):
                    damaged.add(page.directory)
        lost: defaultdict[int, set[int]] = defaultdict(set)
        for key, page in gone:
            lost[page.directory].add(page.number)
            self._forget(ledger, key, page)
        if damaged:
            index_files(ledger, self._archive, damaged)
        for number, resources in lost.items():
            self._mend_directory(ledger, number, resources)
        if gone:
            twins = _recent(ledger, OutcomeKind.DUPLICATE)
            for key, page in [twin for twin in twins if not ledger.pages.has_content(twin[1].digest)]:
                self._forget(ledger, key, page)

    def _is_whole(self, page: PageRecord) -> bool:
        try:
            body = read_body(self._archive, page.directory, page.number)
        except OSError:
            return False
        return hashlib.blake2b(body, digest_size=len(page.digest)).digest() == page.digest

    def _forget(self, ledger: Ledger, key: bytes, page: PageRecord) -> None:
        """Undo the record of a page: its URL waits again."""
        counters, host = ledger.state.counters, ledger.hosts.tallies(ledger.hosts.id_of(host_key(page.url)))
        counters.complete -= 1
        host.complete -= 1
        ledger.tree.not_complete(page.url)
        if page.kind is OutcomeKind.DUPLICATE:
            counters.duplicates -= 1
        else:
            counters.pages -= 1
            counters.bytes -= page.size
            host.pages -= 1
            host.bytes -= page.size
            ledger.directories.put(page.directory, _without(ledger, page))
            if ledger.get("content", page.digest) == key:
                ledger.delete("content", page.digest)
        wait_again(ledger, self._hash_of(ledger, key, page), key, page)
        self.lost += 1

    def _hash_of(self, ledger: Ledger, key: bytes, page: PageRecord) -> bytes:
        """The hash that a page is known by; if settings have changed, not by that of today."""
        likely = hashes_of(page.url, self._urls)
        for candidate in likely:
            if ledger.get("page_of", candidate) == key:
                return candidate
        with ledger.cursor("page_of") as cursor:
            return next((url_hash for url_hash, value in cursor if value == key), likely[0])

    def _mend_directory(self, ledger: Ledger, number: int, lost: set[int]) -> None:
        """Take what is lost at the end off a directory, and what is left of its files off the disk."""
        folder = directory_path(self._archive, number)
        for resource in lost:
            with suppress(FileNotFoundError):
                (folder / resource_name(resource)).unlink()
        record = ledger.directories.get(number)
        while record.count in lost:
            record.count -= 1
        index = IndexFile(folder / INDEX, record.index_bytes)
        record.index_bytes = index.end(record.count)
        if record.records_bytes and record.records_bytes > _size(folder / RECORDS):
            record.records_bytes = whole_length(folder)
        ledger.directories.put(number, record)


def _recent(ledger: Ledger, kind: OutcomeKind) -> Iterator[tuple[bytes, PageRecord]]:
    """Yield key and row of each page of a kind whose last change is behind the last sync."""
    with ledger.cursor("changes") as cursor:
        more = cursor.set_range(number_key(ledger.state.durable + 1))
        while more:
            change, key = int.from_bytes(cursor.key(), "big"), cursor.value()
            page = ledger.pages.get(key)
            if page is not None and page.change == change and page.kind is kind:
                yield key, page
            more = cursor.next()


def _without(ledger: Ledger, page: PageRecord) -> DirectoryRecord:
    record = ledger.directories.get(page.directory)
    record.bytes -= page.size
    return record


def _size(file: Path) -> int:
    return file.stat().st_size if file.is_file() else 0
