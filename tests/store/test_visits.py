"""Visits in the store: a page is in one place, under the time of its row, whatever happens to it."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from spiderd.messages import Links, Outcome
from spiderd.states import Failure, OutcomeKind
from spiderd.store import environment
from spiderd.store.commands import retry_errors, switch_visits, visit_matching, visit_url
from spiderd.store.frontier import Found
from spiderd.store.opening import open_ledger
from spiderd.store.outcomes import Done, record
from spiderd.store.records import number_key
from spiderd.store.revisited import Revisited, record_again
from spiderd.store.snapshot import Snapshot
from spiderd.store.step import Step, VisitStep, perform
from spiderd.store.visits import AgainRead, VisitRecord
from spiderd.urls import key_hash
from spiderd.verify.checking import check
from spiderd.verify.report import Report

NOW = 1_000_000.0
HOSTS = ("a.test", "b.test")


def key_of(url: str) -> bytes:
    return key_hash(url)


class Crawl:
    """A store with pages that were fetched, and what is asked of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.env, self.ledger = open_ledger(path / "store", "breadth", sync=False)
        self.resource = 0
        self.ledger.directories.new(0)

    def close(self) -> None:
        self.ledger.commit()
        self.env.close()

    def outcome(self, body: str, kind: OutcomeKind = OutcomeKind.STORED, **more: object) -> Outcome:
        outcome = Outcome(0, 0, kind, 200, digest=key_hash(body) * 2, size=len(body), fetched_at=NOW)
        if kind is OutcomeKind.STORED:
            self.resource += 1
            outcome.directory, outcome.number, outcome.index_bytes = 1, self.resource, 10 * self.resource
        for name, value in more.items():
            setattr(outcome, name, value)
        return outcome

    def fetch(self, url: str, outcome: Outcome, due: float | None = None) -> int:
        ledger = self.ledger
        ledger.frontier.add(Found(key_of(url), [url], 1))
        host = ledger.hosts.id_of(url.split("/")[2])
        (key, waiting), *_ = [head for head in ledger.frontier.heads(host, b"", 100) if head[1].url == url]
        done = Done(key, waiting, outcome)
        if due is not None:
            done.visit = VisitRecord(waiting.hash, host, due, NOW, level=int(due) % 5)
        return record(ledger, done)

    def due_pages(self, host: str, *, asked_only: bool = False) -> list:
        number = self.ledger.hosts.id_of(host)
        return self.ledger.visits.read(AgainRead(number, b"", 100, asked_only))

    def visit(self, again, outcome: Outcome, due: float, *, replaces: bool = True, **more: object) -> int:
        again.visit.due = due
        again.visit.level = int(due) % 5
        return record_again(
            self.ledger, Revisited(again.key, again.waiting, again.visit, outcome, replaces, **more)
        )

    def problems(self) -> dict[str, int]:
        """What verify finds in the tables, bodies apart."""
        self.ledger.commit()
        report = Report()
        check(self.env, self.path / "pages", report, lambda *_: None, read=False)
        return {name: count for name, count in report.found.items() if name not in ("index", "files")}


@pytest.fixture
def crawl(tmp_path):
    crawl = Crawl(tmp_path)
    yield crawl
    crawl.close()


def test_a_page_waits_for_its_time_then_for_its_host(crawl):
    crawl.fetch("http://a.test/1", crawl.outcome("one"), NOW + 100)
    crawl.fetch("http://b.test/2", crawl.outcome("two"), NOW + 50)
    visits = crawl.ledger.visits
    assert visits.wake(NOW, 10) == NOW + 50
    assert crawl.due_pages("b.test") == []
    assert visits.wake(NOW + 60, 10) == NOW + 100
    (again,) = crawl.due_pages("b.test")
    assert (again.waiting.url, again.number, again.place) == ("http://b.test/2", 2, (1, 2))
    assert visits.hosts(0, 10, asked_only=False) == [crawl.ledger.hosts.id_of("b.test")]
    assert visits.hosts(0, 10, asked_only=True) == []
    assert visits.due == 1


def test_no_more_are_woken_at_a_time_than_is_said(crawl):
    for number in range(20):
        crawl.fetch(f"http://a.test/{number}", crawl.outcome(str(number)), NOW + number)
    assert crawl.ledger.visits.wake(NOW + 100, 7) == NOW + 7
    assert [again.number for again in crawl.due_pages("a.test")] == list(range(1, 8))
    assert crawl.ledger.visits.wake(NOW + 100, 100) is None
    read = AgainRead(1, crawl.due_pages("a.test")[4].key, 3, asked_only=False)
    assert [again.number for again in crawl.ledger.visits.read(read)] == [6, 7, 8]


