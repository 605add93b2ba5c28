"""One download directory: resources `00001`, `00002`, ... and `index.txt`, a line each: `00001:URL`.

Instead of a file each, resources may be records of one (`spiderd.archive.records`); the rest is the same.

A directory is owned by one worker, which writes one resource after the other. File first, index line second,
row in the store last: what lies beyond the committed count belongs to nobody and is cut back when the
directory is opened. Blocking; callers run it in a thread.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

from spiderd.archive.records import RECORDS, Records, offset_of
from spiderd.archive.warc import Received, exchange_records
from spiderd.errors import CannotCreate, DiskFull, StorageError

INDEX = "index.txt"


def resource_name(number: int) -> str:
    """Name of a resource: five digits."""
    return f"{number:05d}"


def directory_path(root: Path, directory: int) -> Path:
    """Folder of a download directory under the archive's root."""
    return root / f"{directory:05d}"


class Directory:
    """An open download directory, positioned behind its last committed resource."""

    def __init__(
        self,
        root: Path,
        number: int,
        *,
        count: int = 0,
        index_bytes: int = 0,
        records_bytes: int = 0,
        warc: bool = False,
    ) -> None:
        """Open or make the directory and cut back what was never committed.

        Args:
            root: the archive's root.
            number: of the directory.
            count: resources that are committed.
            index_bytes: length of the committed part of index.txt.
            records_bytes: length of the committed part of the records.
            warc: keep resources as records.

        Raises:
            CannotCreate: the folder cannot be made.
            StorageError: index.txt or the records are shorter than what is committed.
        """
        self.number = number
        self.path = directory_path(root, number)
        self._fd = self._index = -1
        self._records: Records | None = None
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
            self._index = os.open(INDEX, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644, dir_fd=self._fd)
            self._cut_back(count, index_bytes)
            self._open_records(count, records_bytes, warc=warc)
        except OSError as error:
            self.close()
            raise CannotCreate(
                f"Cannot open the download directory {self.path}: {error.strerror}."
            ) from error
        except StorageError:
            self.close()
            raise
        self.count = count
        self.index_bytes = index_bytes

    def _cut_back(self, count: int, index_bytes: int) -> None:
        length = os.fstat(self._index).st_size
        if length < index_bytes:
            raise StorageError(
                f"{self.path / INDEX} has {length} bytes where {index_bytes} were committed: something has "
                f"damaged it. Restore it, or repair the store."
            )
        if length > index_bytes:
            os.ftruncate(self._index, index_bytes)
        os.lseek(self._index, index_bytes, os.SEEK_SET)
        for name in os.listdir(self._fd):  # noqa: PTH208  # by descriptor: the folder cannot be swapped
            if name.isdigit() and int(name) > count:
                os.unlink(name, dir_fd=self._fd)

    def _open_records(self, count: int, length: int, *, warc: bool) -> None:
        """Open the records where they are kept, and cut them back in any case."""
        self._warc = warc
        try:
            there = os.stat(RECORDS, dir_fd=self._fd, follow_symlinks=False).st_size
        except FileNotFoundError:
            there = 0
            if not (warc or length):
                return
        if there < length and (
            not there or offset_of(self.path, count) >= there
        ):  # more than revisits is gone
            raise StorageError(
                f"{self.path / RECORDS} has {there} bytes where {length} were committed: something has "
                f"damaged it. Restore it, or repair the store."
            )
        self._records = Records(self._fd, self.number, count=count, length=min(there, length))

    @property
    def records_bytes(self) -> int:
        """Length of the records; 0 where there are none."""
        return self._records.length if self._records else 0

    def note(self, records: list[bytes]) -> None:
        """Append records that are no resource; where none are kept, nothing is.

        Raises:
            DiskFull, StorageError: nothing was added.
        """
        if self._records is None or not self._warc:
            return
        before = self._records.length
        try:
            self._records.note(records)
        except OSError as error:
            with suppress(OSError):
                self._records.cut(before)
            raise _failed(self.path / RECORDS, error) from error

    def store(self, url: str, body: bytes, received: Received | None = None) -> int:
        """Write one resource and its index line; its number.

        Args:
            url: of the resource.
            body: codings undone.
            received: the whole exchange, for records.

        Raises:
            DiskFull: there is no room; nothing was added.
            StorageError: the disk failed; nothing was added.
        """
        number = self.count + 1
        line = f"{resource_name(number)}:{url}\n".encode()
        before = self.records_bytes
        try:
            if self._records is not None and self._warc and received is not None:
                self._records.add(number, exchange_records(received))
            else:
                self._write_file(resource_name(number), body)
            _write_all(self._index, line)
        except OSError as error:
            self._undo(resource_name(number), before)
            raise _failed(self.path / resource_name(number), error) from error
        self.count = number
        self.index_bytes += len(line)
        return number

    def _write_file(self, name: str, body: bytes) -> None:
        fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o644, dir_fd=self._fd)
        try:
            _write_all(fd, body)
        finally:
            os.close(fd)

    def _undo(self, name: str, records_bytes: int) -> None:
        try:
            if self._records is not None:
                self._records.cut(records_bytes)
            os.ftruncate(self._index, self.index_bytes)
            os.lseek(self._index, self.index_bytes, os.SEEK_SET)
            os.unlink(name, dir_fd=self._fd)
        except OSError:
            pass  # the next opening cuts it back

    def close(self) -> None:
        """Close the directory; may be called twice."""
        for fd in (self._index, self._fd):
            if fd >= 0:
                os.close(fd)
        self._index = self._fd = -1
        if self._records is not None:
            self._records.close()


def cut_back(root: Path, number: int, count: int, index_bytes: int, records_bytes: int = 0) -> None:
    """Remove from a directory that nobody writes to what was never committed.

    Args:
        root: the archive's root.
        number: of the directory.
        count: resources that are committed.
        index_bytes: length of the committed part of index.txt.
        records_bytes: length of the committed part of the records.

    Raises:
        CannotCreate, StorageError: see `Directory`.
    """
    if count or directory_path(root, number).exists():
        Directory(root, number, count=count, index_bytes=index_bytes, records_bytes=records_bytes).close()


def _failed(where: Path, error: OSError) -> StorageError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"No room left for {where}.")
    return StorageError(f"Cannot write {where}: {error.strerror}.")


def _write_all(fd: int, data: bytes) -> None:
    written = os.write(fd, data)
    while written < len(data):
        written += os.write(fd, memoryview(data)[written:])
