"""Languages, told by script and by function words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spiderd.search.language import function_words, language_of, primary

TEXTS = {
    "en": "The quick brown fox is not in the house of the dog, and it will be there for a day.",
    "de": "Der Hund ist nicht im Haus, und die Katze ist mit dem Vogel auf dem Dach, das sich dreht.",
    "fr": "Le chien est dans la maison et les oiseaux sont sur le toit, mais pas pour une journée.",
    "es": "El perro está en la casa y los pájaros no están en el tejado, como se puede ver.",
    "zh": "软件包管理系统的工具和基本原则",
    "ja": "サーバの停止と再起動について説明します",
    "ko": "서버의 중지와 재시작에 대하여",
    "el": "σκύλος είναι στο σπίτι",
    "ru": "Собака не в доме, и это не то, что может быть для всех",
    "tr": "Bu bir köpek ve ev için çok büyük, ama daha güzel bir ev de var",
}


@pytest.mark.parametrize("language", TEXTS)
def test_text_tells_its_language(language):
    assert language_of(TEXTS[language]) == language


def test_what_the_page_declares_counts_where_the_text_says_nothing():
    assert language_of("foo() bar.baz 42", "de-AT") == "de"
    assert language_of("", "PT-br") == "pt"
    assert language_of("", "nonsense!") == ""


def test_the_text_counts_more_than_what_the_page_declares():
    assert language_of(TEXTS["en"], "nb-NO") == "en"


def test_close_relatives_are_told_apart_by_what_the_page_declares():
    text = "Det er en hund og den er i det hus, og det er for de andre"
    assert {language_of(text, "da"), language_of(text, "nb")} == {"da", "nb"}


def test_tags_have_one_name():
    assert [primary(tag) for tag in ("no", "nn-NO", "zh_TW", "EN", "", "x")] == [
        "nb",
        "nb",
        "zh",
        "en",
        "",
        "",
    ]


def test_every_language_has_words_of_its_own():
    assert all(len(function_words(language)) > 8 for language in ("en", "de", "zh", "ru", "vi"))
    assert function_words("tlh") == frozenset()


@given(st.text(), st.text(max_size=8))
def test_any_text_has_a_language_or_none(text, declared):
    assert len(language_of(text, declared)) in (0, 2, 3)
