"""Download directories: whose they are, and how much of each is committed.

A worker writes into a directory of its own and numbers its resources from 1 on. The row here is what counts:
resources and index lines beyond it are cut back when the worker opens its directory again.
"""

from __future__ import annotations

from spiderd.messages import Outcome
from spiderd.store.records import DirectoryRecord, decode, encode, number_key
from spiderd.store.transaction import Transaction


class Directories:
    """The table `directories`."""

    def __init__(self, transaction: Transaction) -> None:
        """Read and write within a transaction."""
        self._transaction = transaction
        self._changed: dict[int, DirectoryRecord] = {}  # rows change with each page: written once a commit

    def get(self, number: int) -> DirectoryRecord:
        """The row of a download directory, to be changed in place by whoever then calls `put`.

        Raises:
            KeyError: there is no such directory.
        """
        changed = self._changed.get(number)
        if changed is not None:
            return changed
        row = self._transaction.get("directories", number_key(number))
        if row is None:
            raise KeyError(number)
        return decode(DirectoryRecord, row)

    def put(self, number: int, record: DirectoryRecord) -> None:
        """Let the row of a download directory be this."""
        self._changed[number] = record

    def write(self) -> None:
        """Write the rows that have changed."""
        for number, record in self._changed.items():
            self._transaction.put("directories", number_key(number), encode(record))

    def forget(self) -> None:
        """The transaction has ended: forget what belonged to it."""
        self._changed.clear()

    def new(self, worker: int) -> int:
        """Give a worker a directory of its own; its number."""
        state = self._transaction.state
        number = state.next_directory
        state.next_directory += 1
        self.put(number, DirectoryRecord(worker))
        return number

    def fill(self, outcome: Outcome) -> None:
        """Commit a stored page to its directory."""
        record = self._changed[outcome.directory] = self.get(outcome.directory)
        record.count = outcome.number
        record.bytes += outcome.size
        record.index_bytes = outcome.index_bytes

    def extend(self, outcome: Outcome) -> None:
        """Commit the records of an outcome; of one that was held back they may lie before the end."""
        record = self._changed[outcome.directory] = self.get(outcome.directory)
        record.records_bytes = max(record.records_bytes, outcome.records_bytes)

    def all(self) -> list[tuple[int, DirectoryRecord]]:
        """All directories with their numbers."""
        self.write()
        with self._transaction.cursor("directories") as cursor:
            return [(int.from_bytes(key, "big"), decode(DirectoryRecord, row)) for key, row in cursor]

    def open(self) -> list[tuple[int, DirectoryRecord]]:
        """Directories that are still being filled. There is one a worker, and they are the newest."""
        return [(number, record) for number, record in self.all() if record.open]
