"""The LMDB environment: named tables, schema version, and a map that grows by itself.

Only one thread ever touches an environment (see `spiderd.store.thread`), so no transaction of this process
is open when the map is resized, as LMDB demands. Growth is decided before each transaction, from the pages
in use; should one transaction outgrow the headroom all the same, `MapFull` tells the caller to abort, grow
and replay. Keys are big-endian, so that their order has a meaning; values are msgpack or packed bytes.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import lmdb

from spiderd.errors import CannotCreate, DiskFull, StorageError
from spiderd.store.residence import Residence

SCHEMA_VERSION = 1
FIRST_MAP = 256 * 1024 * 1024  # address space only: the file grows with what is written
HEADROOM = 128 * 1024 * 1024  # what one transaction may write before the map must have grown

MOST_READERS = 512  # transactions of all processes at a time
READER_BYTES = 64  # of the lock file for each: a line of the processor's cache; four more are its head

SHORT = 1024 * 1024  # bytes of free disk below which a failed write is taken for a full disk

TABLES = (
    "seen",  # path of the seen-hash trie -> leaf
    "frontier",  # host id, rank -> WaitingUrl
    "reranked",  # the frontier on its way to another order; else empty
    "delayed",  # due time (ms), host id, rank -> WaitingUrl to be tried again
    "parked",  # key of a shape, frontier key -> WaitingUrl of a shape that is taken for a trap
    "shapes",  # parked shape -> ShapeState
    "leases",  # frontier key -> when it was handed out: what was in flight when a daemon died
    "pages",  # page number -> PageRecord
    "changes",  # change number -> page number: in which order pages were recorded, for whoever follows
    "page_of",  # URL hash -> page number
    "versions",  # page number, change number -> PageRecord that a later visit has replaced
    "visits",  # page number -> VisitRecord
    "due",  # time of the next visit (ms), page number -> nothing
    "again",  # host id, that time, page number -> nothing: pages whose time has come
    "waiting_of",  # URL hash -> frontier key, kept in best-first order only
    "content",  # body digest -> number of the first page that has it; none has it now: key in `versions`
    "links",  # page number -> record of the page's links
    "hosts",  # host id -> HostRecord
    "host_ids",  # host key -> host id
    "politeness",  # host id -> HostState
    "tree",  # host id, path -> tallies of one directory
    "robots",  # origin -> RobotsRecord
    "errors",  # page number -> ErrorRecord
    "directories",  # directory number -> DirectoryRecord
    "meta",  # name -> counters, schema, settings
)


class MapFull(Exception):
    """The transaction does not fit: abort it, `grow`, and replay."""


class Environment:
    """An open LMDB environment. Use it as a context manager, from one thread."""

    def __init__(self, path: Path, *, map_size: int = FIRST_MAP, sync: bool = True) -> None:
        """Open or create the environment in the folder `path`.

        Args:
            path: folder of the store; made if missing.
            map_size: bytes of address space to begin with.
            sync: False leaves it to the operating system when data reaches the disk (benchmarks only).

        Raises:
            CannotCreate: the folder cannot be made or written.
            StorageError: what lies there is not a store of this version.
        """
        try:
            path.mkdir(parents=True, exist_ok=True)
            _reserve(path / "lock.mdb")
            self._env = lmdb.open(
                str(path),
                map_size=max(map_size, _size_of(path / "data.mdb") + HEADROOM),
                max_dbs=len(TABLES) + 1,
                max_readers=MOST_READERS,
                sync=sync,
                readahead=False,  # the store is read in small random pieces
                meminit=False,
            )
        except (OSError, lmdb.Error) as error:
            raise explained(error, path) from error
        self.path = path
        self._residence = Residence((path / "data.mdb").resolve())
        try:
            self.tables = {name: self._env.open_db(name.encode()) for name in TABLES}
            self._check_schema()
        except lmdb.Error as error:
            self._env.close()
            raise explained(error, path) from error
        except StorageError:
            self._env.close()
            raise

    def _check_schema(self) -> None:
        with self._env.begin(write=True) as txn:
            found = txn.get(b"schema", db=self.tables["meta"])
            if found is None:
                txn.put(b"schema", b"%d" % SCHEMA_VERSION, db=self.tables["meta"])
            elif found != b"%d" % SCHEMA_VERSION:
                version = bytes(found).decode(errors="replace")
                raise StorageError(
                    f"{self.path} holds a store of schema {version}; this version of spiderd reads "
                    f"{SCHEMA_VERSION}. Use the one that made it, or another data directory."
                )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the environment; no transaction may be open."""
        self._residence.close()
        self._env.close()

    def trim(self) -> bool:
        """Let go of the file's pages if too many are resident in this process; whether that was done."""
        return self._residence.trim()

    def begin(self, *, write: bool = True) -> lmdb.Transaction:
        """Begin a transaction; a write transaction first makes sure of its headroom."""
        if write and self.room() < HEADROOM:
            self.grow()
        with translated(self.path):
            return self._env.begin(write=write)

    def room(self) -> int:
        """Bytes of the map that no page has taken yet."""
        info = self._env.info()
        page: int = self._env.stat()["psize"]
        return int(info["map_size"]) - (int(info["last_pgno"]) + 1) * page

    def grow(self) -> None:
        """Double the map. No transaction may be open in this process."""
        with translated(self.path):
            self._env.set_mapsize(self._env.info()["map_size"] * 2)

    def sync(self) -> None:
        """Force what is committed to the disk."""
        with translated(self.path):
            self._env.sync(True)

    def sweep_readers(self) -> int:
        """Free the places of readers that were killed, whose pages could not be used again; how many."""
        with translated(self.path):
            return int(self._env.reader_check())

    def readers(self) -> tuple[int, int]:
        """How many snapshots are open in any process, and how many commits came since the oldest of them.

        Pages that were freed since then cannot be used again as long as it is open.
        """
        with translated(self.path):
            rows = [line.split() for line in self._env.readers().splitlines()[1:]]
        snapshots = [int(row[2]) for row in rows if len(row) == 3 and row[2].isdigit()]
        last = int(self._env.info()["last_txnid"])
        return len(snapshots), last - min(snapshots, default=last)

    def bytes_used(self) -> int:
        """Bytes of the data file that hold pages in use or once used."""
        return (int(self._env.info()["last_pgno"]) + 1) * int(self._env.stat()["psize"])


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn LMDB's errors into ours; a full map becomes `MapFull`."""
    try:
        yield
    except lmdb.MapFullError as error:
        raise MapFull from error
    except lmdb.Error as error:
        raise explained(error, path) from error


