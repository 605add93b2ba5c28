"""Shares, hosts and settlement of later visits, without a network."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.config.declaration import Config, Revisit
from spiderd.coordinator.desk import Desk
from spiderd.coordinator.hosts import Hosts
from spiderd.coordinator.revisiting import Revisiting
from spiderd.messages import Outcome
from spiderd.schedule.politeness import HostState
from spiderd.schedule.revisit import DAY, HOUR, PRIOR, credited
from spiderd.schedule.workbench import HostQueue
from spiderd.states import Failure, OutcomeKind
from spiderd.store.records import PageRecord, WaitingUrl
from spiderd.store.visits import Again, VisitRecord, again_key

NOW = 1e9
URL = "http://h.test/"


class Quiet:
    def add(self, *_: object, **__: object) -> None:
        """Events are nobody's business here."""


@pytest.fixture
def revisiting() -> Revisiting:
    desk = Desk(Config(revisit=Revisit(enabled=True)), Quiet(), lambda: NOW)
    return Revisiting(desk, Hosts(desk))


def again(kind: OutcomeKind = OutcomeKind.STORED, **page: object) -> Again:
    visit = VisitRecord(b"8 bytes!", 1, NOW, NOW - DAY, *PRIOR)
    record = PageRecord(URL, kind, 200, Failure.NONE, NOW - DAY, digest=b"old")
    for name, value in page.items():
        setattr(record, name, value)
    return Again(again_key(visit, bytes(8)), WaitingUrl(URL, b"8 bytes!"), visit, record)


def outcome(kind: OutcomeKind, status: int = 200, **more: object) -> Outcome:
    made = Outcome(1, 0, kind, status, digest=b"new", fetched_at=NOW)
    for name, value in more.items():
        setattr(made, name, value)
    return made


def test_news_make_the_next_visit_earlier_than_none(revisiting: Revisiting) -> None:
    news, none = again(), again()
    done = revisiting.settle(news, outcome(OutcomeKind.STORED), NOW)
    assert (done.replaces, done.changed, done.told) == (True, True, True)
    done = revisiting.settle(none, outcome(OutcomeKind.UNCHANGED, 304), NOW)
    assert (done.replaces, done.changed, done.told) == (False, False, True)
    assert NOW + HOUR <= news.visit.due < none.visit.due <= NOW + 30 * DAY
    assert (news.visit.changes, news.visit.visits, news.visit.changed) == (1, 1, NOW)


def test_an_edit_is_stored_and_does_not_count(revisiting: Revisiting) -> None:
    edited, none = again(), again()
    done = revisiting.settle(edited, outcome(OutcomeKind.STORED, minor=True), NOW)
    assert (done.replaces, done.changed) == (True, False)
    revisiting.settle(none, outcome(OutcomeKind.UNCHANGED), NOW)
    assert edited.visit.due == none.visit.due


@pytest.mark.parametrize("status", [404, 410])
def test_a_page_is_believed_to_be_gone_after_the_number_of_visits_that_is_set(
    revisiting: Revisiting, status: int
) -> None:
    page = again()
    gone = outcome(OutcomeKind.FAILED, status, failure=Failure.HTTP_ERROR)
    first = revisiting.settle(page, gone, NOW)
    assert (first.replaces, first.told) == (False, False)
    assert page.visit.due <= NOW + DAY
    second = revisiting.settle(page, gone, NOW)
    assert second.replaces
    assert page.visit.due == NOW + 30 * DAY


def test_failures_that_pass_are_tried_again_and_then_left(revisiting: Revisiting) -> None:
    page = again()
    failed = outcome(OutcomeKind.FAILED, 500, failure=Failure.SERVER_ERROR)
    waits = []
    for _ in range(4):
        done = revisiting.settle(page, failed, NOW)
        assert (done.replaces, done.told) == (False, False)
        waits.append(page.visit.due - NOW)
    assert waits[0] < waits[1] < waits[2] < HOUR <= waits[3]
    assert page.visit.visits == 0


def test_what_the_host_says_costs_the_page_nothing(revisiting: Revisiting) -> None:
    busy = outcome(OutcomeKind.FAILED, 503, failure=Failure.THROTTLED)
    assert revisiting.settle(again(), busy, NOW) is None