def test_a_visit_has_one_end(crawl):
    crawl.fetch("http://a.test/1", crawl.outcome("one"), NOW)
    crawl.ledger.visits.wake(NOW, 10)
    (again,) = crawl.due_pages("a.test")
    assert crawl.visit(again, crawl.outcome("other"), NOW + 500) == 1
    assert crawl.visit(again, crawl.outcome("third"), NOW + 900) == 0
    assert crawl.ledger.visits.get(number_key(1)).due == NOW + 500


def test_a_body_that_comes_too_late_is_kept_as_a_version(crawl):
    crawl.fetch("http://a.test/1", crawl.outcome("one"), NOW)
    crawl.ledger.visits.wake(NOW, 10)
    (again,) = crawl.due_pages("a.test")
    crawl.ledger.visits.drop(number_key(1))
    assert crawl.visit(again, crawl.outcome("other"), NOW + 500) == 0
    assert crawl.ledger.pages.get(number_key(1)).number == 1
    assert crawl.ledger.directories.get(1).count == 2
    assert crawl.problems() == {}


def test_asking_for_what_is_due_already_takes_nothing_from_a_visit_in_flight(crawl):
    switch_visits(crawl.ledger, on=True)
    crawl.fetch("http://a.test/1", crawl.outcome("one"), NOW)
    crawl.ledger.visits.wake(NOW, 10)
    (again,) = crawl.due_pages("a.test")
    assert visit_url(crawl.ledger, key_of("http://a.test/1")) == (1, 1)
    assert crawl.visit(again, crawl.outcome("other"), NOW + 500) == 1


def test_a_page_that_was_not_wanted_at_one_visit_is_visited_all_the_same(crawl):
    crawl.fetch("http://a.test/1", crawl.outcome("one"), NOW)
    crawl.ledger.visits.wake(NOW, 10)
    (again,) = crawl.due_pages("a.test")
    unwanted = crawl.outcome("", OutcomeKind.SKIPPED, failure=Failure.TYPE_NOT_WANTED, digest=b"")
    crawl.visit(again, unwanted, NOW + 1, changed=True)
    assert crawl.problems() == {}
    crawl.ledger.visits.wake(NOW + 1, 10)
    (again,) = crawl.due_pages("a.test")
    crawl.visit(again, crawl.outcome("two"), NOW + 9, changed=True)
    counters = crawl.ledger.state.counters
    assert (counters.pages, counters.skipped, counters.failures) == (1, 0, {})
    assert crawl.problems() == {}


def test_what_was_replaced_is_kept_and_its_content_is_known_no_longer(crawl):
    crawl.fetch("http://a.test/1", crawl.outcome("one"), NOW)
    crawl.fetch("http://a.test/2", crawl.outcome("one", OutcomeKind.DUPLICATE), NOW)
    crawl.ledger.visits.wake(NOW, 10)
    first, twin = crawl.due_pages("a.test")
    assert twin.place == first.place == (1, 1)
    digest = first.page.digest
    crawl.visit(first, crawl.outcome("other"), NOW + 500, changed=True)
    assert not crawl.ledger.pages.has_content(digest)
    assert crawl.due_pages("a.test")[0].place is None  # the twin's body is nobody's now: it is fetched whole
    crawl.visit(crawl.due_pages("a.test")[0], crawl.outcome("one"), NOW + 500)
    assert crawl.ledger.pages.first_with(digest).number == 3
    counters = crawl.ledger.state.counters
    assert (counters.pages, counters.duplicates, counters.complete, counters.changes) == (2, 0, 2, 1)
    assert crawl.problems() == {}


def test_a_page_that_is_gone_is_among_the_errors_and_may_be_put_back(crawl):
    crawl.fetch("http://a.test/1", crawl.outcome("one"), NOW)
    crawl.ledger.visits.wake(NOW, 10)
    (again,) = crawl.due_pages("a.test")
    again.visit.gone = 2
    gone = crawl.outcome("", OutcomeKind.FAILED, status=404, failure=Failure.HTTP_ERROR, digest=b"")
    crawl.visit(again, gone, NOW + 10, told=False)
    counters = crawl.ledger.state.counters
    assert (counters.gone, counters.error, counters.complete, counters.pages) == (1, 1, 0, 0)
    assert counters.failures == {"http_error": 1}
    assert crawl.problems() == {}
    assert retry_errors(crawl.ledger, lambda _: True) == 1
    assert crawl.ledger.visits.get(number_key(1)) is None  # it waits as if for the first time
    assert crawl.problems() == {}


