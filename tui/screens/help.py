"""The help: made from the table of keys; what cannot be done now is dim and says why."""

from __future__ import annotations

from itertools import groupby
from textwrap import wrap
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tui import keys
from tui.screens.box import Box

COLUMN = 9  # cells for the names of the keys


class Help(Box[None]):
    """All keys on one page."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,question_mark,f1", "close", show=False),
        Binding("j", "scroll(1)", show=False),
        Binding("k", "scroll(-1)", show=False),
    ]

    def __init__(self, situation: keys.Situation) -> None:
        super().__init__()
        self.situation = situation

    def compose(self) -> ComposeResult:
        """A scrolling page."""
        page = VerticalScroll(Static(id="help"), id="help-box", classes="box")
        page.border_title = "Keys"
        page.border_subtitle = "Esc closes"
        yield page

    def on_mount(self) -> None:
        """Write the page once its width is known."""
        self.call_after_refresh(self.on_resize)

    def on_resize(self) -> None:
        """Write the page for the width that there is."""
        width = self.query_one("#help-box").scrollable_content_region.width
        self.query_one("#help", Static).update(content(self.situation, width))

    def action_scroll(self, lines: int) -> None:
        """Scroll the page."""
        self.query_one("#help-box").scroll_relative(y=lines, animate=False)


def content(situation: keys.Situation, width: int) -> Content:
    """Write the page, lines wrapped under their beginning."""
    parts: list[str | Content | tuple[str, str]] = []
    for group, members in groupby(keys.KEYS, key=lambda key: key.group):
        parts.append((f"{group}\n", "bold $text-secondary"))
        for key in members:
            parts += _entry(key, keys.unavailable(key, situation), width)
        parts.append("\n")
    return Content.assemble(*parts[:-1])


def _entry(key: keys.Key, reason: str, width: int) -> list[str | Content | tuple[str, str]]:
    room = max(16, width - COLUMN - 4)
    lines = wrap(key.help, room)
    if reason:
        lines += wrap(f"not now: {reason}", room)
    indent = " " * (COLUMN + 4)
    dim = "dim" if reason else ""
    return [
        ("  " + key.shown.ljust(COLUMN) + "  ", dim or "bold"),
        (f"\n{indent}".join(lines) + "\n", dim),
    ]
