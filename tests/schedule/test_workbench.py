"""The workbench against a list of hosts that is looked through: who may be asked, and who is best."""

from __future__ import annotations

from collections import deque

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from spiderd.config.declaration import Politeness
from spiderd.schedule.politeness import HostState, connections_of, given_up, may_ask_at
from spiderd.schedule.workbench import LOW_WATER, READ_AHEAD, HostQueue, Workbench
from spiderd.store.records import WaitingUrl, host_key_bytes

RETRIES = 3
NOW = 1_800_000_000.0
ANY_HOST = st.integers(0, 5)
WAITS = st.sampled_from([0.0, 0.5, 1.0, 30.0])


def head(host: int, rank: int) -> tuple[bytes, WaitingUrl]:
    key = host_key_bytes(host) + rank.to_bytes(8, "big")
    return key, WaitingUrl(f"http://h{host}.test/{rank}", rank.to_bytes(8, "big"))


def queue(number: int, *ranks: int, **state) -> HostQueue:
    """A host whose frontier has been read to its end."""
    host = HostQueue(number, f"h{number}.test", HostState(host=f"h{number}.test", **state), more=False)
    host.heads = deque(head(number, rank) for rank in ranks)
    return host


def bench_with(*hosts: HostQueue, now: float = NOW, **rules) -> Workbench:
    bench = Workbench(Politeness(**{"delay": 1.0, "per_host": 1, **rules}), RETRIES)
    for host in hosts:
        bench.hosts[host.id] = host
        bench.place(host, now)
    return bench


def taken(bench: Workbench, now: float) -> int | None:
    host = bench.take(now)
    return None if host is None else host.id


class BenchMachine(RuleBasedStateMachine):
    """Hosts come, are asked, held, robbed of their connections; a linear search says what is right."""

    def __init__(self) -> None:
        super().__init__()
        self.now = NOW
        self.rank = 0

    @initialize(delay=st.sampled_from([0.0, 1.0]), per_host=st.integers(1, 3))
    def begin(self, delay, per_host) -> None:
        self.bench = bench_with(delay=delay, per_host=per_host)

    def may_go_on(self, host: HostQueue) -> bool:
        waits = host.awaiting_robots or host.awaiting_address
        return bool(
            host.heads and not waits and host.in_flight < connections_of(host.state, self.bench.rules)
        )

    def ready(self) -> list[HostQueue]:
        return [
            host
            for host in self.bench.hosts.values()
            if self.may_go_on(host) and (may_ask_at(host.state) <= self.now or given_up(host.state, RETRIES))
        ]

    def place(self, host: HostQueue) -> None:
        self.bench.place(host, self.now)

    @rule(number=ANY_HOST, ranks=st.lists(st.integers(0, 50), min_size=1, max_size=3, unique=True))
    def urls_come(self, number, ranks) -> None:
        host = self.bench.hosts.setdefault(number, queue(number))
        host.heads = deque(sorted([*host.heads, *(head(number, rank) for rank in ranks)]))
        self.place(host)

    @rule(number=ANY_HOST)
    def it_is_read_again(self, number) -> None:
        if number in self.bench.hosts:
            self.bench.hosts[number].reread()
            self.bench.hosts[number].more = False
            self.place(self.bench.hosts[number])

    @rule(number=ANY_HOST)
    def it_leaves(self, number) -> None:
        self.bench.hosts.pop(number, None)

    @rule(number=ANY_HOST, wait=WAITS)
    def it_is_held(self, number, wait) -> None:
        if number in self.bench.hosts:
            state = self.bench.hosts[number].state
            state.hold, state.held_until = "backoff", self.now + wait
            self.place(self.bench.hosts[number])

    @rule(number=ANY_HOST, failures=st.integers(0, 10))
    def it_cannot_be_reached(self, number, failures) -> None:
        if number in self.bench.hosts:
            self.bench.hosts[number].state.unreachable = failures
            self.place(self.bench.hosts[number])

    @rule(number=ANY_HOST, robots=st.booleans(), address=st.booleans())
    def it_waits_for_something(self, number, robots, address) -> None:
        if number in self.bench.hosts:
            host = self.bench.hosts[number]
            host.awaiting_robots = {"http://x.test"} if robots else set()
            host.awaiting_address = address
            self.place(host)

    @rule(number=ANY_HOST)
    def a_request_ends(self, number) -> None:
        host = self.bench.hosts.get(number)
        if host is not None and host.in_flight:
            host.in_flight -= 1
            self.place(host)

    @rule(seconds=WAITS)
    def time_passes(self, seconds) -> None:
        self.now += seconds

    @rule()
    def the_best_of_those_that_may_be_asked_is_taken(self) -> None:
        ready = self.ready()
        host = self.bench.take(self.now)
        assert (host is None) == (not ready)
        if host is None:
            return
        assert any(host is one for one in ready)
        assert host.heads[0][0][4:] == min(one.heads[0][0][4:] for one in ready)
        in_flight, due = host.in_flight, may_ask_at(host.state)
        key, _ = self.bench.lease(host, self.now)
        assert key == head(host.id, int.from_bytes(key[4:], "big"))[0]
        assert host.in_flight == in_flight + 1
        assert due <= self.now or given_up(host.state, RETRIES)
        assert may_ask_at(host.state) >= self.now
        self.place(host)

    @invariant()
    def it_is_known_when_to_look_again(self) -> None:
        if not hasattr(self, "bench"):
            return
        ready = {host.id for host in self.ready()}
        later = [
            may_ask_at(host.state)
            for host in self.bench.hosts.values()
            if host.id not in ready and self.may_go_on(host)
        ]
        told = self.bench.next_time()
        if not ready:
            assert told == min(later, default=None)
        elif told is not None and told > self.now:
            assert told in later


