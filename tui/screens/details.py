"""Everything that is known of one row."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tui.screens.box import Box
from tui.telling import Section
from tui.text import fit, fold, harmless

NAMES = 24  # cells that names may take
LONGEST = 8192  # characters of one text: a page of the screen holds no more
MOST_LINES = 500  # of a section


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
        self.sections: list[Section] = []  # under the facts

    def compose(self) -> ComposeResult:
        """A scrolling page."""
        page = VerticalScroll(Static(id="facts"), id="details-box", classes="box")
        page.border_title = self.heading
        page.border_subtitle = "y copies · o opens · Esc closes"
        yield page

    def add(self, facts: list[tuple[str, str]]) -> None:
        """Show more facts, which came later."""
        self.replace([*self.facts, *facts], self.sections)

    def replace(self, facts: list[tuple[str, str]], sections: list[Section]) -> None:
        """Show other facts, and texts under them; nothing is drawn once the box is closed."""
        self.facts, self.sections = facts, sections
        if self.is_attached:
            self.on_resize()

    def on_mount(self) -> None:
        """Write the page once its width is known."""
        self.call_after_refresh(self.on_resize)

    def on_resize(self) -> None:
        """Write the page for the width that there is."""
        width = self.query_one("#details-box").scrollable_content_region.width
        self.query_one("#facts", Static).update(content(self.facts, self.sections, width))

    def action_scroll(self, lines: int) -> None:
        """Scroll the page."""
        self.query_one("#details-box").scroll_relative(y=lines, animate=False)

    def action_copy(self) -> None:
        """Copy the URL or path."""
        self.post_message(self.Copy(self.subject))

    def action_open(self) -> None:
        """Open the URL."""
        self.post_message(self.Open(self.subject))


def content(facts: list[tuple[str, str]], sections: list[Section], width: int) -> Content:
    """Write names and texts in two columns, then the sections; texts are folded within theirs."""
    names = min(NAMES, max((cell_len(harmless(name[:NAMES])) for name, _ in facts), default=0))
    indent = "\n" + " " * (names + 2)
    lines = []
    for name, text in facts:
        folded = fold(harmless(text[:LONGEST]), max(8, width - names - 2))
        shown = fit(harmless(name[:LONGEST]), names)
        lines.append(Content.assemble((shown, "$foreground 75%"), "  ", indent.join(folded)))
    for section in sections:
        lines += _section(section, max(8, width))
    return Content("\n").join(lines)


def _section(section: Section, width: int) -> list[Content]:
    lines = [Content("")]
    if section.title:
        lines.append(Content(harmless(section.title)).stylize("bold $text-secondary"))
    left = LONGEST
    for line in section.lines[:MOST_LINES]:
        lines += map(Content, fold(harmless(line[:left]), width))
        left -= len(line)
        if left <= 0:
            break
    return lines
