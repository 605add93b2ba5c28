"""URLs set aside: they wait for a time or for somebody's word, not for their turn.

`delayed` is ordered by the time of the next try, so that what is due are its first rows. `parked` holds the
URLs that are kept back for one reason (the shape of a trap, a scope that has become narrower) as neighbours,
under a key of 8 bytes that stands for it. Each row remembers the frontier key that the URL had.
"""

from __future__ import annotations

from spiderd.store.frontier import Frontier
from spiderd.store.records import FRONTIER_KEY_BYTES, WaitingUrl, decode, due_key, encode, host_of
from spiderd.store.transaction import Transaction


class Aside:
    """The tables `delayed` and `parked`."""

    def __init__(self, transaction: Transaction, frontier: Frontier) -> None:
        """Read and write within a transaction."""
        self._transaction = transaction
        self._frontier = frontier

    def delay(self, key: bytes, waiting: WaitingUrl, at: float) -> bool:
        """Let a leased URL wait until the unix time `at`; False if it is not there."""
        taken = self._frontier.end_lease(key, waiting)
        if taken is not None:
            self._transaction.put("delayed", due_key(at, taken), encode(waiting))
        return taken is not None

    def wake(self, now: float) -> float | None:
        """Put back those URLs whose next try is due; the unix time of the next one, or None."""
        limit = due_key(now, b"\xff" * FRONTIER_KEY_BYTES)
        with self._transaction.cursor("delayed") as cursor:
            while cursor.first():
                key = cursor.key()
                if key > limit:
                    return int.from_bytes(key[:8], "big") / 1000
                waiting = decode(WaitingUrl, cursor.value())
                cursor.delete()
                host = host_of(key[8:])
                self._frontier.leave(host)  # it was counted while it was delayed
                self._frontier.enqueue(host, waiting, tail=True)
        return None

    def park(self, key: bytes, waiting: WaitingUrl, under: bytes) -> None:
        """Keep a URL back under a key of 8 bytes."""
        taken = self._frontier.take_out(key, waiting)
        if taken is not None:
            self._transaction.put("parked", under + taken, encode(waiting))
            self._transaction.state.counters.parked += 1

    def unpark(self, under: bytes) -> int:
        """Let the URLs that are kept back under a key wait for their turn again; how many there were."""
        count = 0
        with self._transaction.cursor("parked") as cursor:
            while cursor.set_range(under) and cursor.key()[:8] == under:
                key, waiting = cursor.key()[8:], decode(WaitingUrl, cursor.value())
                cursor.delete()
                self._frontier.put_back(key, waiting)
                count += 1
        self._transaction.state.counters.parked -= count
        return count
