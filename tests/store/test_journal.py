"""The journal: whole frames come back in order, torn and damaged ones end it, old ones are passed over."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.errors import CannotCreate, DiskFull, StorageError
from spiderd.store.journal import FRAME, Journal

PAYLOADS = [b"one", b"", b"three" * 10]
ENDS = [sum(FRAME.size + len(payload) for payload in PAYLOADS[:n]) for n in range(len(PAYLOADS) + 1)]


@contextmanager
def opened(path: Path) -> Iterator[Journal]:
    with closing(Journal(path)) as journal:
        yield journal


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal"


@pytest.fixture
def written(path: Path) -> bytes:
    """The bytes of a journal with three steps after commit 7."""
    with opened(path) as journal:
        for payload in PAYLOADS:
            journal.append(7, payload)
        assert journal.end == ENDS[-1]
    return path.read_bytes()


def left_in(path: Path, data: bytes, commits: int = 7) -> list[bytes]:
    path.write_bytes(data)
    with opened(path) as journal:
        return journal.read(commits)


def test_what_was_appended_is_read_again_in_order(path: Path, written: bytes) -> None:
    assert left_in(path, written) == PAYLOADS


def test_a_new_journal_is_empty(path: Path) -> None:
    with opened(path) as journal:
        assert journal.read(0) == []
        assert journal.end == 0


def test_a_tail_torn_at_any_byte_costs_the_last_frame_only(path: Path, written: bytes) -> None:
    for size in range(len(written) + 1):
        whole = sum(end <= size for end in ENDS[1:])
        assert left_in(path, written[:size]) == PAYLOADS[:whole], size


def test_a_bit_flipped_anywhere_is_never_taken_for_a_step(path: Path, written: bytes) -> None:
    for place in range(len(written)):
        damaged = bytearray(written)
        damaged[place] ^= 0x10
        sound = sum(end <= place for end in ENDS[1:])
        read = left_in(path, bytes(damaged))
        assert all(payload in PAYLOADS for payload in read), place
        assert read[:sound] == PAYLOADS[:sound], place


def test_blocks_that_a_power_cut_has_left_empty_end_it(path: Path, written: bytes) -> None:
    """The file has its length, but some of its blocks were never written."""
    with opened(path) as journal:
        journal.cut(0)
        for payload in PAYLOADS:
            journal.append(0, payload)  # zeros would be of commit 0
    data = path.read_bytes()
    for lost, whole in enumerate(ENDS[:-1]):
        for end in range(whole + FRAME.size, len(data) + 1):
            damaged = data[:whole] + bytes(end - whole) + data[end:]
            assert left_in(path, damaged, 0) == PAYLOADS[:lost], (whole, end)


def test_steps_that_a_commit_has_included_are_passed_over(path: Path) -> None:
    """Killed between the commit and the emptying of the journal."""
    with opened(path) as journal:
        journal.append(7, b"old")
        journal.append(7, b"old, too")
        journal.append(8, b"new")
    data = path.read_bytes()
    assert left_in(path, data, 8) == [b"new"]
    assert left_in(path, data, 9) == []


def test_a_step_that_failed_is_cut_off_and_the_next_takes_its_place(path: Path) -> None:
    with opened(path) as journal:
        journal.append(1, b"kept")
        before = journal.end
        journal.append(1, b"failed" * 100)
        journal.cut(before)
        journal.append(1, b"next")
        assert journal.read(1) == [b"kept", b"next"]
        journal.cut(0)
        assert journal.read(1) == []
    assert path.read_bytes() == b""


def test_frames_behind_the_end_do_not_come_back(path: Path, written: bytes) -> None:
    """A journal that is opened is read, then emptied, then written from its start."""
    with opened(path) as journal:
        assert journal.read(7) == PAYLOADS
        journal.cut(0)
        journal.append(8, b"x")
        assert journal.read(8) == [b"x"]


@given(st.lists(st.tuples(st.integers(0, 3), st.binary(max_size=40)), max_size=12), st.binary(max_size=30))
def test_frames_of_any_bytes_come_back_whatever_lies_behind_them(tmp_path_factory, frames, behind) -> None:
    path = tmp_path_factory.mktemp("law") / "journal"
    with opened(path) as journal:
        for commits, payload in frames:
            journal.append(commits, payload)
    data = path.read_bytes()
    for commits in range(4):
        right = [payload for after, payload in frames if after == commits]
        assert left_in(path, data + behind, commits)[: len(right)] == right


def test_a_journal_that_cannot_be_opened_is_said(tmp_path: Path) -> None:
    (tmp_path / "journal").mkdir()
    with pytest.raises((CannotCreate, StorageError), match="journal"):
        Journal(tmp_path / "journal")


@pytest.mark.parametrize(
    ("answer", "error"),
    [(OSError(28, os.strerror(28)), DiskFull), (OSError(5, os.strerror(5)), StorageError)],
)
def test_a_write_that_fails_adds_nothing(
    path: Path, written: bytes, monkeypatch: pytest.MonkeyPatch, answer: OSError, error: type[Exception]
) -> None:
    def fail(*_: object) -> int:
        raise answer

    with opened(path) as journal:
        journal.append(7, b"x")
        with monkeypatch.context() as patched:
            patched.setattr("spiderd.store.journal.os.pwrite", fail)
            with pytest.raises(error):
                journal.append(7, b"lost")
        journal.append(7, b"y")
        assert journal.read(7)[:2] == [b"x", b"y"]


def test_a_write_that_is_cut_short_goes_on_or_is_an_error(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = os.pwrite

    def half(fd: int, data: bytes, at: int) -> int:
        return whole(fd, data[: max(1, len(data) // 2)], at)

    monkeypatch.setattr("spiderd.store.journal.os.pwrite", half)
    with opened(path) as journal:
        with pytest.raises(StorageError, match="whole"):
            journal.append(1, b"payload")
        assert journal.end == 0
        assert journal.read(1) == []
