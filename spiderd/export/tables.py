"""Pages as tables: `urls`, `jsonl`, `csv`."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime
from typing import Any

import msgspec

from spiderd.archive.directory import directory_path, resource_name
from spiderd.export.job import Job
from spiderd.store.records import PageRecord

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula; such text gets an apostrophe in CSV, since titles
and headers are whatever a site says."""


def write_urls(job: Job) -> None:
    """Write the URL of every page that was asked for, one a line."""
    for _, page in job.pages():
        job.out.write(_bytes(page.url) + b"\n")


def write_jsonl(job: Job) -> None:
    """Write every page as a JSON object, one a line."""
    encode = msgspec.json.Encoder().encode
    for number, page in job.pages():
        job.out.write(encode(columns(job, number, page)) + b"\n")


def write_csv(job: Job) -> None:
    """Write every page as a line of CSV (RFC 4180), the names of the columns first."""
    text = io.StringIO()
    writer = csv.writer(text)
    header = False
    for number, page in job.pages():
        row = columns(job, number, page)
        if not header:
            writer.writerow(row)
            header = True
        writer.writerow([harmless(value) for value in row.values()])
        job.out.write(_bytes(text.getvalue()))
        text.seek(0)
        text.truncate()


def columns(job: Job, number: int, page: PageRecord) -> dict[str, Any]:
    """Name what is known of a page."""
    referrer = job.snapshot.page(page.referrer) if page.referrer else None
    at = datetime.fromtimestamp(page.fetched_at, UTC).isoformat(timespec="milliseconds")
    folder = directory_path(job.archive, page.directory).name
    return {
        "page": number,
        "url": page.url,
        "outcome": page.kind.value,
        "status": page.status,
        "failure": page.failure.value,
        "fetched_at": at if page.fetched_at else "",
        "depth": page.depth,
        "referrer": referrer.url if referrer else "",
        "location": page.location,
        "content_type": page.content_type,
        "charset": page.charset,
        "lang": page.lang,
        "title": page.title,
        "canonical": page.canonical,
        "size": page.size,
        "truncated": page.truncated,
        "digest": page.digest.hex(),
        "resource": f"{folder}/{resource_name(page.number)}" if page.number else "",
        "etag": page.etag,
        "last_modified": page.last_modified,
        "address": page.address,
        "elapsed": round(page.elapsed, 4),
        "tries": page.tries,
        "noindex": page.noindex,
    }


def harmless(value: object) -> object:
    """A value that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
