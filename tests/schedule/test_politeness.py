"""C25 and the laws of politeness, under a clock that is a number."""

from __future__ import annotations

from email.utils import formatdate

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.config.declaration import Politeness
from spiderd.messages import Outcome
from spiderd.schedule import politeness
from spiderd.schedule.politeness import (
    HostState,
    answered,
    asked,
    connections_of,
    delay_of,
    given_up,
    may_ask_at,
    release,
    retry_after,
    robots_asks,
    standing,
)
from spiderd.states import Failure, OutcomeKind

NOW = 1_800_000_000.0
RULES = Politeness()
FAST = Politeness(delay=0.0, per_host=4)


def good(latency: float = 0.1) -> Outcome:
    return Outcome(1, 0, OutcomeKind.STORED, status=200, latency=latency, elapsed=latency)


def throttled(after: str = "", status: int = 429) -> Outcome:
    return Outcome(1, 0, OutcomeKind.FAILED, status=status, failure=Failure.THROTTLED, retry_after=after)


def failed(failure: Failure = Failure.CONNECT_REFUSED, elapsed: float = 0.0) -> Outcome:
    return Outcome(1, 0, OutcomeKind.FAILED, failure=failure, elapsed=elapsed)


def host(name: str = "a.test") -> HostState:
    return HostState(host=name)


# the delay


@pytest.mark.parametrize(
    ("rules", "crawl_delay", "latency", "right"),
    [
        (Politeness(delay=1.0), 0.0, 0.0, 1.0),
        (Politeness(delay=1.0), 0.5, 0.0, 1.0),  # C33: 0.5 is less than our own minimum
        (Politeness(delay=0.2), 0.5, 0.0, 0.5),
        (Politeness(delay=1.0), 301.0, 0.0, 301.0),  # C33: obeyed, though beyond max_delay
        (Politeness(delay=1.0), 1e9, 0.0, 86400.0),
        (Politeness(delay=1.0), 0.0, 3.0, 6.0),
        (Politeness(delay=1.0), 0.0, 100.0, 60.0),  # max_delay
        (Politeness(delay=1.0, latency_factor=0.0), 0.0, 100.0, 1.0),
        (Politeness(delay=0.0), 0.0, 3.0, 0.0),  # "0s" is an explicit wish
        (Politeness(delay=0.0), 2.0, 3.0, 2.0),  # that the site may overrule
        (Politeness(delay=0.0, robots=False), 2.0, 0.0, 0.0),
        (Politeness(delay=120.0), 0.0, 100.0, 120.0),  # the user's own delay is no subject of max_delay
    ],
)
def test_delay(rules, crawl_delay, latency, right):
    assert delay_of(HostState(crawl_delay=crawl_delay, latency=latency), rules) == right


def test_a_request_moves_the_next_one():
    state = host()
    assert may_ask_at(state) <= NOW
    asked(state, NOW, RULES)
    assert may_ask_at(state) == NOW + 1.0


def test_latency_is_smoothed():
    state = host()
    answered(state, good(2.0), NOW, RULES)
    assert state.latency == 2.0
    answered(state, good(1.0), NOW, RULES)
    assert 1.0 < state.latency < 2.0
    for _ in range(50):
        answered(state, good(1.0), NOW, RULES)
    assert state.latency == pytest.approx(1.0)


def test_a_host_that_times_out_is_a_slow_host():
    state = host()
    answered(state, failed(Failure.FIRST_BYTE_TIMEOUT, elapsed=20.0), NOW, RULES)
    assert delay_of(state, RULES) == 40.0


def test_c33_a_crawl_delay_beyond_the_limit_is_obeyed_and_shown():
    state = host()
    (sentence,) = robots_asks(state, 301.0, RULES)
    assert "a.test" in sentence
    assert "5m 01s" in sentence
    assert robots_asks(state, 301.0, RULES) == []
    asked(state, NOW, RULES)
    assert may_ask_at(state) == NOW + 301.0
    assert standing(state, NOW + 300.0, RULES) == ("parked", "robots.txt asks for 5m 01s between requests")
    assert standing(state, NOW + 301.0, RULES) == ("ready", "")
    assert robots_asks(state, 0.0, RULES) == []
    assert delay_of(state, RULES) == 1.0