def test_a_redirect_and_a_sitemap_are_compared_by_what_they_say(revisiting: Revisiting) -> None:
    moved = again(OutcomeKind.REDIRECT, location="http://h.test/to", digest=b"")
    same = outcome(OutcomeKind.REDIRECT, 301, location="http://h.test/to", digest=b"")
    assert not revisiting.settle(moved, same, NOW).changed
    other = outcome(OutcomeKind.REDIRECT, 301, location="http://h.test/else", digest=b"")
    moved = again(OutcomeKind.REDIRECT, location="http://h.test/to", digest=b"")
    assert revisiting.settle(moved, other, NOW).changed
    listed = again(OutcomeKind.SITEMAP)
    assert not revisiting.settle(listed, outcome(OutcomeKind.SITEMAP, digest=b"old"), NOW).changed
    assert revisiting.settle(listed, outcome(OutcomeKind.SITEMAP), NOW).changed


def test_hints_that_come_true_count_for_a_sitemap_and_others_against_it(revisiting: Revisiting) -> None:
    page = again()
    page.visit.hinted = True
    revisiting.settle(page, outcome(OutcomeKind.UNCHANGED), NOW)
    assert (page.visit.hinted, page.visit.hints) == (False, -1)
    page.visit.hinted = True
    revisiting.settle(page, outcome(OutcomeKind.STORED), NOW + DAY)
    assert page.visit.hints == 0


def test_dates_of_the_server_and_of_sitemaps_are_hints(revisiting: Revisiting) -> None:
    def due(last_modified: str = "", lastmod: str = "", often: str = "") -> float:
        waiting = WaitingUrl(URL, b"8 bytes!", lastmod=lastmod, changefreq=often)
        stored = outcome(OutcomeKind.STORED, last_modified=last_modified)
        visit = revisiting.first(1, waiting, stored, NOW)
        return visit.due

    unknown = due()
    assert due(last_modified="Sat, 01 Jan 1994 00:00:00 GMT") > unknown
    assert due(lastmod="1994-01-01") > unknown
    assert due(often="hourly") < unknown < due(often="yearly")
    assert due(last_modified="no date", lastmod="neither", often="now and then") == unknown
    assert due(last_modified="Fri, 01 Jan 2100 00:00:00 GMT") >= NOW + HOUR  # a lie


def test_nothing_is_planned_where_visits_are_off() -> None:
    desk = Desk(Config(), Quiet(), lambda: NOW)
    off = Revisiting(desk, Hosts(desk))
    assert off.first(1, WaitingUrl(URL, b"8 bytes!"), outcome(OutcomeKind.STORED), NOW) is None
    assert off.until(NOW) is None
    off.ask(NOW)
    assert desk.step.again is None


@given(st.floats(0.01, 0.99), st.integers(200, 2000))
def test_later_visits_get_their_share(share: float, requests: int) -> None:
    credit, visits = 0.0, 0
    for _ in range(requests):
        again = credit >= 1
        visits += again
        credit = credited(credit, share, again=again)
    assert abs(visits - share * requests) <= 2


def test_with_no_share_they_wait_and_with_all_of_it_they_go_first() -> None:
    assert credited(0.0, 0.0, again=False) == 0.0
    assert credited(0.0, 1.0, again=False) == 1.0
    assert credited(1.0, 1.0, again=True) == 1.0


def test_hosts_with_new_urls_are_taken_before_those_with_later_visits(revisiting: Revisiting) -> None:
    bench = revisiting._desk.bench
    old = HostQueue(1, "old.test", HostState(host="old.test"), more=False)
    old.again.append(again())
    new = HostQueue(2, "new.test", HostState(host="new.test"), more=False)
    new.heads.append((bytes(12), WaitingUrl("http://new.test/", b"another!")))
    bench.hosts = {1: old, 2: new}
    for host in bench.hosts.values():
        bench.place(host, NOW)
    assert bench.take(NOW) is new
    assert bench.take(NOW) is None
    assert bench.take_again(NOW) is old
    assert not old.is_done
