"""The seen-hash trie: has this URL been seen before?

Key = the greatest hash of a leaf's range; value = one byte of depth, then the packed rest of each hash.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import lmdb

HASH_BYTES = 8
LEAF_BYTES = 768  # a leaf that outgrows this bursts

_LAST = b"\xff" * HASH_BYTES
_EMPTY_ROOT = b"\x00"
_REST = tuple(slice(depth >> 3, HASH_BYTES) for depth in range(8 * HASH_BYTES + 1))  # of a hash, by depth


class SeenTrie:
    """A persistent set of 8-byte hashes in one LMDB table. It keeps nothing in memory."""

    def __init__(self, db: Any) -> None:
        """Use the opened named database `db`; an empty one is the empty set."""
        self._db = db

    def add_many(self, txn: lmdb.Transaction, hashes: Sequence[bytes]) -> list[bool]:
        """Add hashes; True where one was new (of repeats in the batch, the first)."""
        fresh = []
        order = sorted(range(len(hashes)), key=hashes.__getitem__)
        new = [False] * len(hashes)
        with _cursor(txn, self._db) as cursor:
            for index in order:
                h = hashes[index]
                leaf = cursor.value() if cursor.set_range(h) else _EMPTY_ROOT
                if not _holds(leaf, h):
                    new[index] = True
                    fresh.append(h)
                    _append(cursor, leaf, h)
        return new

    def contains_many(self, txn: lmdb.Transaction, hashes: Sequence[bytes]) -> list[bool]:
        """Tell for each hash whether it is in the set."""
        with _cursor(txn, self._db) as cursor:
            return [cursor.set_range(h) and _holds(cursor.value(), h) for h in hashes]

    def contains(self, txn: lmdb.Transaction, h: bytes) -> bool:
        """Tell whether the hash is in the set."""
        return self.contains_many(txn, (h,))[0]

    def iterate(self, txn: lmdb.Transaction) -> Iterator[bytes]:
        """Yield all hashes in order."""
        with _cursor(txn, self._db) as cursor:
            for upper, leaf in cursor:
                shared = upper[: leaf[0] >> 3]
                for rest in sorted(_split(leaf)):
                    yield shared + rest

    def count(self, txn: lmdb.Transaction) -> int:
        """Count the hashes; costs one step a leaf."""
        with _cursor(txn, self._db) as cursor:
            return sum((len(leaf) - 1) // _width(leaf[0]) for _, leaf in cursor if len(leaf) > 1)

    def check(self, txn: lmdb.Transaction) -> list[str]:
        """Describe whatever is wrong with the table; an empty list means that it is sound."""
        problems = []
        expected = 0
        with _cursor(txn, self._db) as cursor:
            for upper, leaf in cursor:
                wrong = _problem(upper, leaf, expected)
                if wrong:
                    problems.append(f"leaf {upper.hex()}: {wrong}")
                expected = int.from_bytes(upper[:HASH_BYTES], "big") + 1
        if expected not in (0, 1 << 8 * HASH_BYTES):
            problems.append(f"no leaf answers for hashes from {expected:016x} on")
        return problems


def _cursor(txn: lmdb.Transaction, db: Any) -> lmdb.Cursor[bytes]:
    return cast("lmdb.Cursor[bytes]", txn.cursor(db))


def _width(depth: int) -> int:
    return HASH_BYTES - (depth >> 3)


def _holds(leaf: bytes, h: bytes) -> bool:
    rest = h[_REST[leaf[0]]]
    at = leaf.find(rest, 1)
    while at > 0:
        if (at - 1) % len(rest) == 0:
            return True
        at = leaf.find(rest, at + 1)
    return False


def _split(leaf: bytes) -> list[bytes]:
    width = _width(leaf[0])
    return [leaf[at : at + width] for at in range(1, len(leaf), width)]


def _append(cursor: lmdb.Cursor[bytes], leaf: bytes, h: bytes) -> None:
    depth = leaf[0]
    grown = leaf + h[_REST[depth]]
    upper = cursor.key() or _LAST
    if len(grown) <= LEAF_BYTES:
        cursor.put(upper, grown)
    else:
        _burst(cursor, upper, depth, _split(grown))


def _burst(cursor: lmdb.Cursor[bytes], upper: bytes, depth: int, rests: list[bytes]) -> None:
    """Write `rests`, all that is below the path of `depth` bits that ends at `upper`, as leaves in bounds."""
    width = _width(depth)
    if len(rests) * width < LEAF_BYTES:
        cursor.put(upper, bytes((depth,)) + b"".join(rests))
        return
    bit = 0x80 >> (depth & 7)
    below = int.from_bytes(upper, "big") - (1 << (8 * HASH_BYTES - 1 - depth))
    halves = [rest for rest in rests if not rest[0] & bit], [rest for rest in rests if rest[0] & bit]
    if bit == 1:
        halves = [rest[1:] for rest in halves[0]], [rest[1:] for rest in halves[1]]
    _burst(cursor, upper, depth + 1, halves[1])
    _burst(cursor, below.to_bytes(HASH_BYTES, "big"), depth + 1, halves[0])


def _problem(upper: bytes, leaf: bytes, expected: int) -> str:
    """Say what is wrong with a leaf whose range should begin at the hash `expected`."""
    if len(upper) != HASH_BYTES or not leaf or leaf[0] > 8 * HASH_BYTES:
        return "not a leaf"
    depth = leaf[0]
    span = 1 << (8 * HASH_BYTES - depth)
    lower = int.from_bytes(upper, "big") - span + 1
    if lower != expected or lower % span:
        return f"its range begins at {lower:016x} where {expected:016x} was due"
    width = _width(depth)
    if width == 0:
        return "" if len(leaf) == 1 else "wrong length"
    if (len(leaf) - 1) % width or len(leaf) > LEAF_BYTES:
        return "wrong length"
    rests = _split(leaf)
    shared = upper[: depth >> 3]
    if any(not lower <= int.from_bytes(shared + rest, "big") < lower + span for rest in rests):
        return "wrong prefix"
    return "" if len(set(rests)) == len(rests) else "duplicate"
