"""The seen-hash trie behaves as a set, keeps what was committed, and notices damage."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import lmdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from spiderd.store import trie
from spiderd.store.trie import SeenTrie

ZERO = bytes(8)
ONES = b"\xff" * 8


class Bed:
    """A trie in an environment of its own, which can be closed and opened again."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.open()

    def open(self) -> None:
        self.env = lmdb.open(self.path, map_size=1 << 28, max_dbs=1, sync=False, metasync=False)
        self.db: Any = self.env.open_db(b"seen")
        self.trie = SeenTrie(self.db)

    def restart(self) -> None:
        self.env.close()
        self.open()

    def add(self, hashes: list[bytes]) -> list[bool]:
        with self.env.begin(write=True) as txn:
            return self.trie.add_many(txn, hashes)

    def contains(self, hashes: list[bytes]) -> list[bool]:
        with self.env.begin() as txn:
            return self.trie.contains_many(txn, hashes)

    def all(self) -> list[bytes]:
        with self.env.begin() as txn:
            return list(self.trie.iterate(txn))

    def count(self) -> int:
        with self.env.begin() as txn:
            return self.trie.count(txn)

    def check(self) -> list[str]:
        with self.env.begin() as txn:
            return self.trie.check(txn)

    def leaves(self) -> list[tuple[bytes, bytes]]:
        with self.env.begin() as txn, txn.cursor(self.db) as cursor:
            return list(cursor)

    def write(self, key: bytes, leaf: bytes) -> None:
        with self.env.begin(write=True) as txn:
            txn.put(key, leaf, db=self.db)


@contextmanager
def a_bed() -> Iterator[Bed]:
    with tempfile.TemporaryDirectory() as path:
        bed = Bed(path)
        try:
            yield bed
        finally:
            bed.env.close()


@pytest.fixture
def bed(tmp_path: Path) -> Iterator[Bed]:
    bed = Bed(str(tmp_path))
    yield bed
    bed.env.close()


def run_of(prefix: bytes, seed: int, count: int) -> list[bytes]:
    """`count` hashes that all begin with `prefix`; repeats where the rest is short."""
    rng = random.Random(seed)
    return [prefix + rng.randbytes(8 - len(prefix)) for _ in range(count)]


PREFIXES = st.one_of(
    st.binary(max_size=7),
    st.builds(bytes, st.integers(0, 7)),
    st.builds(lambda n: b"\xff" * n, st.integers(0, 7)),
)
BATCHES = st.one_of(
    st.lists(st.one_of(st.binary(min_size=8, max_size=8), st.sampled_from([ZERO, ONES])), max_size=40),
    st.builds(run_of, PREFIXES, st.integers(0, 99), st.integers(1, 700)),
)


def expected_new(known: set[bytes], batch: list[bytes]) -> list[bool]:
    known = set(known)
    new = []
    for h in batch:
        new.append(h not in known)
        known.add(h)
    return new


