"""What one outcome changes, in every table that it touches."""

from __future__ import annotations

from pathlib import Path

import pytest

from spiderd.messages import Links, Outcome
from spiderd.states import Failure, OutcomeKind
from spiderd.store import lists
from spiderd.store.frontier import Found
from spiderd.store.ledger import Ledger
from spiderd.store.opening import open_ledger
from spiderd.store.outcomes import Done, record
from spiderd.store.records import DirectoryRecord, PageRecord, WaitingUrl, number_key
from spiderd.urls import key_hash

ROOT = "http://h.test/"
DIGEST = bytes(16)


def found(*urls: str, depth: int = 1, **more: object) -> Found:
    return Found(b"".join(map(key_hash, urls)), list(urls), depth, **more)


@pytest.fixture
def ledger(tmp_path: Path):
    env, ledger = open_ledger(tmp_path, "breadth", sync=False)
    with env:
        ledger.directories.new(0)
        ledger.frontier.add(found(ROOT, depth=0))
        yield ledger
        ledger.abort()


def leased(ledger: Ledger, url: str) -> tuple[bytes, WaitingUrl]:
    frontier = ledger.frontier
    hosts = frontier.hosts_waiting(0, 100)
    (head,) = [head for host in hosts for head in frontier.heads(host, b"", 100) if head[1].url == url]
    frontier.mark_leased([head[0]], 1.0)
    return head


def stored(number: int, digest: bytes = DIGEST, **more: object) -> Outcome:
    outcome = Outcome(0, 0, OutcomeKind.STORED, 200, size=1000, wire_size=400, digest=digest, directory=1)
    outcome.number, outcome.index_bytes = number, 30 * number
    for name, value in more.items():
        setattr(outcome, name, value)
    return outcome


def settle(ledger: Ledger, url: str, outcome: Outcome, links: Found | None = None, **more: object) -> int:
    return record(ledger, Done(*leased(ledger, url), outcome, found=links, **more))


def test_a_stored_page(ledger: Ledger) -> None:
    links = Links(b"", [], b"as the fetcher wrote them", {"mailto": 2, "scope": 1})
    outcome = stored(1, title="Root", lang="en", links=links, fetched_at=9.0, charset="utf-8")
    number = settle(ledger, ROOT, outcome, found("http://h.test/a", "http://other.test/"), links_found=5)
    assert number == 1
    page = ledger.pages.of(key_hash(ROOT))
    assert page == ledger.pages.get(number_key(1))
    assert page is not None
    assert (page.url, page.kind, page.status, page.title, page.lang) == (ROOT, "stored", 200, "Root", "en")
    assert (page.directory, page.number, page.size, page.digest, page.change) == (1, 1, 1000, DIGEST, 1)
    assert ledger.get("links", number_key(1)) == b"as the fetcher wrote them"
    assert ledger.get("content", DIGEST) == number_key(1)
    assert ledger.get("changes", number_key(1)) == number_key(1)
    host = ledger.hosts.tallies(1)
    assert (host.key, host.waiting, host.complete, host.pages, host.bytes) == ("h.test", 1, 1, 1, 1000)
    assert ledger.hosts.tallies(2).waiting == 1
    counters = ledger.state.counters
    assert (counters.known, counters.waiting, counters.complete, counters.pages) == (3, 2, 1, 1)
    assert (counters.bytes, counters.bytes_received, counters.links, counters.hosts) == (1000, 400, 5, 2)
    assert (counters.statuses, counters.refused) == ({"200": 1}, {"mailto": 2, "scope": 1})
    assert ledger.frontier.forget_leases() == 0
    assert leased(ledger, "http://h.test/a")[1].referrer == 1


def test_directories_are_filled_and_what_is_not_committed_is_forgotten(ledger: Ledger) -> None:
    settle(ledger, ROOT, stored(1), found("http://h.test/a", "http://h.test/b"))
    assert ledger.directories.all() == [(1, DirectoryRecord(0, 1, 1000, 30))]
    ledger.commit()
    settle(ledger, "http://h.test/a", stored(2))
    assert ledger.directories.get(1) == DirectoryRecord(0, 2, 2000, 60)
    ledger.abort()
    assert ledger.directories.get(1) == DirectoryRecord(0, 1, 1000, 30)
    settle(ledger, "http://h.test/b", stored(2))
    ledger.commit()
    assert ledger.directories.get(1) == DirectoryRecord(0, 2, 2000, 60)
    assert ledger.directories.open() == [(1, DirectoryRecord(0, 2, 2000, 60))]
    with pytest.raises(KeyError):
        ledger.directories.get(2)


def test_the_first_page_with_a_content_keeps_it(ledger: Ledger) -> None:
    settle(ledger, ROOT, stored(1), found("http://h.test/a", "http://h.test/b"))
    assert ledger.pages.has_content(DIGEST)
    settle(ledger, "http://h.test/a", stored(2))
    assert ledger.get("content", DIGEST) == number_key(1)
    settle(ledger, "http://h.test/b", stored(3, digest=b"another content."))
    assert ledger.get("content", b"another content.") == number_key(3)


