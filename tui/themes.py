"""Our two themes, calm and legible; Textual's own can be chosen in the palette."""

from __future__ import annotations

from collections.abc import Mapping

from textual.theme import BUILTIN_THEMES, Theme

DARK = Theme(
    name="spider-dark",
    primary="#7aa2c8",
    secondary="#7fb8c4",
    accent="#b79ad0",
    success="#8fbf7f",
    warning="#d9b36c",
    error="#d9777f",
    foreground="#d4d8dc",
    background="#14171a",
    surface="#181c20",
    panel="#262c32",
    dark=True,
)

LIGHT = Theme(
    name="spider-light",
    primary="#2f5f8a",
    secondary="#1f6f80",
    accent="#6b4a8c",
    success="#3c7a2f",
    warning="#8a5f00",
    error="#b02a37",
    foreground="#22272b",
    background="#fbfaf7",
    surface="#f5f3ee",
    panel="#e4e1d9",
    dark=False,
)

THEMES = (DARK, LIGHT)


NAMES = frozenset({*BUILTIN_THEMES, *(theme.name for theme in THEMES)})

_LIGHT = frozenset({"7", "15"})  # white, in the sixteen colours that COLORFGBG counts in


def first_theme(environ: Mapping[str, str]) -> str:
    """Decide how to begin where nobody has said: by what the terminal tells of itself.

    The terminal's own sixteen colours where it has no more; the light theme where it says that it is light.
    """
    many = environ.get("COLORTERM") in {"truecolor", "24bit"} or "256color" in environ.get("TERM", "")
    light = environ.get("COLORFGBG", "").rpartition(";")[2] in _LIGHT
    if many:
        return (LIGHT if light else DARK).name
    return "ansi-light" if light else "ansi-dark"
