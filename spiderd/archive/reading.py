"""Reads what the archive holds, whoever asks and however it is kept.

A resource is a file of its own or a record; the format of a crawl may be changed, so one directory may have
both. Whoever has a page's row (`directory`, `number`) need not know.
"""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

from spiderd.archive import records
from spiderd.archive.directory import directory_path, resource_name
from spiderd.archive.records import Response
from spiderd.archive.warc import Received, kept_head

if TYPE_CHECKING:  # fetchers read the archive, and have no store
    from spiderd.store.records import PageRecord


def read_body(root: Path, directory: int, number: int) -> bytes:
    """Return the body of a resource, content coding undone.

    Args:
        root: the archive's root.
        directory: number of the download directory.
        number: of the resource in it.

    Raises:
        OSError: it is not there, or cannot be read.
    """
    folder = directory_path(root, directory)
    try:
        return (folder / resource_name(number)).read_bytes()
    except FileNotFoundError:
        if not (folder / records.OFFSETS).exists():
            raise
    return records.read_response(folder, number).body


def read_response(root: Path, page: PageRecord) -> Response:
    """Return the answer that a page was, head and body.

    The head of a resource that is kept as a file is put together from what the store knows.

    Raises:
        OSError: the body is not there, or cannot be read.
    """
    folder = directory_path(root, page.directory)
    if (folder / records.OFFSETS).exists() and records.offset_of(folder, page.number):
        return records.read_response(folder, page.number)
    body = read_body(root, page.directory, page.number)
    return Response(
        kept_head(Received(page.url, page.fetched_at, page.status, made_up_head(page), body)), body
    )


def made_up_head(page: PageRecord) -> bytes:
    """Put together the head of an answer from what the store knows of it."""
    try:
        phrase = HTTPStatus(page.status).phrase
    except ValueError:
        phrase = ""
    fields = {
        "Content-Type": page.content_type,
        "ETag": page.etag,
        "Last-Modified": page.last_modified,
        "Location": page.location,
    }
    lines = [f"{name}: {value}" for name, value in fields.items() if value]
    return "\r\n".join([f"HTTP/1.1 {page.status} {phrase}", *lines]).encode("utf-8", "surrogateescape")


def place_of(root: Path, directory: int, number: int) -> Path:
    """Return the file in which a resource lies."""
    folder = directory_path(root, directory)
    file = folder / resource_name(number)
    return file if file.exists() or not (folder / records.RECORDS).exists() else folder / records.RECORDS
