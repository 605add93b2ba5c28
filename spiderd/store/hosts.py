"""Host queues: their numbers and their tallies.

A host is a number of 4 bytes in the keys of the frontier, given out at first sight. Its tallies change with
every URL that comes or goes, so they are kept in memory while the transaction is open and written before
the commit.
"""

from __future__ import annotations

from spiderd.store.records import HostRecord, decode, encode, host_key_bytes, host_of
from spiderd.store.transaction import Transaction

HOST_CACHE = 50_000  # host ids kept in memory, about 8 MB at the most


class Hosts:
    """The tables `host_ids` and `hosts`."""

    def __init__(self, transaction: Transaction) -> None:
        """Read and write within a transaction."""
        self._transaction = transaction
        self._changed: dict[int, HostRecord] = {}
        self._ids: dict[str, int] = {}

    def id_of(self, key: str) -> int:
        """The number of a host queue, given out at first sight."""
        known = self._ids.get(key)
        if known is not None:
            return known
        transaction = self._transaction
        row = transaction.get("host_ids", key.encode())
        if row is None:
            host = transaction.state.next_host
            transaction.state.next_host += 1
            transaction.state.counters.hosts += 1
            transaction.put("host_ids", key.encode(), host_key_bytes(host))
            self._changed[host] = HostRecord(key)
        else:
            host = host_of(row)
        if len(self._ids) >= HOST_CACHE:
            self._ids.clear()
        self._ids[key] = host
        return host

    def tallies(self, host: int) -> HostRecord:
        """The tallies of a host, to be changed in place.

        Raises:
            KeyError: there is no such host.
        """
        record = self._changed.get(host)
        if record is None:
            row = self._transaction.get("hosts", host_key_bytes(host))
            if row is None:
                raise KeyError(host)
            record = self._changed[host] = decode(HostRecord, row)
        return record

    def write(self) -> None:
        """Write the tallies that have changed."""
        for host, record in self._changed.items():
            self._transaction.put("hosts", host_key_bytes(host), encode(record))

    def forget(self, *, ids: bool) -> None:
        """Forget what belonged to the transaction that has ended; with it the `ids`, if it was aborted."""
        self._changed.clear()
        if ids:
            self._ids.clear()
