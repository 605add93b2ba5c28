"""What a sitemap says of how often its pages change."""

from __future__ import annotations

import pytest

from spiderd.schedule.revisit import FREQUENCIES
from spiderd.sitemaps import parse


def of(inner: str) -> list[str]:
    body = f"<urlset><url><loc>http://h.test/</loc>{inner}</url></urlset>"
    return [entry.changefreq for entry in parse(body.encode(), "http://h.test/map.xml").entries]


@pytest.mark.parametrize("word", FREQUENCIES)
def test_each_word_of_the_protocol_is_taken(word: str) -> None:
    assert of(f"<changefreq> {word.capitalize()} </changefreq>") == [word]


def test_none_is_none_and_what_is_long_is_cut() -> None:
    assert of("") == [""]
    assert of(f"<changefreq>{'x' * 900}</changefreq>") == ["x" * 16]


def test_it_is_that_of_its_own_entry() -> None:
    body = (
        "<urlset><url><loc>http://h.test/1</loc><changefreq>daily</changefreq></url>"
        "<url><loc>http://h.test/2</loc></url></urlset>"
    )
    entries = parse(body.encode(), "http://h.test/map.xml").entries
    assert [entry.changefreq for entry in entries] == ["daily", ""]
