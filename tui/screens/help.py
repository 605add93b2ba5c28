"""The help: made from the table of keys; what cannot be done now is dim and says why."""

from __future__ import annotations

from itertools import groupby
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
        page = VerticalScroll(Static(content(self.situation)), id="help-box", classes="box")
        page.border_title = "Keys"
        page.border_subtitle = "Esc closes"
        yield page

    def action_scroll(self, lines: int) -> None:
        """Scroll the page."""
        self.query_one("#help-box").scroll_relative(y=lines, animate=False)


def content(situation: keys.Situation) -> Content:
    """Write the page."""
    parts: list[str | Content | tuple[str, str]] = []
    for group, members in groupby(keys.KEYS, key=lambda key: key.group):
        parts.append((f"{group}\n", "bold $text-accent"))
        for key in members:
            parts += _entry(key, keys.unavailable(key, situation))
        parts.append("\n")
    return Content.assemble(*parts[:-1])


def _entry(key: keys.Key, reason: str) -> list[str | Content | tuple[str, str]]:
    if reason:
        return [(f"  {key.shown:<{COLUMN}}  {key.help} ", "dim"), (f"({reason})\n", "$text-warning")]
    return [("  " + key.shown.ljust(COLUMN), "bold"), f"  {key.help}\n"]
