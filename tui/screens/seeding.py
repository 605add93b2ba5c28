"""What the boxes for adding URLs and for starting a daemon have in common."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.validation import Integer
from textual.widget import Widget
from textual.widgets import Button, Input, Label, Static

from tui.screens.box import Box
from tui.text import harmless
from tui.widgets.url_area import UrlArea

MOST_THREADS = 1024  # what crawl.threads allows


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be crawled."""

    urls: list[str]
    threads: int = 0  # 0 = as it is


class SeedBox(Box[Wish]):
    """A text area for URLs, a number of threads where it is asked for, and two buttons."""

    TITLE = ""
    VERB = ""  # on the button
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s,ctrl+enter", "submit", "Go", priority=True, show=False),
        # At once, and not when the text area comes to it: what is typed next belongs into the next field.
        Binding("tab", "app.focus_next", priority=True, show=False),
    ]

    def __init__(self, *hints: str, text: str = "", threads: str | None = None) -> None:
        """Make the box.

        Args:
            hints: sentences above the text.
            text: URLs to begin with.
            threads: what stands for "as it is"; None = the number is not asked for.
        """
        super().__init__()
        self._hints = hints
        self._text = text
        self._threads = threads

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        with Vertical(classes="box seed-box") as box:
            for hint in self._hints:
                yield Static(Content(harmless(hint)), classes="hint")
            yield UrlArea(self._text, id="urls")
            if self._threads is not None:
                with Horizontal(classes="field"):
                    yield Label("Threads")
                    yield Input(
                        placeholder=self._threads,
                        id="thread-count",
                        type="integer",
                        compact=True,
                        validators=[Integer(1, MOST_THREADS)],
                    )
            yield from self.compose_verdict()
            with Horizontal(classes="buttons"):
                yield Button(f"{self.VERB}  Ctrl+S", id="go", variant="primary", compact=True)
                yield Button("Cancel  Esc", id="cancel", compact=True)
        box.border_title = self.TITLE

    def compose_verdict(self) -> Iterable[Widget]:
        """What stands between the text and the buttons."""
        return ()

    def on_mount(self) -> None:
        """Begin with the URLs."""
        self.query_one("#urls").focus()

    @property
    def urls(self) -> list[str]:
        """What was entered, without empty lines."""
        return self.query_one(UrlArea).urls

    @property
    def possible(self) -> bool:
        """Whether what was entered makes sense."""
        return True

    @on(Button.Pressed, "#cancel")
    def _cancelled(self) -> None:
        self.action_close()

    @on(Button.Pressed, "#go")
    @on(Input.Submitted)
    def action_submit(self) -> None:
        """Hand the wish over, unless it makes no sense."""
        threads = 0
        if self._threads is not None:
            field = self.query_one("#thread-count", Input)
            if field.value and not field.is_valid:
                field.focus()
                return
            threads = int(field.value or 0)
        if self.possible:
            self.dismiss(Wish(self.urls, threads))
