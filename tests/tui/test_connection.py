from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from spiderd.protocol import API_VERSION
from tui.connection import Connection, Phase, Problem


def test_the_life_of_a_line():
    line = Connection()
    line.begin(10.0)
    assert line.phase is Phase.TRYING
    assert line.greeted(API_VERSION, 10.0)
    line.heard(10.1)
    assert line.phase is Phase.LIVE
    assert line.connected
    line.tick(13.0)
    assert line.phase is Phase.LIVE
    line.tick(13.2)
    assert line.phase is Phase.STALE
    assert line.connected
    line.heard(14.0)
    assert line.phase is Phase.LIVE
    line.lost(Problem.BROKEN, "gone", 15.0)
    assert line.phase is Phase.WAITING
    assert not line.connected
    assert line.age(20.0) == 6.0


def test_the_back_off_grows_to_five_seconds_and_starts_again_when_something_was_heard():
    line, now, waits = Connection(), 0.0, []
    for _ in range(12):
        line.begin(now)
        line.lost(Problem.NOBODY, "", now)
        waits.append(line.wait(now))
        now += line.wait(now)
    assert waits[:3] == [0.25, 0.375, 0.5625]
    assert waits[-3:] == [5.0, 5.0, 5.0]
    line.begin(now)
    line.heard(now)
    line.begin(now)
    line.lost(Problem.BROKEN, "", now)
    assert line.wait(now) == 0.25


def test_a_daemon_that_greets_and_then_talks_nonsense_is_not_asked_at_full_speed():
    line, now = Connection(), 0.0
    for _ in range(12):
        line.begin(now)
        line.greeted(API_VERSION, now)
        line.lost(Problem.GARBLED, "", now)
        now += line.wait(now)
    assert line.wait(now - 5.0) > 4.0


@given(st.floats(0, 1, exclude_max=True), st.integers(1, 30))
def test_jitter_stays_within_a_tenth(jitter, tries):
    line = Connection(tries=tries - 1)
    line.begin(0.0)
    line.lost(Problem.NOBODY, "", 0.0, jitter)
    plain = Connection(tries=tries - 1)
    plain.begin(0.0)
    plain.lost(Problem.NOBODY, "", 0.0)
    assert 0.9 * plain.retry_at - 1e-9 <= line.retry_at <= 1.1 * plain.retry_at + 1e-9


def test_another_version_is_kept_in_sight():
    line = Connection()
    line.begin(1.0)
    assert not line.greeted(API_VERSION + 1, 1.0)
    assert line.phase is Phase.MISMATCHED
    assert not line.connected
    assert line.wait(1.0) > 0


def test_asking_for_it_tries_at_once():
    line = Connection(tries=20)
    line.begin(0.0)
    line.lost(Problem.NOBODY, "", 0.0)
    assert line.wait(0.0) == 5.0
    line.retry(0.1)
    assert line.wait(0.1) == 0.0


def test_nobody_is_only_said_after_a_while_and_never_once_a_daemon_was_there():
    line = Connection()
    line.begin(100.0)
    line.lost(Problem.NO_SOCKET, "", 100.0)
    assert not line.nobody(100.5)
    assert line.nobody(101.0)
    line.begin(101.0)
    assert line.nobody(101.0)
    line.heard(102.0)
    line.lost(Problem.BROKEN, "", 200.0)
    assert not line.nobody(300.0)