def test_a_small_crawl_delay_is_no_news():
    state = host()
    assert robots_asks(state, 5.0, RULES) == []
    asked(state, NOW, RULES)
    assert standing(state, NOW, RULES) == ("delayed", "")
    assert connections_of(state, FAST) == 1


# C25


@pytest.mark.parametrize("status", [429, 503])
def test_c25_retry_after_in_seconds(status):
    state = host()
    (sentence,) = answered(state, throttled("7", status), NOW, RULES)
    assert f"after {status}" in sentence
    assert may_ask_at(state) == NOW + 7
    assert standing(state, NOW + 6.9, RULES)[0] == "backoff"
    assert state.last_status == status


@pytest.mark.parametrize(
    "date",
    [
        formatdate(NOW + 20, usegmt=True),  # IMF-fixdate
        "Friday, 15-Jan-27 08:00:20 GMT",  # RFC 850
        "Fri Jan 15 08:00:20 2027",  # asctime
    ],
)
def test_c25_retry_after_as_a_date(date):
    state = host()
    answered(state, throttled(date), NOW, RULES)
    assert may_ask_at(state) == NOW + 20


def test_c25_far_away_parks_the_host_visibly():
    state = host()
    (sentence,) = answered(state, throttled("2592000"), NOW, RULES)
    assert sentence == "a.test is parked until 2027-02-14 08:00 UTC after 429 (Retry-After)"
    assert standing(state, NOW, RULES) == ("parked", "429, Retry-After in 30d 00h")
    assert may_ask_at(state) == NOW + 2_592_000
    release(state)
    assert may_ask_at(state) <= NOW
    assert connections_of(state, FAST) == 1


GARBAGE = [
    "soon",
    "",
    " ",
    "-7",
    "7.5",
    "+7",
    "0x7",
    "7 seconds",
    "\uff17",
    "Mon, 32 Jan 2038 00:00:00 GMT",
    "0",
    "99:99",
]


@pytest.mark.parametrize("value", GARBAGE)
def test_c25_garbage_is_absent(value):
    assert retry_after(value, NOW) is None
    state = host()
    answered(state, throttled(value), NOW, RULES)
    assert 7.5 <= may_ask_at(state) - NOW <= 12.5


def test_c25_a_date_in_the_past_is_absent():
    assert retry_after(formatdate(NOW - 5, usegmt=True), NOW) is None
    assert retry_after(formatdate(NOW, usegmt=True), NOW) is None


@pytest.mark.parametrize("value", ["9" * 20, "9" * 5000, "Fri, 01 Jan 9999 00:00:00 GMT"], ids=range(3))
def test_c25_absurd_values_park(value):
    state = host()
    answered(state, throttled(value), NOW, RULES)
    assert state.hold == "parked"
    assert may_ask_at(state) == NOW + politeness.FOREVER


def test_c25_without_a_time_the_pause_doubles():
    state, now, pauses = host(), NOW, []
    for _ in range(14):
        answered(state, throttled(), now, RULES)
        pauses.append(may_ask_at(state) - now)
        now = may_ask_at(state)
    for step, pause in enumerate(pauses):
        nominal = min(10.0 * 2**step, 3600.0)
        assert nominal * 0.75 <= pause <= nominal * 1.25
    assert state.hold == "backoff"


def test_c25_the_jitter_is_of_the_host_and_not_of_chance():
    def pause(name: str) -> float:
        state = host(name)
        answered(state, throttled(), NOW, RULES)
        return may_ask_at(state) - NOW

    pauses = {pause(f"h{number}.test") for number in range(50)}
    assert len(pauses) > 45
    assert pause("h1.test") == pause("h1.test")


def test_c25_three_in_flight_are_one_event():
    state = host()
    assert answered(state, throttled(), NOW, RULES)
    once = may_ask_at(state)
    assert answered(state, throttled(), NOW + 0.1, RULES) == []
    assert answered(state, throttled("3"), NOW + 0.2, RULES) == []
    assert (state.throttles, may_ask_at(state)) == (1, once)
    assert answered(state, throttled("30"), NOW + 0.3, RULES)  # asks for more than it has got
    assert may_ask_at(state) == NOW + 30.3
    assert state.throttles == 1
    assert answered(state, good(), NOW + 0.4, RULES) == []  # was on its way: proves nothing
    assert may_ask_at(state) == NOW + 30.3
    assert standing(state, NOW + 1, RULES)[0] == "backoff"


