"""The index opened for writing, after a writer that was killed."""

from __future__ import annotations

from pathlib import Path

from tantivy import Document

from spiderd.search.schema import CHECKPOINT
from spiderd.search.writing import Writing


def document(number: int) -> Document:
    found = Document()
    found.add_unsigned("number", number)
    return found


def put(folder: Path, change: int, *numbers: int) -> int:
    with Writing(folder) as writing:
        for number in numbers:
            writing.put(number, document(number))
        writing.commit(change)
        return writing.documents()


def test_files_of_a_commit_that_was_killed_are_not_in_the_way_of_the_next(tmp_path: Path) -> None:
    """It had written which documents are gone, but not yet that there is such a file."""
    assert CHECKPOINT not in (1, 2, 3)
    assert put(tmp_path, 1, 1, 2, 3) == 3
    before = (tmp_path / "meta.json").read_bytes()
    assert put(tmp_path, 2, 1) == 3
    left = set(tmp_path.glob("*.del"))
    assert left
    (tmp_path / "meta.json").write_bytes(before)  # the last thing that a commit writes
    assert put(tmp_path, 2, 1) == 3
    assert put(tmp_path, 3, 2, 4) == 4
