"""What is in flight: leases, URLs in hand, connections an address, contents claimed by several at once."""

from __future__ import annotations

from collections import Counter, deque

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from spiderd.coordinator.leases import ActiveLease, Claims, LeaseBook
from spiderd.messages import Outcome
from spiderd.states import OutcomeKind
from spiderd.store.records import WaitingUrl

ADDRESSES = ["", "127.0.0.1", "::1"]


def lease(host: int = 1, address: str = "", url_hash: bytes = b"") -> ActiveLease:
    waiting = WaitingUrl("http://h.test/", url_hash) if url_hash else None
    return ActiveLease(0, "page" if url_hash else "robots", host, 0, 0.0, address, b"key", waiting)


def twin(digest: bytes, number: int) -> Outcome:
    return Outcome(number, 0, OutcomeKind.DUPLICATE, digest=digest)


class BookMachine(RuleBasedStateMachine):
    """Leases begin and end in any order; plain counters say what must be so."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[ActiveLease] = []
        self.connected: list[tuple[ActiveLease, str]] = []
        self.queues: dict[str, deque[int]] = {}
        self.hosts = 0

    @initialize(per_ip=st.integers(1, 3))
    def begin(self, per_ip) -> None:
        self.per_ip = per_ip
        self.book = LeaseBook(per_ip)

    @rule(address=st.sampled_from(ADDRESSES), robots=st.booleans())
    def one_begins(self, address, robots) -> None:
        self.hosts += 1
        if self.book.is_busy(address):
            assert address
            self.book.wait_for(address, self.hosts)
            self.queues.setdefault(address, deque()).append(self.hosts)
            return
        made = lease(self.hosts, address, b"" if robots else self.hosts.to_bytes(8, "big"))
        self.book.open(made)
        assert made.id not in {one.id for one in self.open}
        self.open.append(made)
        self.connected.append((made, address))

    @rule(pick=st.integers(0, 100))
    def a_request_ends(self, pick) -> None:
        if not self.connected:
            return
        ended, address = self.connected.pop(pick % len(self.connected))
        queue = self.queues.get(address)
        assert self.book.hang_up(ended) == (queue.popleft() if queue else None)
        assert self.book.hang_up(ended) is None  # it has hung up already

    @rule(pick=st.integers(0, 100))
    def a_lease_ends(self, pick) -> None:
        if not self.open:
            return
        ended = self.open.pop(pick % len(self.open))
        assert self.book.close(ended.id) is ended
        assert self.book.close(ended.id) is None
        assert self.book.get(ended.id) is None
        if ended.waiting is not None:  # until the store has recorded it, nobody else may have the URL
            assert self.book.holds(ended.waiting.hash)
            self.book.release(ended.waiting.hash)
            assert not self.book.holds(ended.waiting.hash)

    @invariant()
    def it_counts_right(self) -> None:
        if not hasattr(self, "book"):
            return
        assert len(self.book) == len(self.open)
        assert {one.id for one in self.book} == {one.id for one in self.open}
        assert self.book.pages == sum(one.waiting is not None for one in self.open)
        assert all(self.book.get(one.id) is one for one in self.open)
        assert all(self.book.holds(one.waiting.hash) for one in self.open if one.waiting)
        busy = Counter(address for _, address in self.connected)
        for address in ADDRESSES[1:]:
            assert self.book.is_busy(address) == (busy[address] >= self.per_ip)
        assert not self.book.is_busy("")


TestBookMachine = BookMachine.TestCase
TestBookMachine.settings = settings(max_examples=80, stateful_step_count=40, deadline=None)


def test_a_url_that_is_settled_without_a_lease_is_in_hand() -> None:
    book = LeaseBook(1)
    book.reserve(b"12345678")
    assert book.holds(b"12345678")
    assert not len(book)
    book.release(b"12345678")
    assert not book.holds(b"12345678")


def test_hosts_get_a_connection_to_their_address_in_the_order_they_asked() -> None:
    book = LeaseBook(1)
    first = lease(1, "::1")
    book.open(first)
    for host in (2, 3):
        book.wait_for("::1", host)
    assert book.hang_up(first) == 2
    assert not book.is_busy("::1")
    second = lease(2, "::1")
    book.open(second)
    assert book.hang_up(second) == 3


def test_the_first_to_claim_a_content_stores_it_and_the_others_wait_for_that() -> None:
    claims = Claims()
    assert claims.claim(b"d", 1)
    assert claims.claim(b"d", 1)  # asked again
    assert not claims.claim(b"d", 2)
    assert claims.claim(b"other", 3)
    assert claims.is_pending(b"d")
    claims.hold(twin(b"d", 2))
    claims.hold(twin(b"d", 4))
    claims.hold(twin(b"other", 5))
    assert [one.lease for one in claims.settle(b"d")] == [2, 4]
    assert not claims.is_pending(b"d")
    assert claims.settle(b"d") == []
    assert claims.is_pending(b"other")


@pytest.mark.parametrize("twins", [0, 1])
def test_when_the_first_has_ended_a_content_may_be_claimed_anew(twins) -> None:
    claims = Claims()
    claims.claim(b"d", 1)
    for number in range(twins):
        claims.hold(twin(b"d", 2 + number))
    claims.settle(b"d")
    assert claims.claim(b"d", 7)
    assert claims.settle(b"d") == []
