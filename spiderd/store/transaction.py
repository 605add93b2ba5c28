"""The open write transaction of a store, and the state row that is true within it.

The transaction stays open over many steps and is committed by its owner (`spiderd.store.thread`) every few
tens of milliseconds: reads see what has been written so far, so that a URL found by one page can be handed
out before anything has reached the disk. That is safe, because a hand-out leaves no trace but a lease; it is
cheap, because a page costs no commit of its own.
"""

from __future__ import annotations

import time
from typing import TypeAlias, cast

import lmdb
from msgspec import Struct, field

from spiderd.protocol import Counters
from spiderd.store.environment import Environment
from spiderd.store.records import decode, encode

Cursor: TypeAlias = "lmdb.Cursor[bytes]"  # buffers are off


class State(Struct, kw_only=True):
    """The row `meta:state`: counters and the next free numbers, written with every commit."""

    counters: Counters = field(default_factory=Counters)
    next_page: int = 1
    next_host: int = 1
    next_sequence: int = 1
    next_directory: int = 1
    next_change: int = 1
    commits: int = 0
    durable: int = 0  # the last change whose files are known to be on the disk (`spiderd.store.syncing`)
    order: str = ""
    crawl: str = ""
    auth: dict[str, str] = field(default_factory=dict)  # origin -> Authorization header
    paused: bool = False
    began: float = 0.0


class Transaction:
    """Reads and writes of named tables. A transaction is begun at first use and lasts until it is ended."""

    def __init__(self, env: Environment) -> None:
        """Bind to an environment; only the caller's thread may use it."""
        self._env = env
        self._tables = env.tables
        self._txn: lmdb.Transaction | None = None
        self._state = State()

    @property
    def state(self) -> State:
        """The state row as of now, to be changed in place."""
        if self._txn is None:
            self.begin()
        return self._state

    @property
    def is_open(self) -> bool:
        """Whether a transaction is open."""
        return self._txn is not None

    def begin(self) -> lmdb.Transaction:
        """Make sure that a transaction is open, and `state` is what the store holds."""
        if self._txn is None:
            self._txn = self._env.begin()
            row = self.get("meta", b"state")
            self._state = State(began=time.time()) if row is None else decode(State, row)
        return self._txn

    def commit(self) -> None:
        """Write the state row and commit; does nothing where none is open.

        Raises:
            MapFull: nothing was written; abort, grow and replay.
            DiskFull, StorageError: nothing was written.
        """
        if self._txn is None:
            return
        self._state.commits += 1
        self._txn.put(b"state", encode(self._state), db=self._tables["meta"])
        self._txn.commit()
        self._txn = None

    def abort(self) -> None:
        """Forget everything since the last commit."""
        if self._txn is not None:
            self._txn.abort()
        self._txn = None

    def get(self, table: str, key: bytes) -> bytes | None:
        """A row, or None."""
        return cast("bytes | None", (self._txn or self.begin()).get(key, db=self._tables[table]))

    def put(
        self, table: str, key: bytes, value: bytes, *, overwrite: bool = True, append: bool = False
    ) -> bool:
        """Write a row, and say so, unless there is one that is not to be overwritten.

        `append` may be set where the row is the last of all.
        """
        return (self._txn or self.begin()).put(
            key, value, overwrite=overwrite, append=append, db=self._tables[table]
        )

    def delete(self, table: str, key: bytes) -> bool:
        """Delete a row; whether there was one."""
        return (self._txn or self.begin()).delete(key, db=self._tables[table])

    def drop(self, table: str) -> None:
        """Delete all rows of a table."""
        self.begin().drop(self._tables[table], delete=False)

    def entries(self, table: str) -> int:
        """How many rows a table has."""
        return int(self.begin().stat(db=self._tables[table])["entries"])

    def cursor(self, table: str) -> Cursor:
        """A cursor on a table; to be closed (use it in a `with`)."""
        return cast("Cursor", self.begin().cursor(db=self._tables[table]))
