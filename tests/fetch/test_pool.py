from __future__ import annotations

import resource
import socket
from collections.abc import Iterator

import pytest

from spiderd.fetch import pool as module
from spiderd.fetch.connection import Connection, PlainChannel
from spiderd.fetch.pool import MAX_IDLE, Pool, most_idle


class Pair:
    """A connection and the server's end of it."""

    def __init__(self, key: object) -> None:
        ours, self.server = socket.socketpair()
        ours.setblocking(False)
        self.connection = Connection(PlainChannel(ours), key, "127.0.0.1")

    @property
    def open(self) -> bool:
        self.server.setblocking(False)
        try:
            return self.server.recv(1) != b""
        except BlockingIOError:
            return True
        except ConnectionResetError:  # closed with something unread
            return False

    def close(self) -> None:
        self.connection.close()
        self.server.close()


@pytest.fixture
def pairs() -> Iterator[list[Pair]]:
    made = [Pair("a" if n < 12 else "b") for n in range(24)]
    yield made
    for pair in made:
        pair.close()


def test_the_last_one_put_is_the_first_taken(pairs):
    pool = Pool()
    pool.put(pairs[0].connection, 0.0)
    pool.put(pairs[1].connection, 1.0)
    assert pool.take("b") is None
    assert pool.take("a") is pairs[1].connection
    assert pool.take("a") is pairs[0].connection
    assert pool.take("a") is None
    assert len(pool) == 0


def test_stale_ones_are_closed_and_passed_over(pairs):
    pool = Pool()
    for pair in pairs[:3]:
        pool.put(pair.connection, 0.0)
    pairs[2].server.close()  # has closed
    pairs[1].server.send(b"HTTP/1.1 408 Request Timeout\r\n\r\n")  # says something unasked
    assert pool.take("a") is pairs[0].connection
    assert len(pool) == 0
    assert not pairs[1].open


def test_numbers_are_bounded_and_the_oldest_go(pairs):
    pool = Pool(max_idle=10)
    for number, pair in enumerate(pairs):
        pool.put(pair.connection, float(number))
    assert len(pool) == 10
    assert [pair.open for pair in pairs] == [False] * 10 + [True] * 2 + [False] * 4 + [True] * 8
    assert sum(pair.open for pair in pairs if pair.connection.key == "b") == module.MAX_IDLE_HERE


def test_old_ones_expire(pairs):
    pool = Pool(keep=10.0)
    pool.put(pairs[0].connection, 0.0)
    pool.put(pairs[1].connection, 5.0)
    pool.put(pairs[20].connection, 11.0)
    assert not pairs[0].open
    assert pairs[1].open
    pool.expire(16.0)
    assert not pairs[1].open
    assert len(pool) == 1


def test_forgetting_closes_those_of_one_key(pairs):
    pool = Pool()
    for pair in (pairs[0], pairs[1], pairs[20]):
        pool.put(pair.connection, 0.0)
    pool.forget("a")
    pool.forget("none")
    assert [pairs[0].open, pairs[1].open, pairs[20].open] == [False, False, True]


def test_a_closed_pool_keeps_nothing(pairs):
    pool = Pool()
    pool.put(pairs[0].connection, 0.0)
    pool.close()
    pool.put(pairs[1].connection, 0.0)
    assert len(pool) == 0
    assert not pairs[0].open
    assert not pairs[1].open


@pytest.mark.parametrize(
    ("allowed", "idle"), [(256, 128), (1024, 512), (2 * MAX_IDLE, MAX_IDLE), (65_536, MAX_IDLE)]
)
def test_idle_connections_leave_half_of_the_descriptors_to_others(allowed, idle):
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    if before[1] not in (resource.RLIM_INFINITY, -1) and before[1] < allowed:
        pytest.skip(f"this process may have no more than {before[1]} files open")
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, before[1]))
    try:
        assert most_idle() == idle
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
