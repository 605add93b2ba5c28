"""`index.txt` of a download directory, line by line, up to the length that is committed."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from pathlib import Path

from spiderd.archive.directory import INDEX, directory_path, resource_name

KEPT = 64  # directories whose index is kept in memory, about 20 MB


class IndexFile:
    """The committed part of one index.txt."""

    def __init__(self, path: Path, length: int) -> None:
        """Read it; one that cannot be read is empty.

        Args:
            path: of the file.
            length: bytes that are committed.
        """
        try:
            with path.open("rb") as file:
                self._data = file.read(length)
        except OSError:
            self._data = b""
        self.is_whole = len(self._data) == length
        self._ends = array("I")
        at = self._data.find(b"\n") + 1
        while at:
            self._ends.append(at)
            at = self._data.find(b"\n", at) + 1

    def __len__(self) -> int:
        return len(self._ends)

    def line(self, number: int) -> bytes:
        """The line of a resource, without its end; b"" where there is none."""
        if not 0 < number <= len(self._ends):
            return b""
        begin = self._ends[number - 2] if number > 1 else 0
        return self._data[begin : self._ends[number - 1] - 1]

    def end(self, number: int) -> int:
        """Where the line of a resource ends, in bytes from the beginning; the last one there is, at most."""
        number = min(number, len(self._ends))
        return self._ends[number - 1] if number else 0

    @property
    def ends_whole(self) -> bool:
        """Whether the committed part ends with a line."""
        return not self._data or self._data.endswith(b"\n")


class IndexFiles:
    """The index files of an archive, the last ones used in memory."""

    def __init__(self, archive: Path) -> None:
        self._archive = archive
        self._kept: OrderedDict[int, IndexFile] = OrderedDict()

    def get(self, directory: int, length: int) -> IndexFile:
        """The index of a directory, of which `length` bytes are committed."""
        index = self._kept.get(directory)
        if index is None:
            index = self._kept[directory] = IndexFile(
                directory_path(self._archive, directory) / INDEX, length
            )
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(directory)
        return index


def line_of(number: int, url: str) -> bytes:
    """The line that a resource has in the index, without its end."""
    return f"{resource_name(number)}:{url}".encode()
