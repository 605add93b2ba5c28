"""`spiderd search`, `reindex` and `rank`: with a daemon and without."""

from __future__ import annotations

import json

import pytest
from rich.text import Text

from spiderd.cli import indexing
from spiderd.protocol import Hit, SearchReply
from spiderd.search.places import Places
from spiderd.search.schema import VERSION
from tests.api.sample import SampleCrawl
from tests.cli.serving import daemon
from tests.search.crawled import Crawled, html, index


@pytest.fixture
def data_dir(tmp_path):
    path = tmp_path / "data"
    with Crawled(path) as crawled:
        for n in range(12):
            crawled.store(f"http://t.test/{n}", html(f"Page {n}", f"The zeppelin number{n} flies.", "en"))
        crawled.store("http://t.test/zh", html("软件包管理", "软件包管理系统的工具", "zh"))
    return path


def test_a_daemon_is_asked(spiderd, crawl):
    code, out, err = spiderd("search", "example")
    assert code == 0
    assert out.splitlines()[:3] == [
        "1. An example",
        "   http://example.test/a?b=\u00e9",
        "   example.test  2023-11-14  en",
    ]
    assert "1 to 1 of 1 result (0.014 s)" in err
    assert "indexed 28 of 33 pages so far" in err


def test_no_match_is_a_sentence_and_a_suggestion(spiderd, crawl):
    code, out, err = spiderd("search", "exemple", "and", "more")
    assert (code, out) == (0, "")
    assert "Nothing matches exemple and more." in err
    assert "this would match: spiderd search example" in err


def test_json_is_the_answer(spiderd, crawl):
    _, out, _ = spiderd("search", "example", "--json", "--page", "1")
    assert json.loads(out)["hits"][0]["marks"] == [[11, 18]]


def test_words_are_marked_on_a_terminal_and_links_can_be_followed(on_terminal, crawl):
    screen = on_terminal("search", "example")
    shown = Text.from_ansi(screen)
    assert shown.plain.startswith("1. An example\n   http:")
    assert "\x1b]8;" in screen  # a link
    marked = [shown.plain[span.start : span.end] for span in shown.spans if "color(3)" in str(span.style)]
    assert "example" in marked


def test_what_pages_say_cannot_steer_the_terminal(spiderd, path, on_terminal):
    class Nasty(SampleCrawl):
        async def search(self, query, page, limit, *, typing=False):
            hit = Hit(
                id=1,
                url="http://t.test/\x1b[2J",
                title="\x1b]0;owned\x07Title [bold]",
                site="t.test",
                fetched=0.0,
                snippet="\x1b[31mred word\u202e",
                marks=[(9, 13)],
            )
            return SearchReply(
                query=query, page=1, pages=1, limit=10, total=1, exact=True, elapsed=0.0, hits=[hit]
            )

    with daemon(path, Nasty()):
        _, out, _ = spiderd("search", "x")
        screen = on_terminal("search", "x")
    assert "\x1b" not in out
    assert "\u202e" not in out + screen
    assert "\x1b[2J" not in screen
    assert "\x1b]0;" not in screen
    assert "Title [bold]" in Text.from_ansi(screen).plain


def test_without_a_daemon_the_index_is_brought_up_to_date_and_read(spiderd, data_dir):
    code, out, err = spiderd("search", "--data-dir", str(data_dir), "number7", "zeppelin")
    assert code == 0
    assert out.startswith("1. Page 7\n   http://t.test/7\n")
    assert "indexing 13 pages first" in err
    _, out, err = spiderd("search", "--data-dir", str(data_dir), "软件包管理")
    assert "http://t.test/zh" in out
    assert "indexing" not in err


def test_pages_of_results(spiderd, data_dir):
    _, out, err = spiderd(
        "search", "--data-dir", str(data_dir), "zeppelin", "-number7", "--page", "2", "--limit", "5"
    )
    assert [line.split(".")[0] for line in out.splitlines() if line[:1].isdigit()] == [
        "6",
        "7",
        "8",
        "9",
        "10",
    ]
    assert "6 to 10 of 11 results" in err
    assert "more: spiderd search --page 3 zeppelin -number7" in err


def test_somebody_elses_index_is_read_as_it_is(spiderd, data_dir):
    index(data_dir)
    with Crawled(data_dir) as crawled:
        crawled.store("http://t.test/new", html("New", "The balloon."))
    with Places(data_dir).locked():
        code, out, err = spiderd("search", "--data-dir", str(data_dir), "zeppelin", "--limit", "1")
    assert code == 0
    assert out.startswith("1. Page")
    assert "indexed 13 of 14 pages so far" in err


def test_nobody_waits_for_very_many_pages(spiderd, data_dir, monkeypatch):
    index(data_dir)
    with Crawled(data_dir) as crawled:
        crawled.store("http://t.test/new", html("New", "The balloon."))
    monkeypatch.setattr(indexing, "MOST_BEHIND", 0)
    _, out, err = spiderd("search", "--data-dir", str(data_dir), "balloon")
    assert out == ""
    assert "1 page behind" in err


def test_the_index_is_built_anew_and_ranked(spiderd, data_dir):
    code, _, err = spiderd("reindex", "--data-dir", str(data_dir))
    assert (code, err) == (0, "spiderd: 13 pages can be found, of 13 that were asked for\n")
    code, _, err = spiderd("rank", "--data-dir", str(data_dir))
    assert (code, err) == (0, "spiderd: 13 pages ranked by 0 links\n")
    spiderd("reindex", "--data-dir", str(data_dir))
    assert Places(data_dir).current("words", VERSION).name == "words-2"


def test_what_cannot_be_searched_is_said(spiderd, tmp_path):
    code, _, err = spiderd("search", "--data-dir", str(tmp_path / "none"), "x")
    assert code == 74
    assert "no store" in err


@pytest.mark.parametrize(
    "arguments", [["search"], ["search", "--colour", "x"], ["search", "x", "--page", "0"]]
)
def test_wrong_options_are_refused(spiderd, arguments):
    assert spiderd(*arguments)[0] == 2