def test_c25_another_host_is_not_touched():
    one, other = host(), host("b.test")
    answered(one, throttled("7"), NOW, RULES)
    assert may_ask_at(other) <= NOW
    assert connections_of(other, FAST) == 4


@pytest.mark.parametrize("rules", [RULES, FAST])
def test_c25_recovery_ramps_up(rules):
    state, now = host(), NOW
    answered(state, throttled("40"), now, rules)
    delays, said = [], []
    while not said:
        now = may_ask_at(state)
        assert connections_of(state, rules) == 1
        asked(state, now, rules)
        delays.append(may_ask_at(state) - now)
        said = answered(state, good(), now + 0.1, rules)
        assert len(delays) < 20
    assert delays[:5] == [40.0, 20.0, 10.0, 5.0, 2.5]
    assert delays == sorted(delays, reverse=True)
    assert said == ["a.test has recovered"]
    assert delay_of(state, rules) == pytest.approx(rules.delay, abs=0.25)
    assert connections_of(state, rules) == rules.per_host
    assert (state.throttles, state.hold, state.hold_reason) == (0, "", "")


def test_c25_a_relapse_goes_on_where_it_was():
    state, now = host(), NOW
    for _ in range(4):
        answered(state, throttled(), now, RULES)
        now = may_ask_at(state)
    answered(state, good(), now, RULES)
    answered(state, throttled(), now + 5, RULES)
    assert may_ask_at(state) - (now + 5) >= 160 * 0.75
    assert state.throttles == 5


# hosts that cannot be reached


@pytest.mark.parametrize("failure", sorted(politeness.UNREACHING))
def test_three_failures_in_a_row_make_a_host_unreachable(failure):
    state = host()
    assert answered(state, failed(failure), NOW, RULES) == []
    assert answered(state, failed(failure), NOW + 1, RULES) == []
    assert standing(state, NOW + 1, RULES)[0] == "ready"
    (sentence,) = answered(state, failed(failure), NOW + 2, RULES)
    assert "unreachable" in sentence
    assert may_ask_at(state) == NOW + 62
    assert standing(state, NOW + 2, RULES) == ("unreachable", f"{failure}, 3 in a row")


def test_the_pause_doubles_up_to_six_hours_and_survives_the_store():
    state, now, pauses = host(), NOW, []
    for _ in range(2):
        answered(state, failed(), now, RULES)
    for _ in range(12):
        state = msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=HostState)
        answered(state, failed(), now, RULES)
        pauses.append(may_ask_at(state) - now)
        now = may_ask_at(state)
    assert pauses[:5] == [60, 120, 240, 480, 960]
    assert pauses[-2:] == [6 * 3600.0] * 2


def test_stragglers_do_not_lengthen_the_pause():
    state = host()
    for _ in range(8):
        answered(state, failed(), NOW, RULES)
    assert may_ask_at(state) == NOW + 60


def test_an_answer_of_any_kind_clears_it():
    state = host()
    for _ in range(3):
        answered(state, failed(), NOW, RULES)
    missing = Outcome(1, 0, OutcomeKind.FAILED, status=404, failure=Failure.HTTP_ERROR)
    assert answered(state, missing, NOW + 61, RULES) == ["a.test is reachable again"]
    assert may_ask_at(state) <= NOW + 61
    assert state.unreachable == 0
    assert answered(state, failed(), NOW + 62, RULES) == []


def test_failures_that_are_not_in_a_row_do_not_count():
    state = host()
    for _ in range(5):
        answered(state, failed(), NOW, RULES)
        answered(state, failed(), NOW, RULES)
        answered(state, good(), NOW, RULES)
    assert state.hold == ""


def test_failures_of_a_url_say_nothing_of_the_host():
    state = host()
    for _ in range(9):
        answered(state, failed(Failure.TOO_SLOW), NOW, RULES)
        answered(state, failed(Failure.STORE_FAILED), NOW, RULES)
    assert (state.hold, state.unreachable) == ("", 0)


