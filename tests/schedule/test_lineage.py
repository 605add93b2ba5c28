"""Who answers for what a barren page has named."""

from __future__ import annotations

from spiderd.schedule.lineage import PROBES, Lineage, content_name
from spiderd.schedule.traps import Shapes


def test_a_page_answers_by_what_it_was_counted_against():
    lineage = Lineage()
    content = content_name("a.test", b"x" * 16)
    lineage.note(7, ("a.test/#", content))
    assert lineage.of(7) == ("a.test/#", content)
    assert lineage.contents_of(7) == [content]
    assert lineage.of(8) == ()
    assert lineage.contents_of(0) == []


def test_contents_of_two_hosts_are_two():
    assert content_name("a.test", b"x" * 8) != content_name("b.test", b"x" * 8)
    assert content_name("a.test", b"x" * 8).partition("/")[0] == "a.test"


def test_a_content_is_known_from_the_second_time_on():
    lineage = Lineage()
    assert [lineage.is_known("c"), lineage.is_known("c"), lineage.is_known("d")] == [False, True, False]


def test_a_few_are_fetched_to_see_and_again_after_credit():
    lineage = Lineage()
    assert [lineage.probes("c") for _ in range(PROBES + 2)] == [True] * PROBES + [False] * 2
    assert lineage.probes("d")
    lineage.credit("c")
    assert lineage.probes("c")


def test_the_oldest_is_forgotten():
    lineage = Lineage(capacity=3)
    for page in range(5):
        lineage.note(page, ("s",))
        lineage.is_known(str(page))
    assert [bool(lineage.of(page)) for page in range(5)] == [False, False, True, True, True]
    assert [lineage.is_known(str(page)) for page in (4, 0)] == [True, False]


def test_credit_begins_the_window_anew_and_tells_of_what_is_parked():
    shapes = Shapes(window=3)
    shapes.record("s", "u", new_content=False)
    shapes.record("s", "u", new_content=False)
    assert not shapes.credit("s")
    assert [shapes.record("s", "u", new_content=False) for _ in range(3)] == [False, False, True]
    assert shapes.credit("s")
    assert not shapes.credit("never seen")
