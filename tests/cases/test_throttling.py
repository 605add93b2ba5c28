"""C25: a host that asks to be left alone is, until it says; nobody else waits, and no URL pays for it."""

from __future__ import annotations

from email.utils import formatdate
from itertools import pairwise
from pathlib import Path

import pytest
import trio
import trio.testing

from spiderd.states import CrawlState, Failure, OutcomeKind, Reason
from tests.cases.playing import Crawled
from tests.crawl.harness import configured, crawl
from tests.crawl.pages import page, site_of
from tests.web.faults import late
from tests.web.server import Request, Site, serve

pytestmark = pytest.mark.trio

CLOSE = 0.05
START = (
    1_900_000_000.0  # unix time at which the clock of a test begins: dates in headers have to mean something
)


@pytest.fixture
def autojump_clock() -> trio.testing.MockClock:
    """Jumps only after a while in which nothing came in from sockets and threads."""
    return trio.testing.MockClock(autojump_threshold=0.1)


class Clock:
    """Unix time as a test has it."""

    def __init__(self) -> None:
        self.zero = trio.current_time()

    def __call__(self) -> float:
        return START + trio.current_time() - self.zero

    def date(self, ahead: float) -> str:
        """An HTTP date that many seconds from now."""
        return formatdate(self() + ahead, usegmt=True)


def busy(status: int, first: int, headers) -> object:
    """A route that refuses `first` times, each time after a second, and then answers."""
    asked = iter(range(10_000))

    def answer(request: Request):
        number = next(asked)
        if number < first:
            return status, headers() if callable(headers) else headers, b"busy"
        return f"{request.path} at last"

    return late(1.0, answer)


def gap_after_refusals(site: Site, paths: tuple[str, ...]) -> float:
    """Seconds between the first refusal and the first request after it; there must be none in between."""
    times = sorted(request.time for request in site.requests if request.path in paths)
    refused = times[0] + 1.0
    later = [time for time in times if time > refused + CLOSE]
    return later[0] - refused


ONE = ("/a", "/b", "/c")


async def play(
    tmp_path: Path, clock: Clock, status: int, headers, *, retries: int = 1
) -> tuple[Crawled, Site, Site]:
    """Host A refuses the first three requests, which are in flight together; host B is well."""
    routes = {"/": page(*ONE), **dict.fromkeys(ONE, busy(status, 3, headers))}
    well = {"/": page(*(f"/{n}" for n in range(40))), **{f"/{n}": f"b {n}" for n in range(40)}}
    async with serve(site_of(routes), host="127.0.0.9") as site, serve(site_of(well)) as other:
        config = configured(
            site.url("/"),
            other.url("/"),
            crawl={"threads": 6, "retries": retries},
            politeness={"delay": 0.0, "per_host": 3},
        )
        report = await crawl(config, tmp_path, clock=clock)
        together = [request for request in site.requests if request.path in ONE][:3]
        assert max(request.time for request in together) - min(request.time for request in together) < 0.5
    return Crawled(tmp_path, report), site, other


def check_all_came(crawled: Crawled, site: Site, other: Site) -> None:
    """B was not held up, nobody paid a try, and everything was stored."""
    assert other.requests[-1].time - other.requests[0].time < 2.0
    assert crawled.counters.error == 0
    assert crawled.counters.retries == 0
    assert crawled.counters.pages == 4 + 41
    assert {crawled.pages[site.url(path)].tries for path in ONE} == {0}
    assert [snapshot.reason for snapshot in crawled.report.completions] == [Reason.DRAINED]


@pytest.mark.parametrize("status", [429, 503])
async def test_c25_seconds(tmp_path: Path, autojump_clock, status: int) -> None:
    crawled, site, other = await play(tmp_path, Clock(), status, {"Retry-After": "7"})
    assert 7.0 - CLOSE <= gap_after_refusals(site, ONE) < 8.5
    check_all_came(crawled, site, other)


@pytest.mark.parametrize("status", [429, 503])
async def test_c25_a_date(tmp_path: Path, autojump_clock, status: int) -> None:
    clock = Clock()
    crawled, site, other = await play(tmp_path, clock, status, lambda: {"Retry-After": clock.date(20)})
    assert 18.9 <= gap_after_refusals(site, ONE) < 22.0  # dates have whole seconds
    check_all_came(crawled, site, other)


@pytest.mark.parametrize("status", [429, 503])
async def test_c25_a_month_parks_the_host_visibly_and_the_rest_ends(
    tmp_path: Path, autojump_clock, status: int, capfd
) -> None:
    crawled, site, other = await play(tmp_path, Clock(), status, {"Retry-After": "2592000"})
    assert len([request for request in site.requests if request.path in ONE]) == 3
    assert other.requests[-1].time - other.requests[0].time < 2.0
    assert [(row.state, row.reason) for row in crawled.report.completions] == [
        (CrawlState.COMPLETE, Reason.PARKED)
    ]
    assert (crawled.counters.pages, crawled.counters.waiting, crawled.counters.error) == (42, 3, 0)


@pytest.mark.parametrize("status", [429, 503])
async def test_c25_nonsense_counts_as_absent(tmp_path: Path, autojump_clock, status: int) -> None:
    crawled, site, other = await play(tmp_path, Clock(), status, {"Retry-After": "soon"})
    assert 7.5 - CLOSE <= gap_after_refusals(site, ONE) < 13.5  # ten seconds, give or take a quarter
    check_all_came(crawled, site, other)


