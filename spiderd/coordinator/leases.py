"""What is in flight: leases by number, URLs in hand, connections an address, contents claimed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from msgspec import Struct

from spiderd.messages import LeaseKind, Outcome
from spiderd.store.records import WaitingUrl
from spiderd.store.visits import Again


class ActiveLease(Struct):
    """A lease that a fetcher holds."""

    id: int
    kind: LeaseKind
    host: int
    seat: int
    at: float  # unix time
    address: str  # that the host was last seen at; "" = not known
    key: bytes = b""  # frontier key
    waiting: WaitingUrl | None = None
    origin: str = ""  # whose robots.txt it fetches
    digest: bytes = b""  # claimed as new
    again: Again | None = None  # the page, where it is visited again
    claimed_at: float = 0.0  # unix time that this content was received at
    answered: bool = False  # the whole answer is there: its connection is free, its outcome on the way


class LeaseBook:
    """All leases in flight."""

    def __init__(self, per_ip: int) -> None:
        self._per_ip = per_ip
        self._next = 1
        self._leases: dict[int, ActiveLease] = {}
        self._in_hand: set[bytes] = set()
        self._busy: dict[str, int] = {}  # address -> leases
        self._queues: dict[str, deque[int]] = {}  # address -> hosts that wait for a connection
        self.pages = 0  # leases that are for pages, later visits apart

    def reconfigure(self, per_ip: int) -> list[int]:
        """Let an address have so many connections; the hosts that have waited for one are to try again."""
        self._per_ip = per_ip
        waiting = [host for queue in self._queues.values() for host in queue]
        self._queues.clear()
        return waiting

    def __len__(self) -> int:
        return len(self._leases)

    def __iter__(self) -> Iterator[ActiveLease]:
        return iter(self._leases.values())

    def open(self, lease: ActiveLease) -> None:
        """Enter a lease; its number is given to it."""
        lease.id = self._next
        self._next += 1
        self._leases[lease.id] = lease
        if lease.waiting is not None:
            self._in_hand.add(lease.waiting.hash)
            self.pages += lease.again is None
        if lease.address:
            self._busy[lease.address] = self._busy.get(lease.address, 0) + 1

    def get(self, number: int) -> ActiveLease | None:
        """A lease in flight, or None."""
        return self._leases.get(number)

    def close(self, number: int) -> ActiveLease | None:
        """Take a lease out; None where there is none of that number."""
        lease = self._leases.pop(number, None)
        if lease is None:
            return None
        if lease.waiting is not None:
            self.pages -= lease.again is None
        return lease

    def reserve(self, url_hash: bytes) -> None:
        """A URL is settled without a lease: it is not to be handed out until the store has recorded that."""
        self._in_hand.add(url_hash)

    def release(self, url_hash: bytes) -> None:
        """The store has recorded the end of a URL's lease: it may be handed out again if it still waits."""
        self._in_hand.discard(url_hash)

    def holds(self, url_hash: bytes) -> bool:
        """Whether a URL is in flight, or its outcome is on its way into the store."""
        return url_hash in self._in_hand

    # connections an address

    def hang_up(self, lease: ActiveLease) -> int | None:
        """The lease's request is over; a host that waits for a connection to the same address, or None."""
        address, lease.address = lease.address, ""
        if not address:
            return None
        left = self._busy[address] - 1
        if left:
            self._busy[address] = left
        else:
            del self._busy[address]
        return self._next_for(address)

    def is_busy(self, address: str) -> bool:
        """Whether an address has all the connections it may have."""
        return self._busy.get(address, 0) >= self._per_ip

    def wait_for(self, address: str, host: int) -> None:
        """Queue a host for a connection to its address."""
        self._queues.setdefault(address, deque()).append(host)

    def _next_for(self, address: str) -> int | None:
        queue = self._queues.get(address)
        if not queue:
            return None
        host = queue.popleft()
        if not queue:
            del self._queues[address]
        return host


class Claims:
    """Contents on their way into the archive: who stores one, and who waits for that to succeed.

    The first lease to claim a digest stores the body. Others with the same content (twins) are told that it
    is a duplicate; their outcomes are held until the first one is recorded, and their URLs are fetched again
    if it fails, so that a duplicate never refers to a page that is not there.
    """

    def __init__(self) -> None:
        self._first: dict[bytes, int] = {}
        self._twins: dict[bytes, list[Outcome]] = {}

    def claim(self, digest: bytes, lease: int) -> bool:
        """Claim a content; False where another lease in flight has done so."""
        return self._first.setdefault(digest, lease) == lease

    def first(self, digest: bytes) -> int:
        """The lease that has claimed a content first; 0 where none has."""
        return self._first.get(digest, 0)

    def is_pending(self, digest: bytes) -> bool:
        """Whether a content is on its way into the archive."""
        return digest in self._first

    def hold(self, outcome: Outcome) -> None:
        """Keep a twin's outcome until the first one is recorded."""
        self._twins.setdefault(outcome.digest, []).append(outcome)

    def settle(self, digest: bytes) -> list[Outcome]:
        """The first one has ended; the outcomes of its twins."""
        self._first.pop(digest, None)
        return self._twins.pop(digest, [])
