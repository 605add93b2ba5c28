from __future__ import annotations

import pytest

from tui.themes import first_theme


@pytest.mark.parametrize(
    ("environ", "theme"),
    [
        ({"COLORTERM": "truecolor", "TERM": "xterm"}, "spider-dark"),
        ({"TERM": "xterm-256color"}, "spider-dark"),
        ({"TERM": "linux"}, "ansi-dark"),
        ({"TERM": "screen"}, "ansi-dark"),
        ({}, "ansi-dark"),
        ({"TEXTUAL_THEME": "nord", "TERM": "linux"}, "nord"),
    ],
)
def test_the_first_theme_fits_the_terminal(environ, theme):
    assert first_theme(environ, environ.get("TEXTUAL_THEME", "textual-dark")) == theme
