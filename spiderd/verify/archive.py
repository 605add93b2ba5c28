"""The archive against the store: bodies against digests, index.txt against pages, directories' rows.

A number of a directory that no page has and where no file lies is a hole: its page was put back by a repair.
What lies beyond the committed count is no damage: the next start cuts it back.
"""

from __future__ import annotations

import hashlib

from spiderd.archive.directory import directory_path, resource_name
from spiderd.archive.reading import read_body
from spiderd.archive.records import RECORDS
from spiderd.states import OutcomeKind
from spiderd.store.records import DirectoryRecord, PageRecord
from spiderd.verify.facts import LOST, DirectoryFacts
from spiderd.verify.index_file import IndexFiles, line_of
from spiderd.verify.walking import Walk


def check_archive(walk: Walk, *, read: bool = True) -> None:
    """Look at every page that was stored, and at every directory.

    Args:
        walk: the walk.
        read: read the bodies and compare their digests.
    """
    for key, row in walk.table("directories"):
        number = int.from_bytes(key, "big")
        record = walk.read(DirectoryRecord, row, "directories", f"directory {number}")
        if record is not None:
            walk.facts.directories[number] = DirectoryFacts(record, bytearray(record.count // 8 + 1))
    indexes = IndexFiles(walk.archive)
    total = walk.report.pages
    with walk.rows.cursor("pages") as cursor:
        for done, (key, row) in enumerate(cursor):
            if done % 50 == 0:
                walk.tell("archive", done, total)
            page = walk.read(PageRecord, row, "pages", "a page")
            if page is not None and page.kind is OutcomeKind.STORED:
                number = int.from_bytes(key, "big")
                _check_place(walk, indexes, number, page)
                if read and not _check_body(walk, page):
                    walk.facts.mark(number, LOST)
    for key, row in walk.table("versions"):
        page = walk.read(PageRecord, row, "versions", "a version")
        if page is not None:
            _check_place(walk, indexes, int.from_bytes(key[:8], "big"), page)
            if read and not _check_body(walk, page):
                walk.report.add("versions", f"the body of an older {page.url} is not what it was")
    walk.tell("archive", total, total)
    for number, facts in walk.facts.directories.items():
        _check_directory(walk, indexes, number, facts)


def _check_place(walk: Walk, indexes: IndexFiles, number: int, page: PageRecord) -> None:
    """Whether the directory knows of this resource, and the index of its URL."""
    facts = walk.facts.directories.get(page.directory)
    if facts is None or page.number < 1:
        walk.report.add(
            "directories", f"page {number} lies in directory {page.directory}, which there is not"
        )
        return
    place = f"{page.directory:05d}/{resource_name(page.number)}"
    if not facts.claim(page.number):
        walk.report.add("directories", f"page {number}, {page.url}: another page has {place}, too")
    facts.bytes += page.size
    index = indexes.get(page.directory, facts.record.index_bytes)
    if index.line(page.number) != line_of(page.number, page.url):
        walk.report.add("index", f"index.txt has another line for {place} than that of {page.url}")
        walk.facts.bad_index.add(page.directory)


def _check_body(walk: Walk, page: PageRecord) -> bool:
    """Whether the body of a page is in the archive, as it was stored."""
    place = f"{page.directory:05d}/{resource_name(page.number)}, {page.url}"
    try:
        body = read_body(walk.archive, page.directory, page.number)
    except OSError as error:
        walk.report.add("files", f"{place}: {error.strerror or error}")
        return False
    walk.report.resources += 1
    walk.report.bytes += len(body)
    if len(body) != page.size:
        walk.report.add("files", f"{place}: {len(body)} bytes where {page.size} were stored")
        return False
    if hashlib.blake2b(body, digest_size=len(page.digest) or 16).digest() != page.digest:
        walk.report.add("files", f"{place}: its content is not what was stored")
        return False
    return True


def _check_directory(walk: Walk, indexes: IndexFiles, number: int, facts: DirectoryFacts) -> None:
    record, report = facts.record, walk.report
    index = indexes.get(number, record.index_bytes)
    name = f"directory {number:05d}"
    if not index.is_whole or not index.ends_whole:
        report.add("index", f"{name}: index.txt is not as long as what is committed of it")
        walk.facts.bad_index.add(number)
    elif len(index) != record.count:
        report.add("directories", f"{name} has {record.count} resources, index.txt {len(index)}")
    if facts.highest > record.count:
        report.add("directories", f"{name} has {record.count} resources, but pages up to {facts.highest}")
    if facts.bytes != record.bytes:
        report.add("directories", f"{name}: {record.bytes} bytes, its pages have {facts.bytes}")
    folder = directory_path(walk.archive, number)
    records = folder / RECORDS
    size = records.stat().st_size if records.is_file() else 0
    if size < record.records_bytes:
        report.add("directories", f"{name}: {record.records_bytes} bytes of records, {RECORDS} has {size}")
    beyond = 0
    for file in folder.iterdir() if folder.is_dir() else ():
        if not file.name.isdigit():
            continue
        if int(file.name) > max(record.count, facts.highest):
            beyond += 1
        elif not facts.is_claimed(int(file.name)):
            report.add("files", f"{number:05d}/{file.name} belongs to no page")
    if beyond:
        report.notes.append(
            f"{name}: {beyond} resources that were never committed; the next start removes them"
        )
