"""One page in full."""

from __future__ import annotations

import pytest

from spiderd.errors import UsageError
from spiderd.search.exchange import PageAsk, SearchAsk
from spiderd.search.looking import Looking
from spiderd.search.searcher import Searcher
from tests.search.crawled import AT, Crawled, hash_of, html, index


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory):
    path = tmp_path_factory.mktemp("crawl")
    with Crawled(path) as crawled:
        crawled.store("http://t.test/", html("Start", "Go to <a href=/a>the page</a>.", "en"))
        crawled.store("http://t.test/a", html("A page", "Its text is not long, and it is in English.", "en"))
        crawled.fail("http://t.test/gone")
    index(path)
    return path


def test_a_page_is_told_by_number_or_by_url(data_dir):
    looking = Looking(data_dir)
    page = looking.page(2)
    assert looking.page(0, hash_of("http://t.test/a")) == page
    assert (page.url, page.title, page.status, page.kind) == ("http://t.test/a", "A page", 200, "stored")
    assert page.text == "A page\nIts text is not long, and it is in English."
    assert (page.language, page.cut, page.fetched) == ("en", False, AT)
    assert (page.links_in, page.links_out) == (1, 0)
    assert page.path == str(data_dir / "pages" / "00001" / "00002")
    assert looking.page(1).links_out == 1


def test_a_page_that_was_not_stored_is_told_without_text(data_dir):
    page = Looking(data_dir).page(3)
    assert (page.kind, page.failure, page.text, page.path) == ("failed", "http_error", "", "")


def test_a_page_is_told_without_an_index(tmp_path):
    with Crawled(tmp_path) as crawled:
        crawled.store("http://t.test/", html("Start", "text"))
    page = Looking(tmp_path).page(1)
    assert (page.title, page.text, page.links_in) == ("Start", "", -1)


def test_a_page_that_there_is_not_is_the_askers_mistake(data_dir):
    for asked in ((99, b""), (0, b"unknown!")):
        with pytest.raises(UsageError):
            Looking(data_dir).page(*asked)


def test_the_searcher_answers_whatever_is_asked(data_dir, tmp_path):
    searcher = Searcher(data_dir)
    assert searcher.answer(SearchAsk("english", 1, 10)).search.total == 1
    assert searcher.answer(PageAsk(2)).page.title == "A page"
    assert "no such page" in searcher.answer(PageAsk(99)).wrong
    assert "no search index" in Searcher(tmp_path).answer(SearchAsk("x", 1, 10)).unavailable
    assert Searcher(tmp_path).answer(PageAsk(1)).failed
