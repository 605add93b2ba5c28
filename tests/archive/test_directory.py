from __future__ import annotations

from pathlib import Path

import pytest

from spiderd.archive.directory import Directory
from spiderd.errors import CannotCreate, StorageError


def test_resources_are_numbered_and_indexed(tmp_path: Path) -> None:
    directory = Directory(tmp_path, 7)
    assert [directory.store(f"http://h.test/{n}", b"x" * n) for n in range(3)] == [1, 2, 3]
    directory.close()
    folder = tmp_path / "00007"
    assert (
        folder / "index.txt"
    ).read_text() == "00001:http://h.test/0\n00002:http://h.test/1\n00003:http://h.test/2\n"
    assert (folder / "00003").read_bytes() == b"xx"


def test_what_was_not_committed_is_cut_back(tmp_path: Path) -> None:
    directory = Directory(tmp_path, 1)
    directory.store("http://h.test/a", b"a")
    committed = directory.index_bytes
    directory.store("http://h.test/b", b"b")
    directory.close()
    again = Directory(tmp_path, 1, count=1, index_bytes=committed)
    assert not (tmp_path / "00001" / "00002").exists()
    assert again.store("http://h.test/c", b"c") == 2
    again.close()
    assert (tmp_path / "00001" / "index.txt").read_text() == "00001:http://h.test/a\n00002:http://h.test/c\n"


def test_a_damaged_index_is_not_silently_taken(tmp_path: Path) -> None:
    Directory(tmp_path, 1).close()
    with pytest.raises(StorageError, match=r"index\.txt"):
        Directory(tmp_path, 1, count=1, index_bytes=20)


def test_a_file_in_the_way_is_said(tmp_path: Path) -> None:
    (tmp_path / "00001").write_text("")
    with pytest.raises(CannotCreate, match="00001"):
        Directory(tmp_path, 1)


def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("precious")
    directory = Directory(tmp_path / "pages", 1)
    (directory.path / "00001").symlink_to(outside)
    with pytest.raises(StorageError):
        directory.store("http://h.test/", b"evil")
    directory.close()
    assert outside.read_text() == "precious"
