"""`warc`: everything in one WARC 1.1 file, ready for replay, whatever the archive is kept as.

Records that the archive has are copied as they are, request included; what it keeps as files gets a head that
is put together from what the store knows. A page with the content of another one becomes a revisit that
names it, a redirect a response with its Location. What later visits have replaced is there, too.
"""

from __future__ import annotations

import time
from itertools import chain

from spiderd import __version__
from spiderd.archive.directory import directory_path
from spiderd.archive.reading import made_up_head, read_body
from spiderd.archive.records import OFFSETS, offset_of, raw_records
from spiderd.archive.warc import Original, Received, exchange_records, info_record, revisit_records
from spiderd.export.job import Job
from spiderd.states import OutcomeKind
from spiderd.store.records import PageRecord


def write_warc(job: Job) -> None:
    """Write the records of all that was stored, is a duplicate, or leads elsewhere; older versions first."""
    job.out.write(info_record(f"spiderd/{__version__}", "export.warc.gz", time.time()))
    for page in chain(job.snapshot.versions(), (page for _, page in job.pages())):
        try:
            records = records_of(job, page)
        except OSError:
            job.missing += 1
            continue
        job.out.write(b"".join(records))


def records_of(job: Job, page: PageRecord) -> list[bytes]:
    """Return the records of a page, none for what has no answer to be kept.

    Raises:
        OSError: its body, or that of the page that has the same, cannot be read.
    """
    if page.kind is OutcomeKind.STORED and page.number:
        folder = directory_path(job.archive, page.directory)
        if (folder / OFFSETS).exists() and (offset := offset_of(folder, page.number)):
            return raw_records(folder, offset)
        return exchange_records(_received(page, read_body(job.archive, page.directory, page.number)))
    if page.kind is OutcomeKind.DUPLICATE:
        first = job.snapshot.original(page.digest)
        if first is None:
            raise FileNotFoundError(2, "the page that has this content is not there", page.url)
        body = read_body(job.archive, first.directory, first.number)
        return revisit_records(_received(page, body), Original(first.url, first.fetched_at))
    if page.kind is OutcomeKind.REDIRECT:
        return exchange_records(_received(page, b""))
    return []


def _received(page: PageRecord, body: bytes) -> Received:
    return Received(
        page.url,
        page.fetched_at,
        page.status,
        made_up_head(page),
        body,
        address=page.address,
        truncated=page.truncated,
    )
