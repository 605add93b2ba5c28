"""Searches over a small crawl: what is found, in which order, and what is said of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.errors import Unavailable
from spiderd.search.engine import Engine
from tests.search.crawled import AT, Crawled, html, index

LONG = "Birds of the northern shore. " + " ".join(f"Bird{n} flies." for n in range(900))
COMMA = "\uff0c"
PAGES = {
    "http://a.test/loop": html("The event loop", "Tasks run in the event loop of the kernel.", "en"),
    "http://a.test/events": html("Events", "A loop over each event. See the running engines.", "en"),
    "http://b.a.test/kernel": html("Kernel", "The kernel is compiled with gcc and modules.", "en"),
    "http://c.test:81/mod_rewrite.html": html("Rewriting", "mod_rewrite changes a URL, the kernel does not."),
    "http://c.test:81/de": html(
        "Häuser", "Die Häuser und die Straße sind nicht mit dem Kernel im Haus.", "de"
    ),
    "http://c.test:81/zh": html(
        "软件包管理", "Debian 软件包管理系统的工具和基本原则" + COMMA + "用于安装软件。", "zh"
    ),
    "http://c.test:81/ja": html("サーバの停止", "サーバの停止と再起動について。設定ファイルも。", "ja"),
    "http://c.test:81/nav": "<title>Menu</title><nav><a href=/x>penguins here</a></nav><p>Nothing but text.",
    "http://c.test:81/birds": html("Birds", LONG, "en"),
    "http://mirror.test/birds": html("Birds", LONG + " Mirrored.", "en"),
    "http://c.test:81/secret": "<meta name=robots content=noindex><title>Secret</title>penguins, kernel",
    "http://a.test/hub": "<title>Hub</title><p>See <a href='/loop'>the carousel</a>, it is very good.",
}


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory):
    path = tmp_path_factory.mktemp("crawl")
    with Crawled(path) as crawled:
        for number, (url, body) in enumerate(PAGES.items()):
            crawled.store(url, body, at=AT + 86_400 * number)
        crawled.store("http://e.test/notes.txt", "Plain notes\nabout the zeppelin", "text/plain")
        crawled.store("http://e.test/x.bin", b"\x00\x01zeppelin", "application/octet-stream")
        crawled.fail("http://e.test/gone")
        crawled.redirect("http://e.test/old", "http://a.test/loop")
    index(path)
    return path


@pytest.fixture(scope="module")
def engine(data_dir):
    return Engine(data_dir)


def paths(engine: Engine, query: str, **more) -> list[str]:
    return [hit.url.split("/", 3)[3] for hit in engine.search(query, **more).hits]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("event loop", {"loop", "events"}),
        ('"event loop"', {"loop"}),
        ("kernel -event", {"kernel", "mod_rewrite.html", "de"}),
        ("engine OR gcc", {"events", "kernel"}),
        ("ENGINES run", {"events"}),
        ("kernel site:a.test", {"loop", "kernel"}),
        ("kernel site:b.a.test", {"kernel"}),
        ("site:c.test:81 -kernel", {"zh", "ja", "nav", "birds"}),
        ("title:kernel", {"kernel"}),
        ("url:mod_rewrite", {"mod_rewrite.html"}),
        ("rewrite", {"mod_rewrite.html"}),
        ("kernel lang:de", {"de"}),
        ("haus", {"de"}),
        ("strasse", {"de"}),
        ("软件包管理", {"zh"}),
        ("管理系统 debian", {"zh"}),
        ('"包管理系"', {"zh"}),
        ("停止", {"ja"}),
        ("設定", {"ja"}),
        ('"停止と再起動"', {"ja"}),
        ("penguins", {"nav"}),
        ("zeppelin", {"notes.txt"}),
        ("kernel date:2026-01-01", {"loop"}),
        ("kernel after:2026-01-03", {"kernel", "mod_rewrite.html", "de"}),
        ("how to event the loop", {"loop", "events"}),
        ("carousel", {"loop", "hub"}),
        ("secret", set()),
        ("of the", {"loop", "birds"}),
    ],
)
def test_queries_find_what_they_say(engine, query, expected):
    assert set(paths(engine, query)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ker", {"loop", "kernel", "mod_rewrite.html", "de"}),
        ("event lo", {"loop", "events"}),
        ("ker ", set()),
        ("k", set()),
    ],
)
def test_a_word_that_is_being_typed_may_be_the_beginning_of_others(engine, text, expected):
    reply = engine.search(text, typing=True)
    assert {hit.url.split("/", 3)[3] for hit in reply.hits} == expected
    assert engine.search("ker").total == 0
    assert all(hit.marks for hit in reply.hits)


def test_the_title_counts_most(engine):
    assert paths(engine, "kernel")[0] == "kernel"
    assert paths(engine, "event loop")[0] == "loop"


def test_what_a_hit_says(engine):
    hit = engine.search("engines").hits[0]
    assert (hit.title, hit.site, hit.language) == ("Events", "a.test", "en")
    assert hit.fetched == AT + 86_400
    assert [hit.snippet[start:end] for start, end in hit.marks] == ["engines"]
    title = engine.search("kernel").hits[0]
    assert [title.title[start:end] for start, end in title.title_marks] == ["Kernel"]


def test_copies_are_shown_once(engine):
    reply = engine.search("northern shore")
    assert [hit.duplicates for hit in reply.hits] == [1]
    assert reply.total == 1


def test_pages_of_results(engine):
    first, second = (engine.search("kernel", page, limit=2) for page in (1, 2))
    assert first.total == second.total == 4
    assert first.exact
    assert first.pages == 2
    assert len({hit.url for hit in first.hits + second.hits}) == 4
    beyond = engine.search("kernel", 3, limit=2)
    assert beyond.hits == []
    assert beyond.message == "There are no more results."


def test_no_match_is_said_with_what_would_match(engine):
    reply = engine.search("kernle compiled")
    assert reply.hits == []
    assert reply.total == 0
    assert "kernle compiled" in reply.message
    assert reply.suggestions[0] == "kernel compiled"
    for suggestion in reply.suggestions:
        assert engine.search(suggestion).total


@pytest.mark.parametrize(
    ("query", "suggestion"),
    [
        ("kernel zzzqqq", "kernel"),
        ('"loop kernel event"', "loop kernel event"),
        ("kernel engines gcc", "kernel gcc"),
    ],
)
def test_fewer_words_are_suggested(engine, query, suggestion):
    assert suggestion in engine.search(query).suggestions


@pytest.mark.parametrize("query", ["", "   ", '"', "-", "...", "OR", "()"])
def test_a_query_without_words_gets_a_sentence(engine, query):
    reply = engine.search(query)
    assert reply.total == 0
    assert reply.message


def test_long_queries_get_an_answer(engine):
    assert engine.search("kernel " * 1_500).message
    assert engine.search("软件" * 5_000).message
    assert engine.search('"' + "a" * 10_000).message


@given(st.text(st.one_of(st.characters(), st.sampled_from('"-+:|() OReventloopkernel软件包')), max_size=80))
def test_every_text_gets_an_answer(engine, query):
    reply = engine.search(query)
    assert reply.total >= len(reply.hits)
    assert reply.hits or reply.message


def test_a_page_that_is_fetched_again_replaces_itself(tmp_path):
    with Crawled(tmp_path) as crawled:
        crawled.store("http://a.test/", html("Old", "It was about zeppelins once."))
    index(tmp_path)
    engine = Engine(tmp_path)
    assert engine.search("zeppelins").total == 1
    with Crawled(tmp_path) as crawled:
        crawled.store("http://a.test/", html("New", "It is about balloons now."))
    index(tmp_path)
    assert engine.search("zeppelins").total == 0
    assert [hit.title for hit in engine.search("balloons").hits] == ["New"]
    with Crawled(tmp_path) as crawled:
        crawled.fail("http://a.test/")
    index(tmp_path)
    assert engine.search("balloons").total == 0


def test_without_an_index_it_is_said(tmp_path):
    with pytest.raises(Unavailable):
        Engine(tmp_path).search("x")


def test_a_search_sees_an_index_that_takes_the_place_of_another(tmp_path):
    with Crawled(tmp_path) as crawled:
        crawled.store("http://a.test/", html("One", "Some zeppelins of old."))
    index(tmp_path)
    engine = Engine(tmp_path)
    assert engine.search("zeppelins").total == 1
    index(tmp_path, rebuild=True)
    assert engine.search("zeppelins").total == 1
    assert sorted(path.name for path in (tmp_path / "index").glob("words-*")) == ["words-2"]


def test_a_far_more_common_spelling_is_suggested_for_one_that_there_is(tmp_path):
    with Crawled(tmp_path) as crawled:
        for n in range(25):
            crawled.store(f"http://a.test/{n}", html(f"Page {n}", f"A table of vacuum {n} pumps."))
        crawled.store("http://a.test/tabel", html("Typing", "A tabel of something."))
        crawled.store("http://a.test/vaccum", html("Writing", "A vaccum of ideas."))
    index(tmp_path)
    assert Engine(tmp_path).search("vaccum tabel").suggestions[0] == "vacuum table"