def test_asking_comes_before_what_is_due_and_works_without_a_row(crawl):
    crawl.fetch("http://a.test/1", crawl.outcome("one"), NOW)
    crawl.fetch("http://a.test/2", crawl.outcome("two"))
    crawl.fetch("http://a.test/3", crawl.outcome("", OutcomeKind.SKIPPED))
    crawl.ledger.visits.wake(NOW, 10)
    assert visit_url(crawl.ledger, key_of("http://a.test/2")) == (1, 2)
    assert visit_url(crawl.ledger, key_of("http://a.test/3")) == (0, 2)
    assert visit_url(crawl.ledger, key_of("http://a.test/never")) == (0, 2)
    assert [again.number for again in crawl.due_pages("a.test")] == [2, 1]
    assert [again.number for again in crawl.due_pages("a.test", asked_only=True)] == [2]
    assert crawl.problems() == {}


def test_a_pattern_asks_for_pages_piece_by_piece(crawl):
    for number in range(30):
        crawl.fetch(f"http://a.test/{number}", crawl.outcome(str(number)))
    after, total, pieces = b"", 0, 0
    while after is not None:
        count, after, due = visit_matching(crawl.ledger, after, 7, lambda url: url.endswith("3"))
        total, pieces = total + count, pieces + 1
    assert (total, due) == (3, 3)
    assert pieces == 5


def test_older_pages_get_rows_when_visits_are_switched_on(crawl):
    for number in range(10):
        crawl.fetch(f"http://a.test/{number}", crawl.outcome(str(number)))
    assert switch_visits(crawl.ledger, on=True).unvisited == b""
    after: bytes | None = b""
    seen = []
    while after is not None:
        step = Step(now=NOW, again=VisitStep(unvisited=(after, 4)))
        found, after = perform(crawl.ledger, step).again.unvisited
        seen += [each.number for each in found]
        rows = [(each.number, VisitRecord(each.hash, each.host, NOW + 5, NOW)) for each in found]
        perform(crawl.ledger, Step(now=NOW, again=VisitStep(visits=rows, scheduled=True, visited_to=after)))
    assert sorted(seen) == list(range(1, 11))
    assert switch_visits(crawl.ledger, on=True).unvisited is None
    assert switch_visits(crawl.ledger, on=True).levels == {0: 10}
    switch_visits(crawl.ledger, on=False)
    assert switch_visits(crawl.ledger, on=True).unvisited == b""
    assert crawl.problems() == {}


def test_a_sitemap_brings_pages_forward_as_long_as_it_is_right(crawl):
    crawl.fetch("http://a.test/page", crawl.outcome("one"), NOW + 9000)
    crawl.fetch("http://a.test/map", crawl.outcome("map", OutcomeKind.SITEMAP), NOW)

    def read_map(lastmod: str) -> None:
        crawl.ledger.visits.wake(NOW + 1, 10)
        again = next(each for each in crawl.due_pages("a.test") if each.number == 2)
        urls = ["http://a.test/page"]
        links = Links(key_of(urls[0]), urls, b"", {}, 0, [lastmod])
        outcome = crawl.outcome("map", OutcomeKind.SITEMAP, links=links)
        found = Found(links.keys, urls, 1, lastmods=[lastmod])
        crawl.visit(again, outcome, NOW, found=found, least=100.0)

    visit = crawl.ledger.visits.get
    read_map("1970-01-02")
    assert visit(number_key(1)).due == NOW + 9000  # older than the last visit
    read_map("1970-01-12T13:46:50Z")  # ten seconds after it
    assert (visit(number_key(1)).due, visit(number_key(1)).hinted) == (NOW + 100, True)
    row = visit(number_key(1))
    row.hinted, row.hints = False, -1  # it was not so
    crawl.ledger.visits.begin(1, row)
    crawl.ledger.visits.bring_forward(number_key(1), row, NOW + 50)
    read_map("1970-01-12T14:46:50Z")
    assert visit(number_key(1)).due == NOW + 50
    assert crawl.problems() == {}


