from __future__ import annotations

import pytest

from tui.themes import NAMES, first_theme


@pytest.mark.parametrize(
    ("environ", "theme"),
    [
        ({"COLORTERM": "truecolor", "TERM": "xterm"}, "spider-dark"),
        ({"TERM": "xterm-256color"}, "spider-dark"),
        ({"TERM": "xterm-256color", "COLORFGBG": "0;15"}, "spider-light"),
        ({"TERM": "rxvt", "COLORFGBG": "0;default;15"}, "ansi-light"),
        ({"TERM": "xterm-256color", "COLORFGBG": "15;0"}, "spider-dark"),
        ({"TERM": "linux"}, "ansi-dark"),
        ({"TERM": "screen"}, "ansi-dark"),
        ({}, "ansi-dark"),
    ],
)
def test_the_first_theme_fits_the_terminal(environ, theme):
    assert first_theme(environ) == theme
    assert theme in NAMES
