"""Everything that is known of one row."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tui.screens.box import Box
from tui.text import harmless

LONGEST = 8192  # characters of one text: a page of the screen holds no more


class Details(Box[None]):
    """Names and texts, whole, where the table had to cut them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,enter", "close", show=False),
        Binding("j", "scroll(1)", show=False),
        Binding("k", "scroll(-1)", show=False),
        Binding("y", "copy", show=False),
        Binding("o", "open", show=False),
    ]

    class Copy(Message):
        """A text is to be copied."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Open(Message):
        """A URL is to be opened."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, title: str, facts: list[tuple[str, str]], subject: str) -> None:
        super().__init__()
        self.heading = title
        self.facts = facts
        self.subject = subject

    def compose(self) -> ComposeResult:
        """A scrolling page."""
        page = VerticalScroll(Static(self._content(), id="facts"), id="details-box", classes="box")
        page.border_title = self.heading
        page.border_subtitle = "y copies · o opens · Esc closes"
        yield page

    def add(self, facts: list[tuple[str, str]]) -> None:
        """Show more facts, which came later."""
        self.facts = [*self.facts, *facts]
        self.query_one("#facts", Static).update(self._content())

    def _content(self) -> Content:
        width = max((len(name) for name, _ in self.facts), default=0)
        lines = [
            Content.assemble((name.ljust(width), "$text-muted"), "  ", harmless(text[:LONGEST]))
            for name, text in self.facts
        ]
        return Content("\n").join(lines)

    def action_scroll(self, lines: int) -> None:
        """Scroll the page."""
        self.query_one("#details-box").scroll_relative(y=lines, animate=False)

    def action_copy(self) -> None:
        """Copy the URL or path."""
        self.post_message(self.Copy(self.subject))

    def action_open(self) -> None:
        """Open the URL."""
        self.post_message(self.Open(self.subject))
