"""The seen-hash trie: has this URL been seen before?

Problem: for every link of every page, a yes or no about up to a thousand million URLs, from disk, with
nothing in memory that grows with them; and each new URL remembered in the transaction that records its page.

What is stored is the first 64 bits of BLAKE2b of the URL's seen key (`spiderd.urls.key_hash`); on those the
trie is exact. Two URLs with one hash mean that the second is never fetched, so how often is that?

    URLs     expected lost of 64 bits (n^2 / 2^65)     of 56 bits     of 40 bits
    10^7     0.0000027                                 0.0007         45
    10^8     0.00027                                   0.07           4,500
    10^9     0.027                                     6.9            450,000

So 40 bits lose pages in any large crawl, and 64 leave one chance in 37 of a single lost page at 10^9. BLAKE2b
and not xxhash: a fast checksum can be solved for an input with a wanted value, so a hostile site could
publish a link that collides with somebody else's page and keep it out of the crawl. Against BLAKE2b there is
only trial: 2^64 tries for a given URL.

Structure: a burst trie in one LMDB table. A leaf answers for a range of hashes that share their first `depth`
bits, the path; its value is one byte of depth, then what the path does not say of each hash, whole bytes,
unsorted. A leaf that outgrows its bound bursts into two, one bit deeper. Its key is the greatest hash of its
range, so that one `set_range(hash)` finds the leaf at any depth. Membership is `bytes.find` and a look at the
alignment: below a kilobyte nothing written in Python is faster.

Hashes fall anywhere, so each new one would make LMDB copy and write a page of its own. Therefore the trie is
also a buffer tree (Arge 1995): above each run of settled leaves there is one buffer, itself a leaf of a
shallower trie (key: 8 bytes ff, then the greatest hash of its range). New hashes go to the buffer; one that
is full is emptied into its run at one go, and one whose run has grown too long bursts. A look-up asks the
settled leaf, which knows nearly all there are, then the buffer. A run is emptied by taking its leaves out and
putting them back in ascending order: LMDB then fills its pages to 70% and more, where leaves that grow in
place leave them at 60% (`mdb_page_split` leaves a page full when its last entry grows or one is appended:
good in order, bad in place).

Memory: the hashes that pages ask for again and again, up to a bound. Only what was found in the table by a
transaction that had not added it is remembered: that much is committed, whatever becomes of the transaction.

Cost, by `bench/seen.py` on a busy machine of two cores: microseconds of CPU a hash, new ones in transactions
of 5,000; the flat table has a key a hash.

    million URLs            1                 10                30
                        trie    flat      trie    flat      trie    flat
    bytes a URL         9.8     25.5      9.9     26.4      10.2    26.1
      free pages too    12.9    53.7      11.0    30.7      10.8    27.8
    insert              2.3     2.4       4.5     5.0       5.9     6.5
    known               1.3     1.2       2.2     2.2       1.8     2.3
    not known           1.8     1.0       3.2     1.8       2.5     2.2
    link of a site      0.9     1.3       1.4     2.3       1.5     2.6

Where commits wait for the disk, an insert at 1 million took 2.5 microseconds of the clock, and 5.1 in the
flat table, which changes more pages. The memory of the process grows by 3 to 18 MB, LMDB's copies of the
pages of one transaction.

Tried and left: leaves of 300 to 2,000 bytes (all within a tenth; the short ones cost room, the long ones
search); LMDB's own DUPFIXED pages below two bytes of path (9 to 25 bytes a URL, as the number of URLs falls
against the fixed path). What would change the choice: hashes that begin with bits of the host would fall into
few leaves and need no buffers, but 64 bits are too few to spend any on that.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import compress
from typing import Any

import lmdb

HASH_BYTES = 8
# Bounds. Leaves of 400 to 900 bytes differ little; over 2 KB LMDB would give each overflow pages of its own.
LEAF_BYTES = 640  # of a settled leaf
BUFFER_BYTES = 1200  # of a buffer; a longer one is emptied less often, but searched more slowly
# A buffer whose run is as long as this bursts. With more buffers each new hash changes a page of its own
# again, with longer runs a leaf of its own; the balance moves up with the square root of the URLs.
SHORT_RUN = 32
LONG_RUN = 192
KNOWN_HASHES = 16_384  # kept in memory: 1.5 MB

_BITS = 8 * HASH_BYTES
_ALL = 1 << _BITS  # hashes there can be
_LARGE_BATCH = 1000
_DEEPEST = _BITS - 8  # a path of 56 bits has 256 hashes below it at most, which fit a leaf
_LAST = b"\xff" * HASH_BYTES
_ROOT = b"\x00"  # an empty leaf of depth 0
_LOW, _HIGH = (
    [bytes(bool(byte & 0x80 >> bit) is high for byte in range(256)) for bit in range(8)]
    for high in (False, True)
)  # by bit of the byte: whether the bit of that byte is clear, or set


class SeenTrie:
    """A persistent set of 8-byte hashes in one LMDB table, written through one object, from one thread.

    A transaction in which a call raised must be aborted. There are no nested transactions.
    """

    def __init__(self, db: Any) -> None:
        """Use the opened named database `db`; an empty one is the empty set."""
        self._db = db
        self._known: set[bytes] = set()  # were found in the table when somebody asked; nothing leaves it
        self._txn: lmdb.Transaction | None = None  # the last that wrote
        self._added: set[bytes] = set()  # by that transaction, which may be aborted yet

    def add_many(self, txn: lmdb.Transaction, hashes: Sequence[bytes]) -> list[bool]:
        """Add hashes; True where one was new (of repeats in the batch, the first).

        Raises:
            ValueError: a hash is not of 8 bytes.
        """
        if len(b"".join(hashes)) != HASH_BYTES * len(hashes):
            raise ValueError("a hash in the seen trie has 8 bytes")
        if txn is not self._txn:
            self._txn, self._added = txn, set()
        if len(hashes) < _LARGE_BATCH:
            fresh = self._add_few(txn, hashes)
        else:
            with _cursor(txn, self._db) as cursor:
                # In order, which spares more in LMDB's pages than it costs.
                fresh = _enter(cursor, _unsettled(cursor, sorted(set(hashes))))
        if not fresh:
            return [False] * len(hashes)
        self._added.update(fresh)
        return _places(fresh, hashes) if len(fresh) < len(hashes) else [True] * len(hashes)

    def _add_few(self, txn: lmdb.Transaction, hashes: Sequence[bytes]) -> list[bytes]:
        """Add the links of a page, most of which were on the pages before it; return the new ones."""
        known, added = self._known, self._added
        unknown = [h for h in hashes if h not in known and h not in added]
        if not unknown:
            return []
        with _cursor(txn, self._db) as cursor:
            fresh = _enter(cursor, sorted(set(_unsettled(cursor, unknown))))
        if len(known) > KNOWN_HASHES:
            known.clear()
        known.update(set(unknown).difference(fresh))  # they lay in the table before this transaction
        return fresh

    def contains_many(self, txn: lmdb.Transaction, hashes: Sequence[bytes]) -> list[bool]:
        """Tell for each hash whether it is in the set."""
        with _cursor(txn, self._db) as cursor:
            missing = {h for h in _unsettled(cursor, hashes) if not _buffered(cursor, h)}
        return [h not in missing for h in hashes]

    def contains(self, txn: lmdb.Transaction, h: bytes) -> bool:
        """Tell whether the hash is in the set."""
        return self.contains_many(txn, (h,))[0]

    def iterate(self, txn: lmdb.Transaction) -> Iterator[bytes]:
        """Yield all hashes in order. The transaction must not write meanwhile."""
        with _cursor(txn, self._db) as settled, _cursor(txn, self._db) as buffers:
            yield from merge(_members(settled, b""), _members(buffers, _LAST))

    def count(self, txn: lmdb.Transaction) -> int:
        """Count the hashes; costs one step a leaf."""
        with _cursor(txn, self._db) as cursor:
            return sum((len(leaf) - 1) // _width(leaf) for _, leaf in cursor)

    def check(self, txn: lmdb.Transaction) -> list[str]:
        """Describe whatever is wrong with the table; an empty list means that it is sound."""
        problems = []
        due = {b"": 0, _LAST: 0}  # by kind of leaf: where the range of the next one must begin
        with _cursor(txn, self._db) as cursor, _cursor(txn, self._db) as settled:
            for key, leaf in cursor:
                kind, upper = key[:-HASH_BYTES], key[-HASH_BYTES:]
                if kind not in due or len(upper) != HASH_BYTES or not leaf or leaf[0] > _DEEPEST:
                    problems.append(f"leaf {key.hex()}: not a leaf")
                    continue
                limit = BUFFER_BYTES if kind else LEAF_BYTES
                wrong = _wrong_range(upper, leaf[0], due[kind]) or _wrong_content(upper, leaf, limit)
                if kind and not wrong and not problems and due[b""] == _ALL:
                    hashes = _hashes(upper, leaf)
                    if len(_unsettled(settled, hashes)) < len(hashes):
                        wrong = "duplicate: a hash in the buffer is settled too"
                if wrong:
                    problems.append(f"leaf {key.hex()}: {wrong}")
                due[kind] = int.from_bytes(upper, "big") + 1
        if set(due.values()) not in ({0}, {_ALL}):
            problems.append(f"no leaf answers for the last hashes: ranges end at {sorted(due.values())}")
        return problems


def _cursor(txn: lmdb.Transaction, db: Any) -> lmdb.Cursor[bytes]:
    cursor: Any = txn.cursor(db)  # of bytes: no transaction of the store is opened with buffers
    return cursor  # type: ignore[no-any-return]  # lmdb types a cursor by the buffers option


def _width(leaf: bytes) -> int:
    """Bytes that a leaf stores of each hash."""
    return HASH_BYTES - (leaf[0] >> 3)


def _rests(leaf: bytes) -> tuple[bytes, ...]:
    """What a leaf stores of its hashes."""
    width = _width(leaf)
    return struct.unpack("x" + f"{width}s" * ((len(leaf) - 1) // width), leaf)


def _hashes(upper: bytes, leaf: bytes) -> list[bytes]:
    """The hashes of a leaf in order."""
    path = upper[: leaf[0] >> 3]
    return sorted([path + rest for rest in _rests(leaf)])


def _members(cursor: lmdb.Cursor[bytes], kind: bytes) -> Iterator[bytes]:
    """Yield the hashes of all buffers (`kind` is `_LAST`) or all settled leaves, in order."""
    found = cursor.set_range(kind + bytes(HASH_BYTES))
    while found and len(cursor.key()) == len(kind) + HASH_BYTES:
        yield from _hashes(cursor.key()[len(kind) :], cursor.value())
        found = cursor.next()


def _holds(leaf: bytes, h: bytes) -> bool:
    rest = h[leaf[0] >> 3 :]
    at = leaf.find(rest, 1)
    while at > 0 and (at - 1) % len(rest):  # bytes across two neighbours
        at = leaf.find(rest, at + 1)
    return at > 0


def _buffered(cursor: lmdb.Cursor[bytes], h: bytes) -> bool:
    """Whether a buffer holds the hash."""
    return cursor.set_range(_LAST + h) and _holds(cursor.value(), h)


def _unsettled(cursor: lmdb.Cursor[bytes], hashes: Sequence[bytes]) -> list[bytes]:
    """Those of the hashes that no settled leaf holds. This is the hot loop; sorted hashes go faster."""
    seek, value = cursor.set_range, cursor.value
    unsettled = []
    for h in hashes:
        leaf = value() if seek(h) else _ROOT
        rest = h[leaf[0] >> 3 :]
        at = leaf.find(rest, 1)
        if at < 0 or ((at - 1) % len(rest) and not _holds(leaf, h)):
            unsettled.append(h)
    return unsettled


def _enter(cursor: lmdb.Cursor[bytes], hashes: list[bytes]) -> list[bytes]:
    """Put those of the sorted, unsettled hashes that are new into their buffers, and return them."""
    fresh = []
    start = 0
    while start < len(hashes):
        if not cursor.set_range(_LAST + hashes[start]):  # an empty table
            cursor.put(_LAST, _ROOT)
            cursor.put(_LAST + _LAST, _ROOT)
            continue
        key, leaf = cursor.item()
        upper, rest_at, width = key[HASH_BYTES:], leaf[0] >> 3, _width(leaf)
        end = bisect_right(hashes, upper, start)
        rests = []
        for h in hashes[start:end]:
            rest = h[rest_at:]
            at = leaf.find(rest, 1)
            if at < 0 or ((at - 1) % width and not _holds(leaf, h)):
                rests.append(rest)
                fresh.append(h)
        start = end
        if rests:
            leaf += b"".join(rests)
            if len(leaf) <= BUFFER_BYTES:
                cursor.put(key, leaf)
            else:
                _empty(cursor, upper, leaf)
    return fresh


def _places(fresh: list[bytes], hashes: Sequence[bytes]) -> list[bool]:
    """True at the first place of each fresh hash in the batch."""
    new = [False] * len(hashes)
    due = set(fresh)
    for place, h in enumerate(hashes):
        if h in due:
            new[place] = True
            due.remove(h)
            if not due:
                break
    return new


def _empty(cursor: lmdb.Cursor[bytes], upper: bytes, buffer: bytes) -> None:
    """Settle what the buffer up to the hash `upper` holds, and leave it empty, or burst into empty ones."""
    hashes = _hashes(upper, buffer)
    grown = []
    start = 0
    while start < len(hashes):
        cursor.set_range(hashes[start])
        leaf_upper, leaf = cursor.item()
        end = bisect_right(hashes, leaf_upper, start)
        rest_at = leaf[0] >> 3
        grown.append((leaf_upper, leaf + b"".join([h[rest_at:] for h in hashes[start:end]])))
        cursor.delete()
        start = end
    # In ascending order, or LMDB packs its pages badly.
    leaves = sum(_settle(cursor, leaf_upper, leaf) for leaf_upper, leaf in grown)
    more = (leaves // _run_limit(buffer[0])).bit_length()
    span = 1 << (_BITS - buffer[0] - more)
    last = int.from_bytes(upper, "big")
    for back in range(1 << more):
        bound = (last - back * span).to_bytes(HASH_BYTES, "big")
        cursor.put(_LAST + bound, bytes((buffer[0] + more,)))


def _run_limit(depth: int) -> int:
    """Leaves at which the run of a buffer bursts: there are about 2^depth buffers."""
    return min(max(1 << depth >> 4, SHORT_RUN), LONG_RUN)


def _settle(cursor: lmdb.Cursor[bytes], upper: bytes, leaf: bytes) -> int:
    """Write the settled leaf up to the hash `upper`, burst into parts within its bound; how many."""
    if len(leaf) <= LEAF_BYTES:
        cursor.put(upper, leaf)
        return 1
    depth, bit = leaf[0], leaf[0] & 7
    heads, rests = leaf[1 :: _width(leaf)], _rests(leaf)
    halves = [compress(rests, heads.translate(half[bit])) for half in (_LOW, _HIGH)]
    middle = int.from_bytes(upper, "big") - (1 << (_BITS - 1 - depth))
    parts = 0
    for bound, half in zip((middle.to_bytes(HASH_BYTES, "big"), upper), halves, strict=True):
        # With the eighth bit of a byte in the path, the whole byte is.
        packed = b"".join([rest[1:] for rest in half] if bit == 7 else half)
        parts += _settle(cursor, bound, bytes((depth + 1,)) + packed)
    return parts


def _wrong_range(upper: bytes, depth: int, due: int) -> str:
    span = 1 << (_BITS - depth)
    lower = int.from_bytes(upper, "big") - span + 1
    if lower == due and lower % span == 0:
        return ""
    return f"its range begins at {lower:016x} where {due:016x} was due"


def _wrong_content(upper: bytes, leaf: bytes, limit: int) -> str:
    if (len(leaf) - 1) % _width(leaf) or len(leaf) > limit:
        return "wrong length"
    outside = _BITS - leaf[0]
    path = int.from_bytes(upper, "big") >> outside
    hashes = _hashes(upper, leaf)
    if any(int.from_bytes(h, "big") >> outside != path for h in hashes):
        return "wrong prefix"
    return "" if len(set(hashes)) == len(hashes) else "duplicate"
