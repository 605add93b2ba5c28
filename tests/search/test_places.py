"""Folders that take each other's place, and the lock."""

from __future__ import annotations

import pytest

from spiderd.errors import AlreadyRunning, CannotCreate
from spiderd.search.places import Places


def test_a_new_folder_counts_when_it_is_published(tmp_path):
    places = Places(tmp_path)
    assert places.current("words", 1) is None
    first = places.new("words")
    assert places.current("words", 1) is None
    places.publish("words", 1, first)
    second = places.new("words")
    assert places.current("words", 1) == first != second
    places.publish("words", 1, second)
    assert places.current("words", 1) == second


def test_an_index_of_another_version_is_none(tmp_path):
    places = Places(tmp_path)
    places.publish("words", 1, places.new("words"))
    assert places.current("words", 2) is None
    assert places.current("links", 1) is None


@pytest.mark.parametrize("damage", [b"", b"{", b'{"version":1}', b'{"version":1,"folder":"words-9"}'])
def test_a_pointer_that_cannot_be_read_points_nowhere(tmp_path, damage):
    places = Places(tmp_path)
    places.publish("words", 1, places.new("words"))
    (places.root / "words.json").write_bytes(damage)
    assert places.current("words", 1) is None


def test_what_does_not_count_is_swept(tmp_path):
    places = Places(tmp_path)
    kept, links = places.new("words"), places.new("links")
    stale = places.new("words")
    (stale / "file").write_text("x")
    places.sweep("words", kept)
    assert kept.exists()
    assert links.exists()
    assert not stale.exists()


def test_numbers_are_not_given_twice(tmp_path):
    places = Places(tmp_path)
    assert [places.new("words").name for _ in range(3)] == ["words-1", "words-2", "words-3"]


def test_one_process_writes(tmp_path):
    with Places(tmp_path).locked(), pytest.raises(AlreadyRunning), Places(tmp_path).locked():
        pass
    with Places(tmp_path).locked():
        pass


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "index").write_text("in the way")
    with pytest.raises(CannotCreate):
        Places(tmp_path).new("words")
    with pytest.raises(CannotCreate), Places(tmp_path).locked():
        pass


def test_the_size_is_that_of_all_files(tmp_path):
    places = Places(tmp_path)
    assert places.size() == 0
    (places.new("words") / "a").write_bytes(b"x" * 1000)
    assert places.size() == 1000
