"""Our two themes, calm and legible; Textual's own can be chosen in the palette."""

from __future__ import annotations

from collections.abc import Mapping

from textual.theme import Theme

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


def first_theme(environ: Mapping[str, str], chosen: str) -> str:
    """Decide how to begin: TEXTUAL_THEME if it is set, the terminal's own 16 colours where it has no more."""
    if environ.get("TEXTUAL_THEME"):
        return chosen
    if environ.get("COLORTERM") in {"truecolor", "24bit"} or "256color" in environ.get("TERM", ""):
        return DARK.name
    return "ansi-dark"
