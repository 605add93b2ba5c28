"""What the pages show, from what a crawl says."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from spiderd.printable import printable
from spiderd.protocol import Rates, Revisits
from spiderd.states import CrawlState, Step
from spiderd.web.views import LANGUAGES, Asked, asked, curve, leads_to, segments, status_view, trouble
from tests.api.sample import SampleCrawl

TEXT = st.text(st.characters(codec="utf-8"), max_size=80)


def test_a_running_crawl() -> None:
    crawl = SampleCrawl()
    crawl.worker_rows[0].url, crawl.worker_rows[0].step = "http://a.test/\x1b[31m\u202e", Step.RECEIVING
    snapshot = crawl.snapshot()
    view = status_view(snapshot)
    assert (view.live, view.state) == (True, CrawlState.RUNNING)
    assert view.facts["in the index"] == "28 of 33"
    assert view.facts["pages a second"] == "1.5/s"
    assert view.workers[0].url == "http://a.test/[31m"
    assert "due" not in view.facts
    snapshot.revisits = Revisits(on=True, scheduled=1200, due=7)
    assert status_view(snapshot).facts["due"] == "7 of 1,200"


def test_what_was_left_and_what_cannot_be_asked() -> None:
    view = status_view(SampleCrawl().counters)
    assert (view.live, view.state, view.workers) == (False, "stopped", [])
    assert 0 < view.done <= 1
    assert trouble("the daemon\nhangs").message == "the daemon hangs"


@given(st.lists(st.floats(0, 1e9), max_size=100))
def test_the_curve_stays_in_its_frame(history: list[float]) -> None:
    points = [tuple(map(float, point.split(","))) for point in curve(Rates(history=history)).split()]
    assert len(points) == min(len(history), 60)
    assert all(0 <= x <= 300 and 0 <= y <= 40 for x, y in points)
    assert points == sorted(points, key=lambda point: point[0])


@given(TEXT, st.lists(st.integers(0, 80), max_size=8))
def test_marks_cut_a_text_and_lose_nothing(text: str, places: list[int]) -> None:
    edges = sorted({min(place, len(text)) for place in places})
    marks = list(zip(edges[::2], edges[1::2], strict=False))
    made = segments(text, marks)
    whole = "".join(printable(text[start:end]) for start, end in _pieces(marks, len(text)))
    assert "".join(segment.text for segment in made) == whole
    marked = [printable(text[start:end]) for start, end in marks]
    assert [segment.text for segment in made if segment.marked] == [text for text in marked if text]


def _pieces(marks: list[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    edges = [0, *[edge for mark in marks for edge in mark], length]
    return list(pairwise(edges))


@given(TEXT, TEXT, TEXT, TEXT)
def test_whatever_a_browser_sends_is_a_question(query: str, page: str, language: str, site: str) -> None:
    made = asked(query, page, language, site)
    assert 1 <= made.page <= 100
    assert made.language in LANGUAGES
    assert not set(made.site) & set(' "\n\t')
    href = made.href(page=made.page + 1)
    assert href.startswith("/search?q=")
    assert not set(href) & set("\"'<> \n")


def test_a_question_leads_to_others() -> None:
    one = Asked("two words", 3, "de", "a.test")
    assert one.href() == "/search?q=two+words&lang=de&site=a.test&page=3"
    assert one.href(page=1, site="") == "/search?q=two+words&lang=de"
    assert one.full == "lang:de site:a.test two words"
    assert Asked("OR  OR b", 1, "de").full == "lang:de  b"
    assert Asked("ORANGE", 1, "de").full == "lang:de ORANGE"


def test_only_the_web_is_led_to() -> None:
    assert leads_to("https://a.test/") == "https://a.test/"
    assert leads_to("javascript:alert(1)") == leads_to("data:text/html,x") == leads_to("//a.test") == ""