class BehavesAsASet(RuleBasedStateMachine):
    """Batches, aborted batches, and restarts, beside a Python set."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.bed = Bed(self.folder.name)
        self.model: set[bytes] = set()
        self.batch: list[bytes] = []
        self.lost: list[bytes] = []

    def teardown(self) -> None:
        self.bed.env.close()
        self.folder.cleanup()

    @rule(batch=BATCHES)
    def add(self, batch: list[bytes]) -> None:
        assert expected_new(self.model, batch) == self.bed.add(batch)
        self.model.update(batch)
        self.batch = batch

    @rule()
    def add_again(self) -> None:
        assert [False] * len(self.batch) == self.bed.add(self.batch)

    @rule(first=BATCHES, second=BATCHES)
    def two_batches_in_one_transaction(self, first: list[bytes], second: list[bytes]) -> None:
        with self.bed.env.begin(write=True) as txn:
            assert expected_new(self.model, first) == self.bed.trie.add_many(txn, first)
            self.model.update(first)
            assert expected_new(self.model, second) == self.bed.trie.add_many(txn, second)
            self.model.update(second)

    @rule(batch=BATCHES)
    def aborted(self, batch: list[bytes]) -> None:
        with self.bed.env.begin(write=True) as txn:
            assert expected_new(self.model, batch) == self.bed.trie.add_many(txn, batch)
            assert not any(self.bed.trie.add_many(txn, batch))
            txn.abort()
        self.lost = batch

    @rule()
    def add_what_was_aborted(self) -> None:
        self.add(self.lost)

    @rule()
    def restart(self) -> None:
        self.bed.restart()

    @rule(others=BATCHES)
    def look_up(self, others: list[bytes]) -> None:
        asked = others + self.batch
        assert [h in self.model for h in asked] == self.bed.contains(asked)
        with self.bed.env.begin() as txn:
            assert [h in self.model for h in asked[:20]] == [
                self.bed.trie.contains(txn, h) for h in asked[:20]
            ]

    @precondition(lambda self: len(self.model) < 20_000)
    @invariant()
    def same_members(self) -> None:
        assert sorted(self.model) == self.bed.all()
        assert len(self.model) == self.bed.count()
        assert self.bed.check() == []


class BehavesAsASetWithSmallBounds(BehavesAsASet):
    """The same, with bounds so small that buffers are emptied and all kinds of leaves burst all the time."""

    BOUNDS: ClassVar = {"LEAF_BYTES": 260, "BUFFER_BYTES": 80, "SHORT_RUN": 2, "LONG_RUN": 8}

    def __init__(self) -> None:
        self.kept = {name: getattr(trie, name) for name in self.BOUNDS}
        for name, bound in self.BOUNDS.items():
            setattr(trie, name, bound)
        super().__init__()

    def teardown(self) -> None:
        super().teardown()
        for name, bound in self.kept.items():
            setattr(trie, name, bound)


OFTEN_ENOUGH = settings(
    max_examples=25,
    stateful_step_count=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
TestBehavesAsASet = BehavesAsASet.TestCase
TestBehavesAsASet.settings = OFTEN_ENOUGH
TestBehavesAsASetWithSmallBounds = BehavesAsASetWithSmallBounds.TestCase
TestBehavesAsASetWithSmallBounds.settings = OFTEN_ENOUGH


@given(batch=BATCHES, cut=st.integers(0, 700))
@settings(max_examples=50, deadline=None, derandomize=True)
def test_cutting_a_batch_changes_nothing(batch: list[bytes], cut: int) -> None:
    with a_bed() as whole, a_bed() as parts:
        assert whole.add(batch) == parts.add(batch[:cut]) + parts.add(batch[cut:])
        assert whole.all() == parts.all()


def test_the_empty_set(bed: Bed) -> None:
    assert bed.add([]) == []
    assert bed.contains([ZERO, ONES]) == [False, False]
    assert (bed.all(), bed.count(), bed.check(), bed.leaves()) == ([], 0, [], [])


def test_a_repeat_in_a_batch_is_new_only_the_first_time(bed: Bed) -> None:
    assert bed.add([ONES, ZERO, ONES, ZERO]) == [True, True, False, False]


def test_no_leaf_spills_to_an_overflow_page(bed: Bed) -> None:
    bed.add(run_of(b"", 1, 50_000))
    with bed.env.begin() as txn:
        assert txn.stat(bed.db)["overflow_pages"] == 0
    for key, leaf in bed.leaves():
        assert len(leaf) <= (trie.LEAF_BYTES if len(key) == 8 else trie.BUFFER_BYTES)


@pytest.mark.parametrize("urls", [30_000, 100_000])
def test_a_url_takes_less_than_twelve_bytes(bed: Bed, urls: int) -> None:
    for part in range(urls // 1000):
        bed.add(run_of(b"", 1000 + part, 1000))
    with bed.env.begin() as txn:
        table = txn.stat(bed.db)
    assert (table["branch_pages"] + table["leaf_pages"]) * table["psize"] < 12 * urls


def test_what_is_remembered_is_bounded(bed: Bed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trie, "KNOWN_HASHES", 1000)
    for part in range(20):
        batch = run_of(b"", part, 200)
        bed.add(batch)
        assert not any(bed.add(batch))
        assert set(batch) <= bed.trie._known
        assert len(bed.trie._known) <= 1200
    bed.add([ONES])
    assert bed.trie._added == {ONES}


def test_what_an_aborted_transaction_added_is_not_remembered(bed: Bed) -> None:
    bed.add(run_of(b"", 1, 100))
    with bed.env.begin(write=True) as txn:
        assert bed.trie.add_many(txn, [ZERO, ONES]) == [True, True]
        assert bed.trie.add_many(txn, [ONES, ZERO]) == [False, False]
        txn.abort()
    assert bed.add([ZERO]) == [True]
    assert bed.contains([ZERO, ONES]) == [True, False]


def test_hashes_of_another_length_are_refused(bed: Bed) -> None:
    with bed.env.begin(write=True) as txn, pytest.raises(ValueError, match="8 bytes"):
        bed.trie.add_many(txn, [ZERO, b"short"])
    assert bed.leaves() == []


def test_a_hundred_thousand_hashes_with_the_same_four_bytes(bed: Bed) -> None:
    hashes = run_of(b"\x13\x37\x00\xff", 2, 100_000)
    assert sum(bed.add(hashes)) == len(set(hashes))
    assert bed.all() == sorted(set(hashes))
    assert bed.check() == []
    assert bed.contains(run_of(b"\x13\x37\x01\x00", 2, 100)) == [False] * 100


@pytest.mark.parametrize("path", [bytes(7), b"\xff" * 7, b"\x12\x34\x56\x78\x9a\xbc\xde"])
def test_every_hash_below_a_seven_byte_path(bed: Bed, path: bytes) -> None:
    """The deepest path that can be: 256 hashes differ in their last byte only."""
    hashes = [path + bytes((last,)) for last in range(256)]
    filler = run_of(path[:6], 3, 2000)
    bed.add(filler)
    assert bed.add(hashes) == [h not in set(filler) for h in hashes]
    assert bed.all() == sorted({*hashes, *filler})
    assert bed.check() == []


def test_hashes_that_differ_in_the_last_bit_only(bed: Bed) -> None:
    bed.add(run_of(b"", 4, 3000))
    pair = [b"\x80" + bytes(7), b"\x80" + bytes(6) + b"\x01"]
    assert bed.add([pair[0]]) == [True]
    assert bed.contains(pair) == [True, False]
    assert bed.add(pair) == [False, True]


def test_bytes_across_two_members_are_no_member(bed: Bed) -> None:
    bed.add([b"abcdefgh", b"ijklmnop"])
    assert bed.contains([b"efghijkl", b"ijklmnop"]) == [False, True]
    assert bed.add([b"efghijkl", b"abcdefgh"]) == [True, False]


def damaged(leaf: bytes, how: str) -> bytes:
    width = 8 - (leaf[0] >> 3)
    match how:
        case "wrong length":
            return leaf[:-1]
        case "wrong prefix":
            return leaf[:1] + bytes((leaf[1] ^ 0x80,)) + leaf[2:]
        case "duplicate":
            return leaf + leaf[-width:]
        case "too long":
            return leaf[:1] + b"".join(n.to_bytes(width, "big") for n in range(4000 // width))
        case "its range":
            return bytes((leaf[0] + 1,)) + leaf[1:]
        case _:
            return b"" if leaf[0] & 1 else b"\x40" + leaf[1:]


@pytest.fixture(params=["settled", "buffer"])
def victim(request: pytest.FixtureRequest, bed: Bed) -> tuple[bytes, bytes]:
    """A leaf of each kind, with room for one hash more, and bits of its path in its first byte."""
    for part in range(30):
        bed.add(run_of(b"", 50 + part, 1000))
    size, bound = {"settled": (8, trie.LEAF_BYTES), "buffer": (16, trie.BUFFER_BYTES)}[request.param]
    return next(
        (key, leaf)
        for key, leaf in bed.leaves()
        if len(key) == size and 8 < len(leaf) < bound - 8 and leaf[0] & 7
    )


@pytest.mark.parametrize(
    "how", ["wrong length", "wrong prefix", "duplicate", "too long", "its range", "not a leaf"]
)
def test_check_finds_a_damaged_leaf(bed: Bed, victim: tuple[bytes, bytes], how: str) -> None:
    key, leaf = victim
    assert bed.check() == []
    bed.write(key, damaged(leaf, how))
    found = bed.check()
    assert key.hex() in found[0]
    assert how.replace("too long", "wrong length") in found[0]


def test_check_finds_a_leaf_without_its_path(bed: Bed, victim: tuple[bytes, bytes]) -> None:
    key, leaf = victim
    bed.write(key[:-1], leaf)
    assert f"leaf {key[:-1].hex()}: not a leaf" in bed.check()


def test_check_finds_a_range_that_is_no_path(bed: Bed) -> None:
    """These three ranges follow each other without a gap, yet the middle one lies across two paths."""
    for first, depth in ((0x3F, 2), (0xBF, 1), (0xFF, 2)):
        bed.write(bytes((first,)) + ONES[1:], bytes((depth,)))
    bed.write(ONES + ONES, b"\x00")
    assert [problem[:21] for problem in bed.check()] == ["leaf bfffffffffffffff"]


def test_check_finds_a_hash_in_a_buffer_that_is_settled(bed: Bed) -> None:
    bed.add(run_of(b"", 7, 20_000))
    bed.add(run_of(b"", 8, 200))
    key, buffer = next((key, leaf) for key, leaf in bed.leaves() if len(key) == 16 and len(leaf) > 1)
    cut = buffer[0] >> 3
    h = key[8 : 8 + cut] + buffer[1 : 9 - cut]
    upper, leaf = next((upper, leaf) for upper, leaf in bed.leaves() if len(upper) == 8 and upper >= h)
    bed.write(upper, leaf + h[leaf[0] >> 3 :])
    found = bed.check()
    assert len(found) == 1
    assert found[0].startswith(f"leaf {key.hex()}: duplicate")


@pytest.mark.parametrize("size", [8, 16])
@pytest.mark.parametrize("place", [0, 5, -1])
def test_check_finds_a_missing_leaf(bed: Bed, size: int, place: int) -> None:
    bed.add(run_of(b"", 6, 50_000))
    bed.add(run_of(b"", 9, 50_000))
    keys = [key for key, _ in bed.leaves() if len(key) == size]
    assert len(keys) > 10
    with bed.env.begin(write=True) as txn:
        txn.delete(keys[place], db=bed.db)
    assert bed.check()