async def test_c25_the_pause_doubles_and_the_pace_comes_back_step_by_step(
    tmp_path: Path, autojump_clock
) -> None:
    refusals = iter([(429, {}, b"")] * 3)
    pages = {f"/{n}": lambda request: next(refusals, request.path) for n in range(12)}
    async with serve(site_of({"/": page(*pages), **pages})) as site:
        config = configured(
            site.url("/"),
            crawl={"threads": 3},
            politeness={"delay": 1.0, "per_host": 1, "latency_factor": 0.0},
        )
        report = await crawl(config, tmp_path, clock=Clock())
        gaps = [b.time - a.time for a, b in pairwise(site.requests[2:])]
    assert report.last is not None
    assert (report.last.counters.pages, report.last.counters.error) == (13, 0)
    pauses, back = gaps[:3], gaps[3:]
    for pause, step in zip(pauses, (10.0, 20.0, 40.0), strict=True):
        assert 0.75 * step - CLOSE <= pause <= 1.25 * step + 0.5
    slow = [gap for gap in back if gap > 1.1]
    assert len(slow) >= 4
    assert all(0.45 <= b / a <= 0.55 for a, b in pairwise(slow))
    assert all(1.0 - CLOSE <= gap <= 1.2 for gap in back[len(slow) :])


@pytest.mark.parametrize(
    "value",
    [
        "-5",
        "0",
        "",
        "7, 8",
        "1.5",
        "1e3",
        "Mon, 01 Jan 1990 00:00:00 GMT",
        "99999999999999999999999x",
        "\t7\t",
    ],
)
async def test_c25_neighbours_odd_values_hold_the_host_for_a_while(
    tmp_path: Path, autojump_clock, value: str
) -> None:
    wait = 7.0 if value.strip() == "7" else 7.5
    crawled, site, other = await play(tmp_path, Clock(), 503, {"Retry-After": value})
    assert wait - CLOSE <= gap_after_refusals(site, ONE) < 13.5
    check_all_came(crawled, site, other)


@pytest.mark.parametrize("value", ["99999999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT", "4000"])
async def test_c25_neighbours_far_away_in_any_form_parks(tmp_path: Path, autojump_clock, value: str) -> None:
    crawled, site, _ = await play(tmp_path, Clock(), 429, {"Retry-After": value})
    assert [row.reason for row in crawled.report.completions] == [Reason.PARKED]
    assert crawled.counters.waiting == 3
    assert len([request for request in site.requests if request.path in ONE]) == 3


async def test_c25_a_parked_host_is_still_parked_after_a_restart_and_goes_on_when_its_time_has_come(
    tmp_path: Path, autojump_clock
) -> None:
    answers = iter([(503, {"Retry-After": "86400"}, b"")])
    clock = Clock()
    async with serve(site_of({"/": page("/a"), "/a": lambda _: next(answers, "well")})) as site:
        config = configured(site.url("/"))
        first = await crawl(config, tmp_path, clock=clock)
        again = await crawl(config, tmp_path, clock=clock)
        assert [row.reason for row in first.completions + again.completions] == [Reason.PARKED] * 2
        assert site.count("/a") == 1
        await trio.sleep(86400)
        last = await crawl(config, tmp_path, clock=clock)
        assert site.count("/a") == 2
        assert site.count("/") == 1
    assert last.last is not None
    assert (last.last.counters.pages, last.last.counters.waiting) == (2, 0)


async def test_c25_a_refused_robots_txt_holds_the_host_as_long_as_it_says(
    tmp_path: Path, autojump_clock
) -> None:
    answers = iter([(429, {"Retry-After": "300"}, b"")])
    routes = {"/robots.txt": lambda _: next(answers, (404, {}, b"")), "/": "home"}
    async with serve(routes) as site:
        report = await crawl(configured(site.url("/")), tmp_path, clock=Clock())
        assert site.targets == ["/robots.txt", "/robots.txt", "/"]
        assert site.requests[1].time - site.requests[0].time >= 300.0 - CLOSE
    assert report.last is not None
    assert report.last.counters.pages == 1


async def test_c25_what_a_503_says_of_one_host_is_not_held_against_its_neighbour_on_the_same_port(
    tmp_path: Path, autojump_clock
) -> None:
    """Two ports of one address are two hosts."""
    async with (
        serve(site_of({"/": busy(503, 1, {"Retry-After": "500"})})) as one,
        serve(site_of({"/": page("/1", "/2"), "/1": "1", "/2": "2"})) as other,
    ):
        await crawl(configured(one.url("/"), other.url("/")), tmp_path, clock=Clock())
        assert other.requests[-1].time - other.requests[0].time < 3.0
        assert one.requests[-1].time - one.requests[0].time >= 500.0


async def test_a_429_without_end_is_given_up_and_the_url_is_in_the_error_queue(
    tmp_path: Path, autojump_clock
) -> None:
    async with serve(site_of({"/": (429, {"Retry-After": "30"}, b"")})) as site:
        report = await crawl(configured(site.url("/")), tmp_path, clock=Clock())
        assert 5 <= site.count("/") <= 20
    record = Crawled(tmp_path, report).pages[site.url("/")]
    assert (record.kind, record.failure) == (OutcomeKind.FAILED, Failure.HOST_UNREACHABLE)
