from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tui.ascii import to_ascii
from tui.glyphs import ASCII, UNICODE, glyphs_for
from tui.text import harmless


@given(st.text(max_size=80))
def test_everything_becomes_ascii_of_the_same_width(text):
    text = harmless(text)
    assert to_ascii(text).isascii()
    assert cell_len(to_ascii(text)) == cell_len(text)


def test_likenesses():
    assert to_ascii("naïve · 漢字 … é") == "naive - ???? ~ e"


def test_the_set_follows_the_encoding():
    assert glyphs_for("UTF-8") is UNICODE
    assert glyphs_for("utf8") is UNICODE
    assert glyphs_for("ANSI_X3.4-1968") is ASCII
    assert glyphs_for("ISO-8859-1") is ASCII