def test_a_host_is_given_up_after_as_many_pauses_as_a_url_has_retries():
    state, now, pauses = HostState(host="a.test", last_status=200), NOW, 0
    while not given_up(state, 3):
        answered(state, failed(), now, RULES)
        pauses += state.hold == "unreachable" and may_ask_at(state) > now
        now = max(now, may_ask_at(state))
    assert pauses == 4  # three that were waited for, and the one that began now
    assert not given_up(host(), 0)


@pytest.mark.parametrize(("retries", "tries"), [(0, 3), (1, 3), (3, 4), (9, 10)])
def test_a_host_that_never_answered_gets_as_many_tries_as_a_url(retries, tries):
    state, now, made = host(), NOW, 0
    while not given_up(state, retries):
        answered(state, failed(), now, RULES)
        made += 1
        now = max(now, may_ask_at(state))
    assert made == tries


def test_a_host_that_only_refuses_is_given_up_in_the_end():
    state, now = host(), NOW
    while not given_up(state, 3):
        answered(state, throttled(status=503), now, RULES)
        now = may_ask_at(state)
    assert 3600 < now - NOW < 6 * 3600
    answered(state, good(), now, RULES)
    while state.throttles:
        answered(state, good(), now, RULES)
    assert not given_up(state, 3)


# laws

EVENTS = st.one_of(
    st.builds(good, st.floats(0.001, 30)),
    st.builds(
        throttled, st.sampled_from(["", "1", "7", "soon", "4000", "2592000"]), st.sampled_from([429, 503])
    ),
    st.builds(failed, st.sampled_from(list(Failure)), st.floats(0, 30)),
)
ANY_RULES = st.builds(
    Politeness,
    delay=st.sampled_from([0.0, 0.5, 1.0, 90.0]),
    per_host=st.integers(1, 8),
    latency_factor=st.sampled_from([0.0, 2.0]),
)


@given(
    st.lists(st.tuples(EVENTS, st.floats(0, 1000)), max_size=40),
    ANY_RULES,
    st.sampled_from([0.0, 0.5, 301.0]),
)
def test_no_history_makes_us_impolite(history, rules, crawl_delay):
    state, now = host(), NOW
    robots_asks(state, crawl_delay, rules)
    for outcome, later in history:
        now += later
        answered(state, outcome, now, rules)
        if outcome.failure is Failure.THROTTLED or outcome.status in (429, 503):
            wanted = retry_after(outcome.retry_after, now)
            assert may_ask_at(state) >= now + (wanted or 0)
        assert 1 <= connections_of(state, rules) <= rules.per_host
        assert delay_of(state, rules) >= max(rules.delay, crawl_delay)
        assert delay_of(state, rules) <= max(rules.delay, crawl_delay, rules.max_delay)
        before = may_ask_at(state)
        asked(state, now, rules)
        assert may_ask_at(state) >= max(state.held_until, now + delay_of(state, rules))
        assert may_ask_at(state) >= min(before, now)
        shown, _ = standing(state, now, rules)
        assert (shown in ("backoff", "parked", "unreachable")) >= (now < state.held_until)


@given(st.lists(EVENTS, max_size=30), ANY_RULES)
def test_good_answers_heal_every_host(history, rules):
    state, now = host(), NOW
    for outcome in history:
        answered(state, outcome, now, rules)
    for _ in range(40):
        now = max(now, may_ask_at(state))
        asked(state, now, rules)
        answered(state, good(0.01), now + 0.01, rules)
    assert (state.hold, state.penalty, state.throttles, state.unreachable) == ("", 0.0, 0, 0)
    assert connections_of(state, rules) == rules.per_host


@given(st.lists(EVENTS, max_size=20))
def test_the_state_survives_the_store(history):
    state = host("h\u00e9.test")
    for outcome in history:
        answered(state, outcome, NOW, RULES)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=HostState) == state


@given(st.text(max_size=40))
def test_any_retry_after_can_be_read(value):
    wait = retry_after(value, NOW)
    assert wait is None or 0 < wait <= politeness.FOREVER
