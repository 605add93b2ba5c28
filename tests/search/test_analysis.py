"""Words of pages, and what they are looked for as: what is on a page must be found by it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.search.analysis import STEMMERS, forms, is_idle, pairs, rows, segments, split, words

LANGUAGES = ["", "en", "de", "fr", "es", "zh", "ja", "ko", "ru", "pl"]


def found(word: str, language: str, text: str) -> bool:
    """Whether a page with this text matches a word of a query."""
    there = words(text, language)
    if language == "zh":
        there += pairs("".join(split(text)))
    for form in forms(word, LANGUAGES):
        parts = [
            part for part in form.parts if any(there[i : i + len(part)] == [*part] for i in range(len(there)))
        ]
        if len(parts) >= form.least:
            return True
    return False


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Running apt-get's engines", "en", ["run", "apt", "get", "s", "engin"]),
        ("Die Häuser der Straße", "de", ["die", "haus", "der", "strass"]),
        ("软件包管理 APT", "zh", ["软件", "软件包", "管理", "apt"]),
        ("設定ファイル", "ja", ["設定", "定フ", "ファ", "ァイ", "イル"]),
        ("패키지 관리", "ko", ["패키", "키지", "관리"]),
        ("日本 by English", "", ["日本", "by", "english"]),
        ("x" * 100 + " short", "en", ["short"]),
    ],
)
def test_text_is_cut_by_its_language(text, language, expected):
    assert words(text, language) == expected


@pytest.mark.parametrize(
    ("word", "language", "text"),
    [
        ("engines", "en", "an engine"),
        ("häuser", "de", "Das Haus"),
        ("haus", "de", "viele Häuser"),
        ("CONFIGURACION", "es", "la configuración"),
        ("mod_rewrite", "en", "mod_rewrite does it"),
        ("Widget.set_name", "en", "Widget (class), set_name (method)"),
        ("管理系统", "zh", "软件包管理系统的安装"),
        ("包管理", "zh", "软件包管理系统"),
        ("停止", "ja", "サーバの停止と再起動"),
        ("サーバの停止", "ja", "停止したサーバ"),
        ("서버", "ko", "서버를 다시"),
        ("Debian", "zh", "安装Debian系统"),
    ],
)
def test_words_are_found_in_other_forms(word, language, text):
    assert all(found(piece, language, text) for piece in split(word))


def test_words_in_a_row_are_one_part():
    assert rows(("window", "functions"), ["en"])[-1].parts == (("window", "function"),)


def test_a_long_run_of_ideographs_may_lack_one_word_in_three():
    form = forms("自动升级系统", ["zh"])[-1]
    assert (len(form.parts), form.least) == (3, 2)
    assert found("自动升级系统", "zh", "系统升级")
    assert not found("自动升级系统", "zh", "自动")


def test_particles_are_not_looked_for():
    assert segments("软件包的安装") == ["软件包", "安装"]
    assert segments("サーバの停止と再起動") == ["サーバ", "停止", "再起動"]
    assert segments("的") == ["的"]
    assert is_idle("The", ["en"])
    assert is_idle("的", ["en"])
    assert not is_idle("kernel", ["en"])


@given(st.text(max_size=30), st.sampled_from([*STEMMERS, "", "zh", "ja", "pl"]))
def test_any_text_is_cut(text, language):
    assert all(word and " " not in word for word in words(text, language))


@given(
    st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=12),
    st.sampled_from(LANGUAGES),
)
def test_what_is_on_a_page_is_found_by_it(word, language):
    if words(word, language):
        assert all(found(piece, language, word) for piece in split(word))
