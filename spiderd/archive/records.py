"""`records.warc.gz` of a download directory, and `records.offsets`, which finds a resource in it.

Records are appended as exchanges end, each a gzip member. `records.offsets` has 8 bytes a resource: where its
response record begins, big-endian; 0 for one that is kept as a file (the format may be changed). The store
knows how long the committed part is, revisits and redirects included, which are no resources; what lies
beyond is cut back when the directory is opened. Blocking.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, cast

from isal import isal_zlib

from spiderd import __version__
from spiderd.archive.warc import GZIP, SUFFIX, info_record

RECORDS = "records.warc.gz"
OFFSETS = "records.offsets"
PIECE = 64 * 1024
OFFSET_BYTES = 8
_DAMAGE = cast("type[Exception]", isal_zlib.error)  # the stub takes the class for an instance


class BadRecord(OSError):
    """What lies at an offset is not the record of a response."""


class Response(NamedTuple):
    """A response as it was kept."""

    head: bytes  # status line and fields, the empty line included
    body: bytes


class Records:
    """An open records file, positioned behind what is committed."""

    def __init__(self, folder: int, number: int, *, count: int, length: int) -> None:
        """Open or make the files, and cut back what was never committed.

        Args:
            folder: descriptor of the download directory.
            number: of that directory.
            count: resources that are committed.
            length: bytes of records that are committed.

        Raises:
            OSError: they cannot be made.
        """
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
        self._records = os.open(RECORDS, flags, 0o644, dir_fd=folder)
        self._offsets = -1
        try:
            self._offsets = os.open(OFFSETS, flags, 0o644, dir_fd=folder)
            self.length = length
            self.cut()
            os.ftruncate(self._offsets, OFFSET_BYTES * count)
            if not length:
                self._append([info_record(f"spiderd/{__version__}", f"{number:05d}-{RECORDS}", time.time())])
        except OSError:
            self.close()
            raise

    def add(self, number: int, records: Iterable[bytes]) -> None:
        """Append the records of a resource, its response first.

        Raises:
            OSError: call `cut` with the length that there was before.
        """
        os.pwrite(self._offsets, self.length.to_bytes(OFFSET_BYTES, "big"), OFFSET_BYTES * (number - 1))
        self._append(records)

    def note(self, records: Iterable[bytes]) -> None:
        """Append records that are no resource.

        Raises:
            OSError: see `add`.
        """
        self._append(records)

    def _append(self, records: Iterable[bytes]) -> None:
        data = memoryview(b"".join(records))
        done = 0
        while done < len(data):
            done += os.pwrite(self._records, data[done:], self.length + done)
        self.length += done

    def cut(self, length: int | None = None) -> None:
        """Cut off what lies beyond a length; the one that there is by default."""
        self.length = self.length if length is None else length
        os.ftruncate(self._records, self.length)

    def close(self) -> None:
        """Close the files; may be called twice."""
        for fd in (self._records, self._offsets):
            if fd >= 0:
                os.close(fd)
        self._records = self._offsets = -1


def offset_of(folder: Path, number: int) -> int:
    """Return where the response of a resource begins; 0 where it is not among the records.

    Raises:
        OSError: there is no such file.
    """
    fd = os.open(folder / OFFSETS, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        return int.from_bytes(os.pread(fd, OFFSET_BYTES, OFFSET_BYTES * (number - 1)), "big")
    finally:
        os.close(fd)


def read_response(folder: Path, number: int) -> Response:
    """Read the response of a resource.

    Raises:
        OSError: it is not there, or is damaged (`BadRecord`).
    """
    offset = offset_of(folder, number)
    if not offset:
        raise FileNotFoundError(2, "it is not among the records", str(folder / RECORDS))
    return parse_response(_member(folder / RECORDS, offset)[0])


def walk_records(folder: Path, length: int) -> Iterator[tuple[int, int, bytes]]:
    """Yield offset, length and content of each record up to the committed length.

    Raises:
        OSError: the file is not there, or is damaged (`BadRecord`).
    """
    offset = 0
    while offset < length:
        data, size = _member(folder / RECORDS, offset)
        yield offset, size, data
        offset += size


def whole_length(folder: Path) -> int:
    """Return the length of the records up to the end of the last one that is whole."""
    length = 0
    try:
        while True:
            length += _member(folder / RECORDS, length)[1]
    except OSError:
        return length


def raw_records(folder: Path, offset: int) -> list[bytes]:
    """Return the response record at an offset and the request that belongs to it, as they lie in the file.

    Raises:
        OSError: there is none, or it is damaged (`BadRecord`).
    """
    response, length = _member(folder / RECORDS, offset)
    parse_response(response)
    raw = [_raw(folder / RECORDS, offset, length)]
    try:
        following, more = _member(folder / RECORDS, offset + length)
    except BadRecord:  # it is the last one, and has no request
        return raw
    lines = following.partition(SUFFIX)[0].lower().split(b"\r\n")
    if b"warc-type: request" in lines:
        raw.append(_raw(folder / RECORDS, offset + length, more))
    return raw


def _raw(file: Path, offset: int, length: int) -> bytes:
    with file.open("rb") as records:
        records.seek(offset)
        return records.read(length)


def _member(file: Path, offset: int) -> tuple[bytes, int]:
    """Decompress the gzip member at an offset; with it, its length in the file."""
    unpacker = isal_zlib.decompressobj(GZIP)
    parts = []
    begin = offset
    fd = os.open(file, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        while not unpacker.eof:
            piece = os.pread(fd, PIECE, offset)
            if not piece:
                raise BadRecord(5, "the record ends too early")
            offset += len(piece)
            parts.append(unpacker.decompress(piece))
    except _DAMAGE as error:
        raise BadRecord(5, f"the record cannot be decompressed: {error}") from error
    finally:
        os.close(fd)
    return b"".join(parts), offset - begin - len(unpacker.unused_data)


def parse_response(data: bytes) -> Response:
    """Take a response record apart.

    Raises:
        BadRecord: it is none, or is not whole.
    """
    fields, _, rest = data.partition(SUFFIX)
    lines = fields.lower().split(b"\r\n")
    lengths = [line.partition(b":")[2].strip() for line in lines if line.startswith(b"content-length:")]
    if b"warc-type: response" not in lines or not lengths or not lengths[0].isdigit():
        raise BadRecord(5, "it is not the record of a response")
    length = int(lengths[0])
    if len(rest) != length + len(SUFFIX):
        raise BadRecord(5, "the record is not as long as it says")
    head, _, body = rest[:length].partition(SUFFIX)
    return Response(head + SUFFIX, body)