@pytest.mark.parametrize(
    ("kind", "failure", "counted"),
    [
        (OutcomeKind.DUPLICATE, Failure.NONE, {"duplicates": 1}),
        (OutcomeKind.REDIRECT, Failure.NONE, {"redirects": 1}),
        (OutcomeKind.SITEMAP, Failure.NONE, {}),
        (OutcomeKind.SKIPPED, Failure.ROBOTS_DENIED, {"skipped": 1, "failures": {"robots_denied": 1}}),
        (OutcomeKind.SKIPPED, Failure.NONE, {"skipped": 1, "failures": {"skipped": 1}}),
    ],
)
def test_what_is_complete_without_being_stored(ledger: Ledger, kind, failure, counted) -> None:
    settle(ledger, ROOT, Outcome(0, 0, kind, failure=failure))
    counters = ledger.state.counters
    names = ("pages", "duplicates", "redirects", "skipped", "failures", "error")
    told = {name: getattr(counters, name) for name in names if getattr(counters, name)}
    assert told == counted
    assert (counters.complete, ledger.hosts.tallies(1).complete) == (1, 1)
    assert counters.statuses == {}
    assert ledger.hosts.tallies(1).pages == 0


def test_a_failure_is_in_the_error_queue_until_it_is_put_back(ledger: Ledger) -> None:
    key, waiting = leased(ledger, ROOT)
    waiting.tries, waiting.hops = 3, 1
    gone = Outcome(0, 0, OutcomeKind.FAILED, 404, Failure.HTTP_ERROR, "HTTP status 404")
    assert record(ledger, Done(key, waiting, gone)) == 1
    total, (entry,) = lists.errors(ledger, contains="", offset=0, limit=10)
    assert (total, entry.page.url, entry.error.tries, entry.error.detail) == (1, ROOT, 3, "HTTP status 404")
    assert ledger.state.counters.failures == {"http_error": 1}
    assert ledger.hosts.tallies(1).error == 1
    assert ledger.errors.retry(lambda page: page.status == 500) == 0
    assert ledger.errors.retry(lambda page: page.status == 404) == 1
    counters = ledger.state.counters
    assert (counters.error, counters.waiting, counters.failures) == (0, 1, {})
    assert ledger.hosts.tallies(1).error == 0
    again = leased(ledger, ROOT)[1]
    assert (again.tries, again.hops, again.depth) == (0, 1, 0)


def test_a_url_keeps_its_number_and_its_versions_are_told_apart(ledger: Ledger) -> None:
    failed = Outcome(0, 0, OutcomeKind.FAILED, 404, Failure.HTTP_ERROR)
    assert settle(ledger, ROOT, failed, found("http://h.test/a")) == 1
    assert settle(ledger, "http://h.test/a", stored(1)) == 2
    ledger.errors.retry(lambda _: True)
    assert settle(ledger, ROOT, stored(2)) == 1
    page = ledger.pages.of(key_hash(ROOT))
    assert page is not None
    assert (page.kind, page.change) == ("stored", 3)
    assert [ledger.get("changes", number_key(n)) for n in (1, 2, 3)] == [number_key(n) for n in (1, 2, 1)]


def test_a_url_that_is_tried_again_still_waits(ledger: Ledger) -> None:
    failed = Outcome(0, 0, OutcomeKind.FAILED, 500, Failure.SERVER_ERROR, wire_size=70)
    key, waiting = leased(ledger, ROOT)
    for _ in range(2):
        assert record(ledger, Done(key, waiting, failed, 5.0)) == 0
    counters = ledger.state.counters
    assert (counters.retries, counters.waiting, counters.error, counters.bytes_received) == (1, 1, 0, 70)
    assert (counters.statuses, counters.failures) == ({"500": 1}, {})
    assert ledger.pages.of(key_hash(ROOT)) is None
    assert ledger.frontier.forget_leases() == 0


def test_a_redirect_that_sets_a_cookie_may_lead_to_where_it_came_from(ledger: Ledger) -> None:
    """Without the cookie the page redirects to /set, which sets it and redirects back."""
    redirect = Outcome(0, 0, OutcomeKind.REDIRECT, 302)
    settle(ledger, ROOT, redirect, found("http://h.test/set", depth=0, hops=1))
    settle(ledger, "http://h.test/set", redirect, found(ROOT, depth=0, hops=2, cookie=True))
    counters = ledger.state.counters
    assert (counters.redirects, counters.complete, counters.waiting) == (1, 1, 1)
    assert ledger.hosts.tallies(1).complete == 1
    assert leased(ledger, ROOT)[1].cookie
    assert settle(ledger, ROOT, stored(1)) == 1
    assert (counters.pages, counters.complete, counters.waiting) == (1, 2, 0)


@pytest.mark.parametrize("kind", [OutcomeKind.STORED, OutcomeKind.REDIRECT])
def test_without_a_cookie_or_where_it_led_to_a_page_a_redirect_back_ends(ledger: Ledger, kind) -> None:
    first = stored(1) if kind is OutcomeKind.STORED else Outcome(0, 0, kind, 302)
    settle(ledger, ROOT, first, found("http://h.test/set", depth=0))
    back = found(ROOT, depth=0, hops=2, cookie=kind is OutcomeKind.STORED)
    settle(ledger, "http://h.test/set", Outcome(0, 0, OutcomeKind.REDIRECT, 302), back)
    assert ledger.state.counters.waiting == 0


def test_sitemaps_and_their_dates_wait_as_such(ledger: Ledger) -> None:
    links = found(
        "http://h.test/s.xml", "http://h.test/a", "http://h.test/b", sitemaps=1, lastmods=["2026", ""]
    )
    settle(ledger, ROOT, Outcome(0, 0, OutcomeKind.SITEMAP, 200), links)
    assert leased(ledger, "http://h.test/s.xml")[1].kind == "sitemap"
    page = leased(ledger, "http://h.test/a")[1]
    assert (page.kind, page.lastmod) == ("page", "2026")
    settle(ledger, "http://h.test/a", stored(1))
    kept: PageRecord | None = ledger.pages.of(key_hash("http://h.test/a"))
    assert kept is not None
    assert kept.lastmod == "2026"
