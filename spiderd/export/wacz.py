"""`wacz`: a crawl in one file that replay tools open as it is (WACZ 1.1.1, specs.webrecorder.net/wacz).

A ZIP file whose members a reader finds by the directory at its end, so that a page is a few small reads away:

    archive/data.warc.gz         the records, as `warc` writes them; not compressed again
    indexes/index.cdx.gz         CDXJ lines, sorted, in gzip members of `BLOCK` lines each
    indexes/index.idx            the first key of each member, and where it lies
    pages/pages.jsonl            seeds that are pages
    pages/extraPages.jsonl       all other pages
    datapackage.json             size and SHA-256 of each of these
    datapackage-digest.json      and the SHA-256 of that

Written from front to end, so it may go into a pipe. In memory are a page and a run of index lines.
"""

from __future__ import annotations

import hashlib
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import IO

import msgspec
from isal import isal_zlib

from spiderd import __version__
from spiderd.archive.warc import GZIP, date, info_record, pack
from spiderd.export.cdxj import cdxj_line, sorted_lines
from spiderd.export.job import Job
from spiderd.export.warc import records_of
from spiderd.states import OutcomeKind
from spiderd.store.records import PageRecord

VERSION = "1.1.1"
DATA = "data.warc.gz"
INDEX = "index.cdx.gz"
BLOCK = 1000  # lines of the index that are packed together
DOCUMENTS = ("text/html", "application/xhtml+xml")
"""Types of what a reader opens; everything else is found through the index."""

_encode = msgspec.json.encode


def write_wacz(job: Job) -> None:
    """Write every page that was stored, is a duplicate, or leads elsewhere, ready for replay."""
    with zipfile.ZipFile(job.out, "w") as file:
        package = _Package(file)
        with sorted_lines(_write_data(job, package)) as lines:
            blocks = _write_index(package, lines)
        with package.member(f"indexes/{INDEX.removesuffix('.cdx.gz')}.idx") as out:
            out.write(b'!meta 0 {"format": "cdxj-gzip-1.0", "filename": "%s"}\n' % INDEX.encode())
            out.write(b"".join(blocks))
        main = _write_pages(job, package, seeds=True)
        _write_pages(job, package, seeds=False)
        package.finish(main)


class _Member:
    """One file of a package while it is written: counted and digested."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> None:
        self._file.write(data)
        self._digest.update(data)
        self.size += len(data)

    @property
    def hash(self) -> str:
        return f"sha256:{self._digest.hexdigest()}"


class _Package:
    """The ZIP file, and what is told of its members at its end."""

    def __init__(self, file: zipfile.ZipFile) -> None:
        self._file = file
        self._now = time.time()
        self._resources: list[dict[str, object]] = []

    @contextmanager
    def member(self, path: str, *, packed: bool = True) -> Iterator[_Member]:
        """Add a file; one that is compressed in itself is not to be `packed`."""
        info = zipfile.ZipInfo(path, time.gmtime(self._now)[:6])
        info.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
        info.external_attr = 0o644 << 16
        with self._file.open(info, "w", force_zip64=True) as file:  # nobody knows yet how long it gets
            member = _Member(file)
            yield member
        name = path.rpartition("/")[2].lower()  # of a resource: lower case, by the rules of data packages
        self._resources.append({"name": name, "path": path, "hash": member.hash, "bytes": member.size})

    def finish(self, main: PageRecord | None) -> None:
        """Write what is told of the members; `main` is the page to begin with."""
        told: dict[str, object] = {
            "profile": "data-package",
            "wacz_version": VERSION,
            "software": f"spiderd/{__version__}",
            "created": date(self._now),
            "resources": list(self._resources),
        }
        if main is not None:
            told |= {"title": main.title or main.url}
            told |= {"mainPageUrl": main.url, "mainPageDate": date(main.fetched_at)}
        with self.member("datapackage.json") as out:
            out.write(msgspec.json.format(_encode(told), indent=2))
        digest = self._resources[-1]["hash"]
        with self.member("datapackage-digest.json") as out:
            out.write(_encode({"path": "datapackage.json", "hash": digest}))


def _write_data(job: Job, package: _Package) -> Iterator[bytes]:
    """Write all records, and yield the line of each that has one in the index."""
    with package.member(f"archive/{DATA}", packed=False) as out:
        out.write(info_record(f"spiderd/{__version__}", DATA, time.time()))
        for _, page in job.pages():
            try:
                records = records_of(job, page)
            except OSError:
                job.missing += 1
                continue
            for record in records:
                offset = out.size
                out.write(record)
                yield cdxj_line(isal_zlib.decompress(record, GZIP), DATA, offset, len(record))


def _write_index(package: _Package, lines: Iterator[bytes]) -> list[bytes]:
    """Write the index in blocks, and return the line of each block."""
    blocks = []
    with package.member(f"indexes/{INDEX}", packed=False) as out:
        while block := list(islice(lines, BLOCK)):
            packed = pack(b"".join(block))
            digest = f"sha256:{hashlib.sha256(packed).hexdigest()}"
            place = {"offset": out.size, "length": len(packed), "digest": digest, "filename": INDEX}
            key = block[0].partition(b" {")[0]
            blocks.append(key + b" " + _encode(place) + b"\n")
            out.write(packed)
    return blocks


def _write_pages(job: Job, package: _Package, *, seeds: bool) -> PageRecord | None:
    """List pages: the seeds, or all others; the first of them."""
    first = None
    name, title = ("pages", "Seeds") if seeds else ("extraPages", "Pages")
    with package.member(f"pages/{name}.jsonl") as out:
        out.write(_encode({"format": "json-pages-1.0", "id": name, "title": title}) + b"\n")
        for number, page in job.pages():
            if _is_document(page) and (page.depth == 0) is seeds:
                first = first or page
                row = {"id": str(number), "url": page.url, "ts": date(page.fetched_at), "title": page.title}
                out.write(_encode(row) + b"\n")
    return first


def _is_document(page: PageRecord) -> bool:
    return page.kind in (OutcomeKind.STORED, OutcomeKind.DUPLICATE) and page.content_type in DOCUMENTS