def test_steps_give_the_same_when_they_are_performed_again(crawl):
    """As after a kill: the journal performs on the committed state what had been performed."""
    for number in range(5):
        crawl.fetch(f"http://a.test/{number}", crawl.outcome(str(number)), NOW + number)
    crawl.ledger.commit()
    steps = [
        Step(now=NOW + 2, again=VisitStep(wake=10, levels=True)),
        Step(now=NOW + 3, again=VisitStep(wake=1, reads=[AgainRead(1, b"", 10, False)])),
    ]

    def performed() -> list:
        return [perform(crawl.ledger, step).again for step in steps]

    before = performed()
    crawl.ledger.abort()
    assert performed() == before


def test_a_store_of_a_time_without_visits_is_read_and_taken_up(tmp_path, monkeypatch):
    later = {"versions", "visits", "due", "again"}
    monkeypatch.setattr(
        environment, "TABLES", tuple(each for each in environment.TABLES if each not in later)
    )
    with environment.Environment(tmp_path / "store"):
        pass
    monkeypatch.undo()
    with Snapshot(tmp_path / "store") as snapshot:
        assert list(snapshot.versions()) == []
        assert snapshot.original(b"no digest") is None
    crawl = Crawl(tmp_path)
    assert switch_visits(crawl.ledger, on=True).levels == {}
    crawl.fetch("http://a.test/1", crawl.outcome("one"), NOW)
    assert crawl.problems() == {}
    crawl.close()


class Life(RuleBasedStateMachine):
    """Pages come, change, stay as they were, go, are asked for, and put back; it all adds up all the time."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.crawl = Crawl(Path(self.folder.name))
        self.crawl.ledger.commit()
        self.now = NOW
        self.made = 0

    def teardown(self) -> None:
        self.crawl.close()
        self.folder.cleanup()

    @rule(host=st.sampled_from(HOSTS), body=st.sampled_from("abc"), wait=st.integers(0, 50))
    def fetch(self, host, body, wait):
        known = self.crawl.ledger.pages.has_content(self.crawl.outcome(body, OutcomeKind.SKIPPED).digest)
        kind = OutcomeKind.DUPLICATE if known else OutcomeKind.STORED
        self.made += 1
        self.crawl.fetch(f"http://{host}/{self.made}", self.crawl.outcome(body, kind), self.now + wait)

    @rule(seconds=st.integers(1, 40), most=st.integers(1, 5))
    def wake(self, seconds, most):
        self.now += seconds
        self.crawl.ledger.visits.wake(self.now, most)

    @precondition(lambda self: self.made)
    @rule(
        host=st.sampled_from(HOSTS),
        body=st.sampled_from("abcd"),
        end=st.sampled_from(["page", "same", "gone"]),
    )
    def visit(self, host, body, end):
        for again in self.crawl.due_pages(host)[:1]:
            due = self.now + 20
            if end == "same":
                outcome = self.crawl.outcome("", OutcomeKind.UNCHANGED, status=304)
                self.crawl.visit(again, outcome, due, replaces=False)
            elif end == "gone" and again.page.kind is not OutcomeKind.FAILED:
                again.visit.gone = 1
                failed = self.crawl.outcome("", OutcomeKind.FAILED, failure=Failure.HTTP_ERROR, digest=b"")
                self.crawl.visit(again, failed, due, told=False)
            elif end == "page":
                again.visit.gone = 0
                digest = self.crawl.outcome(body, OutcomeKind.SKIPPED).digest
                first = self.crawl.ledger.pages.first_with(digest)
                if first is not None and first.url == again.page.url:
                    continue  # the fetcher tells that it is the same
                kind = OutcomeKind.DUPLICATE if first else OutcomeKind.STORED
                self.crawl.visit(again, self.crawl.outcome(body, kind), due, changed=True)

    @precondition(lambda self: self.made)
    @rule(data=st.data())
    def ask(self, data):
        number = data.draw(st.integers(1, self.made))
        for host in HOSTS:
            visit_url(self.crawl.ledger, key_of(f"http://{host}/{number}"))

    @rule()
    def put_back(self):
        retry_errors(self.crawl.ledger, lambda _: True)

    @rule()
    def commit(self):
        self.crawl.ledger.commit()

    @invariant()
    def everything_adds_up(self):
        assert self.crawl.problems() == {}
        levels = Counter(
            self.crawl.ledger.visits.get(number_key(number)).level
            for number in range(1, self.crawl.ledger.state.next_page)
            if self.crawl.ledger.visits.get(number_key(number)) is not None
        )
        assert self.crawl.ledger.visits.state.levels == dict(levels)


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