def _reserve(lock: Path) -> None:
    """Give the lock file its blocks: it is written through memory, where a full disk is a signal that kills.

    Raises:
        OSError: there is no room.
    """
    fd = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        os.posix_fallocate(fd, 0, READER_BYTES * (MOST_READERS + 4))
    finally:
        os.close(fd)


def _size_of(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _free(path: Path) -> int:
    try:
        return shutil.disk_usage(path).free
    except OSError:
        return 0


def explained(error: Exception, path: Path) -> StorageError | CannotCreate:
    """An error of the disk or of LMDB as one for the user."""
    text = str(error)
    number = getattr(error, "errno", None) or getattr(error, "code", None)
    full = number in (errno.ENOSPC, errno.EDQUOT) or "No space left" in text or "quota" in text
    if full or ("Input/output" in text and _free(path) < SHORT):  # LMDB's word for a write that was cut short
        return DiskFull(f"No room left on the disk of {path}: free some, the crawl goes on by itself.")
    if isinstance(error, PermissionError | lmdb.ReadonlyError) or "Permission" in text or "Read-only" in text:
        return CannotCreate(f"Cannot write the store in {path}: {text}. Check owner and mode of the folder.")
    if isinstance(error, FileExistsError | NotADirectoryError):
        return CannotCreate(f"Cannot make the store in {path}: a file is in the way.")
    return StorageError(f"The store in {path} failed: {text}.")
