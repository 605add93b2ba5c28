"""Reads what the archive holds, whoever asks and however it is kept."""

from __future__ import annotations

from pathlib import Path

from spiderd.archive.directory import directory_path, resource_name


def read_body(root: Path, directory: int, number: int) -> bytes:
    """Return the body of a resource, content coding undone.

    Args:
        root: the archive's root.
        directory: number of the download directory.
        number: of the resource in it.

    Raises:
        OSError: it is not there, or cannot be read.
    """
    return (directory_path(root, directory) / resource_name(number)).read_bytes()
