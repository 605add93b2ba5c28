r"""`tianwang`: the raw page format of Peking University's Tianwang and TSE, out and back in.

A file is a sequence of records without anything between them:

    version: 1.0                                the first property
    url: http://example.org/
    date: Tue, 16 Sep 2003 14:13:20 GMT         when it was fetched (RFC 1123)
    ip: 192.0.2.1
    unzip-length: 11683                         only where the data is packed with zlib: its length unpacked
    length: 4171                                the last property: bytes of the data as they follow
                                                an empty line ends the properties
    HTTP/1.1 200 OK ...                         the data: head of the answer, an empty line, body
                                                and a line feed, which `length` does not count

Names of properties are in lower case, and there may be others (`origin`). The format has no word for bodies
that were cut; duplicates and redirects have no record.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from email.utils import formatdate
from typing import BinaryIO, NamedTuple

from spiderd.archive.reading import read_response
from spiderd.export.job import Job

LONGEST_LINE = 64 * 1024
MOST_PROPERTIES = 100
LARGEST = 1 << 30  # bytes of one record that the reader takes

_HEAD_END = re.compile(rb"\r?\n\r?\n")
_BREAKS = re.compile(r"[\x00-\x1f\x7f]")


class BadTianwang(ValueError):
    """What was read is not a sequence of records."""


class TianwangRecord(NamedTuple):
    """One page as it was read."""

    properties: dict[str, str]
    head: bytes  # of the answer, without the empty line
    body: bytes


def write_tianwang(job: Job, *, packed: bool = False) -> None:
    """Write every page that is in the archive.

    Args:
        job: the export.
        packed: pack the data of each with zlib.
    """
    for page in job.stored():
        try:
            response = read_response(job.archive, page)
        except OSError:
            job.missing += 1
            continue
        job.out.write(
            tianwang_record(
                page.url, page.fetched_at, page.address, response.head + response.body, packed=packed
            )
        )


def tianwang_record(url: str, at: float, address: str, data: bytes, *, packed: bool = False) -> bytes:
    """Return one record; `data` is the head of the answer, an empty line, and the body."""
    properties = {"version": "1.0", "url": url, "date": formatdate(at, usegmt=True), "ip": address}
    if packed:
        properties["unzip-length"] = str(len(data))
        data = zlib.compress(data)
    properties["length"] = str(len(data))
    lines = [f"{name}: {_BREAKS.sub(' ', value)}\n" for name, value in properties.items() if value]
    return b"".join(("".join(lines).encode("utf-8", "backslashreplace"), b"\n", data, b"\n"))


def read_tianwang(file: BinaryIO) -> Iterator[TianwangRecord]:
    """Read the records of a file, one after the other.

    Raises:
        BadTianwang: it is damaged, or no such file.
    """
    while (properties := _properties(file)) is not None:
        data = _exactly(file, _number(properties, "length"))
        if file.read(1) not in (b"\n", b""):
            raise BadTianwang("a record is longer than it says")
        if "unzip-length" in properties:
            data = _unpacked(data, _number(properties, "unzip-length"))
        end = _HEAD_END.search(data)
        head, body = (data[: end.start()], data[end.end() :]) if end else (data, b"")
        yield TianwangRecord(properties, head, body)


def _properties(file: BinaryIO) -> dict[str, str] | None:
    """Read the properties of the next record; None at the end of the file."""
    properties: dict[str, str] = {}
    while line := file.readline(LONGEST_LINE):
        if not line.endswith(b"\n"):
            raise BadTianwang("a property does not end")
        text = line.decode("utf-8", "replace").strip()
        if not text:
            if properties:
                return properties
            continue  # TSE itself wrote more than one line feed between records
        name, colon, value = text.partition(":")
        if not colon or len(properties) >= MOST_PROPERTIES or (not properties and name != "version"):
            raise BadTianwang(f"a record begins with {text[:40]!r}")
        properties[name] = value.strip()
    if properties:
        raise BadTianwang("the file ends in the middle of a record")
    return None


def _number(properties: dict[str, str], name: str) -> int:
    value = properties.get(name, "")
    if not value.isascii() or not value.isdigit() or len(value) > 10 or int(value) > LARGEST:
        raise BadTianwang(f"a record has no usable {name}: {value[:40]!r}")
    return int(value)


def _exactly(file: BinaryIO, length: int) -> bytes:
    data = file.read(length)
    if len(data) < length:
        raise BadTianwang("the file ends in the middle of a record")
    return data


def _unpacked(data: bytes, length: int) -> bytes:
    try:
        unpacked = zlib.decompressobj().decompress(data, length + 1)
    except zlib.error as error:
        raise BadTianwang(f"the data of a record cannot be unpacked: {error}") from error
    if len(unpacked) != length:
        raise BadTianwang("the data of a record is not as long as it says")
    return unpacked
