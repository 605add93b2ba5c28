"""The box that starts a daemon where none answers: URLs, number of threads, and off it goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.validation import Integer
from textual.widgets import Button, Input, Label, Static

from tui.screens.box import Box
from tui.text import harmless
from tui.widgets.url_area import UrlArea

MOST_THREADS = 1024  # what crawl.threads allows


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be started."""

    urls: list[str]
    threads: int  # 0 = as configured


class StartBox(Box[Wish]):
    """URLs may be left out: then the crawl that lies in the data directory goes on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s,ctrl+enter,ctrl+j", "submit", "Start", priority=True, show=False)
    ]

    def __init__(self, data_dir: str) -> None:
        super().__init__()
        self.data_dir = data_dir

    def compose(self) -> ComposeResult:
        """The questions over the buttons."""
        with Vertical(id="start-box", classes="box") as box:
            yield Static(Content(f"in {harmless(self.data_dir)}"), classes="hint")
            yield Static("URLs to start from, one a line; none to go on with what is there.", classes="hint")
            yield UrlArea(id="urls")
            with Horizontal(classes="field"):
                yield Label("Threads")
                yield Input(
                    placeholder="as configured",
                    id="thread-count",
                    type="integer",
                    compact=True,
                    validators=[Integer(1, MOST_THREADS)],
                )
            with Horizontal(classes="buttons"):
                yield Button("Start  Ctrl+S", id="start", variant="primary", compact=True)
                yield Button("Cancel  Esc", id="cancel", compact=True)
        box.border_title = "Start a daemon"

    def on_mount(self) -> None:
        """Begin with the URLs."""
        self.query_one("#urls").focus()

    @on(Button.Pressed, "#cancel")
    def _cancelled(self) -> None:
        self.action_close()

    @on(Button.Pressed, "#start")
    @on(Input.Submitted)
    def action_submit(self) -> None:
        """Hand the wish over, unless the number of threads makes no sense."""
        threads = self.query_one("#thread-count", Input)
        if threads.value and not threads.is_valid:
            threads.focus()
            return
        self.dismiss(Wish(self.query_one(UrlArea).urls, int(threads.value or 0)))