TestBenchMachine = BenchMachine.TestCase
TestBenchMachine.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)


def test_a_host_is_not_asked_before_its_time() -> None:
    bench = bench_with(queue(1, 5, 6))
    host = bench.take(NOW)
    assert host is not None
    bench.lease(host, NOW)
    host.in_flight -= 1
    bench.place(host, NOW)
    assert taken(bench, NOW + 0.99) is None
    assert bench.next_time() == NOW + 1.0
    assert taken(bench, NOW + 1.0) == 1


def test_ranks_decide_between_hosts_and_not_who_came_first() -> None:
    bench = bench_with(queue(1, 9), queue(2, 3), queue(3, 7))
    assert [taken(bench, NOW) for _ in range(4)] == [2, 3, 1, None]


def test_a_host_that_is_taken_is_in_no_place_until_it_is_placed() -> None:
    bench = bench_with(queue(1, 1, 2), delay=0.0, per_host=4)
    assert taken(bench, NOW) == 1
    assert taken(bench, NOW) is None
    bench.place(bench.hosts[1], NOW)
    assert taken(bench, NOW) == 1


def test_only_the_newest_place_counts() -> None:
    host = queue(1, 1)
    bench = bench_with(host)
    for _ in range(5):
        bench.place(host, NOW)
    assert [taken(bench, NOW) for _ in range(3)] == [1, None, None]


def test_a_host_that_has_left_is_not_handed_out() -> None:
    bench = bench_with(queue(1, 1), queue(2, 2, held_until=NOW + 9))
    bench.hosts.clear()
    assert taken(bench, NOW) is None
    assert bench.next_time() is None


@pytest.mark.parametrize("limit", [1, 2, 4])
def test_a_host_has_its_connections_and_no_more(limit: int) -> None:
    host = queue(1, *range(10))
    bench = bench_with(host, delay=0.0, per_host=limit)
    given = 0
    while bench.take(NOW) is not None:
        bench.lease(host, NOW)
        bench.place(host, NOW)
        given += 1
    assert given == limit
    host.in_flight -= 1
    bench.place(host, NOW)
    assert taken(bench, NOW) == 1


def test_a_recovering_host_has_one_connection() -> None:
    host = queue(1, *range(10), penalty=0.1)
    bench = bench_with(host, delay=0.0, per_host=4)
    assert taken(bench, NOW) == 1
    bench.lease(host, NOW)
    bench.place(host, NOW + 60)
    assert taken(bench, NOW + 60) is None


def test_what_waits_for_a_host_that_is_given_up_need_not_wait() -> None:
    hopeless = queue(
        1, 1, unreachable=3 + RETRIES, hold="unreachable", held_until=NOW + 3600, last_status=200
    )
    patient = queue(2, 2, unreachable=2 + RETRIES, hold="unreachable", held_until=NOW + 3600, last_status=200)
    bench = bench_with(hopeless, patient)
    assert bench.has_given_up(hopeless)
    assert [taken(bench, NOW), taken(bench, NOW)] == [1, None]
    assert bench.next_time() == NOW + 3600


def test_more_is_read_when_little_is_left_and_only_once_at_a_time() -> None:
    host = queue(1, *range(LOW_WATER))
    host.more = True
    bench = bench_with(host)
    assert not bench.hungry
    host.heads.popleft()
    bench.place(host, NOW)
    assert bench.hungry == {1}
    bench.hungry.clear()
    host.reading = True
    bench.place(host, NOW)
    assert not bench.hungry
    assert LOW_WATER < READ_AHEAD


def test_a_host_is_done_when_nothing_is_left_in_any_place() -> None:
    host = queue(1)
    assert host.is_done
    for name, value in (("more", True), ("reading", True), ("in_flight", 1), ("heads", deque([head(1, 1)]))):
        before = getattr(host, name)
        setattr(host, name, value)
        assert not host.is_done, name
        setattr(host, name, before)


@pytest.mark.parametrize("held_until", [0.0, NOW + 9])
def test_placing_a_host_again_and_again_costs_no_memory(held_until: float) -> None:
    host = queue(1, 1, held_until=held_until)
    bench = bench_with(host)
    for _ in range(20_000):
        bench.place(host, NOW)
    assert len(bench._later) + len(bench._ready) < 3000
    assert taken(bench, NOW + 10) == 1
