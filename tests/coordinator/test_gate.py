"""The robots gate, each of its answers; and what a host waits for whose robots.txt cannot be had."""

from __future__ import annotations

import pytest

from spiderd.config.declaration import Config, Crawl, Politeness
from spiderd.coordinator import gate
from spiderd.coordinator.gate import Gate
from spiderd.robots.policy import FIRST_RETRY, LIFETIME, RobotsRecord, robots_of, ruling_for
from spiderd.schedule.politeness import HostState
from spiderd.schedule.workbench import HostQueue, OriginRobots
from spiderd.states import Failure

NOW = 1_800_000_000.0
URL = "http://h.test/page"
ORIGIN = "http://h.test"
RETRIES = 2
CONFIG = Config(crawl=Crawl(retries=RETRIES))


def answered(
    status: int = 200, failure: Failure = Failure.NONE, body: bytes = b"", tries: int = 0
) -> RobotsRecord:
    previous = RobotsRecord("disallow_all", tries=tries) if tries else None
    return ruling_for(status, failure, body, NOW, previous)


def host_with(record: RobotsRecord | None, of: str = ORIGIN) -> HostQueue:
    host = HostQueue(1, "h.test", HostState(host="h.test"))
    if record is not None:
        host.robots[of] = OriginRobots(record, robots_of(record))
    return host


def decided(record: RobotsRecord | None, *, at: float = NOW, config: Config = CONFIG, url: str = URL) -> Gate:
    return gate.decide(host_with(record), url, at, config)[0]


def test_where_robots_are_not_obeyed_everything_is_open() -> None:
    free = Config(politeness=Politeness(robots=False))
    for record in (None, answered(body=b"User-agent: *\nDisallow: /"), answered(500)):
        assert decided(record, config=free) is Gate.OPEN


def test_what_is_not_known_is_looked_up_in_the_store() -> None:
    assert decided(None) is Gate.LOOK_UP


def test_another_origin_has_a_robots_txt_of_its_own() -> None:
    known = answered()
    assert decided(known, url="https://h.test/page") is Gate.LOOK_UP
    assert decided(known, url="http://h.test:8080/page") is Gate.LOOK_UP
    assert decided(known, url="http://h.test:80/page") is Gate.OPEN


def test_what_the_store_does_not_know_either_is_fetched() -> None:
    assert decided(gate.UNKNOWN) is Gate.FETCH


@pytest.mark.parametrize(
    "record", [answered(body=b"User-agent: *\nDisallow: /"), answered(404), answered(500)]
)
def test_what_is_known_has_its_time(record: RobotsRecord) -> None:
    assert decided(record, at=record.expires - 0.1) is not Gate.FETCH
    assert decided(record, at=record.expires) is Gate.FETCH


def test_rules_allow_and_forbid_and_name_their_line() -> None:
    host = host_with(answered(body=b"User-agent: *\nDisallow: /secret\n"))
    assert gate.decide(host, URL, NOW, CONFIG)[0] is Gate.OPEN
    verdict, ruling = gate.decide(host, "http://h.test/secret/1", NOW, CONFIG)
    assert verdict is Gate.DENIED
    assert ruling is not None
    assert (ruling.number, ruling.line) == (2, "Disallow: /secret")


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_an_answer_that_there_is_none_allows_everything(status: int) -> None:
    assert decided(answered(status)) is Gate.OPEN
    assert decided(answered(status), at=NOW + LIFETIME) is Gate.FETCH


@pytest.mark.parametrize(
    ("status", "failure"),
    [
        (500, Failure.SERVER_ERROR),
        (503, Failure.THROTTLED),
        (0, Failure.CONNECT_REFUSED),
        (0, Failure.DNS_TEMPORARY),
    ],
)
def test_a_robots_txt_that_cannot_be_had_holds_the_host_until_all_tries_are_used_up(
    status: int, failure: Failure
) -> None:
    verdicts = [decided(answered(status, failure, tries=tries)) for tries in range(RETRIES + 2)]
    assert verdicts == [Gate.HOLD] * RETRIES + [Gate.HOPELESS] * 2


@pytest.mark.parametrize("failure", sorted(gate.HOPELESS))
def test_some_failures_are_hopeless_at_once(failure: Failure) -> None:
    assert decided(answered(0, failure)) is Gate.HOPELESS


def test_only_a_robots_txt_that_forbids_everything_can_be_hopeless() -> None:
    assert not gate.is_hopeless(
        RobotsRecord("allow_all", tries=99, failure=Failure.DNS_NO_SUCH_NAME), RETRIES
    )


def test_a_host_waits_until_its_robots_txt_may_be_asked_for_again() -> None:
    state = HostState(host="h.test")
    gate.hold(state, answered(500))
    assert (state.held_until, state.hold) == (NOW + FIRST_RETRY, "unreachable")
    assert state.hold_reason == "robots.txt answered 500"


def test_a_longer_hold_stays_and_so_does_its_reason() -> None:
    state = HostState(host="h.test", held_until=NOW + 9999, hold="parked", hold_reason="429")
    gate.hold(state, answered(500))
    assert (state.held_until, state.hold, state.hold_reason) == (NOW + 9999, "parked", "429")
    gate.hold(state, RobotsRecord("disallow_all", expires=NOW + 99_999, status=500))
    assert (state.held_until, state.hold, state.hold_reason) == (NOW + 99_999, "parked", "429")
