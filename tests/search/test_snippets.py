"""Snippets: the right part of the text, the right words marked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from spiderd.search.matching import Matcher
from spiderd.search.query import parse
from spiderd.search.schema import make_schema
from spiderd.search.snippets import WIDTH, Marker, snippet

LANGUAGES = ("en", "de", "fr", "zh", "ja", "ko")
FILLER = "Something else is said here at some length, which nobody has asked for. " * 20


def marker(query: str) -> Marker:
    return Marker(Matcher(make_schema(), LANGUAGES, lambda *_: 1).wanted(parse(query).clauses))


def marked(query: str, text: str, language: str = "en") -> list[str]:
    line, marks = snippet(marker(query), text, language)
    return [line[start:end] for start, end in marks]


def test_words_are_marked_in_every_form():
    assert marked("engines run", "The Engine was running. It ran.") == ["Engine", "running"]


def test_accents_and_capitals_do_not_matter():
    assert marked("configuracion", "La Configuración", "es") == []
    assert marked("hauser", "Viele HÄUSER und ein Haus", "de") == ["HÄUSER", "Haus"]


def test_ideographs_are_marked_by_word():
    assert marked("软件包管理", "Debian 的软件包和管理工具", "zh") == ["软件包", "管理"]
    assert marked("停止と再起動", "サーバの停止、そして再起動", "ja") == ["停止", "再起動"]


def test_words_that_say_nothing_are_not_marked():
    assert marked("how to install the kernel", "How to install the kernel") == ["install", "kernel"]


def test_excluded_words_are_not_marked():
    assert marked("kernel -linux", "The Linux kernel") == ["kernel"]


def test_the_window_is_where_the_words_are():
    line, _ = snippet(marker("needle haystack"), f"{FILLER}The needle in the haystack. {FILLER}", "en")
    assert "needle in the haystack" in line
    assert line.startswith("… ")
    assert line.endswith(" …")
    assert len(line) < WIDTH + 10


def test_words_far_apart_get_a_window_each():
    line, marks = snippet(marker("needle haystack"), f"A needle. {FILLER} A haystack. {FILLER}", "en")
    assert [line[start:end] for start, end in marks] == ["needle", "haystack"]
    assert " … " in line


def test_a_page_without_the_words_shows_its_beginning():
    assert snippet(marker("needle"), "A short text.\nOf two lines.", "en") == (
        "A short text. Of two lines.",
        [],
    )
    assert snippet(marker("needle"), "", "en") == ("", [])


texts = st.text(
    st.one_of(st.sampled_from("needle haystack 软件包管理系统 Häuser.\n"), st.characters()), max_size=600
)


@given(
    texts, st.sampled_from(["needle", "haystack needle", "软件包管理", "häuser", '"needle haystack"', "a"])
)
def test_marks_are_ranges_in_order(text, query):
    for language in ("en", "zh"):
        line, marks = snippet(marker(query), text, language)
        places = [place for mark in marks for place in mark]
        assert places == sorted(set(places))
        assert all(0 <= place <= len(line) for place in places)
        assert "\n" not in line
