"""The box for URLs to start from: one a line, each checked while you type."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Button, Static, TextArea

from spiderd.protocol import Added
from tui.questions import CheckQuestion
from tui.screens.box import Box
from tui.text import cut, harmless, plural
from tui.widgets.url_area import UrlArea

CHECK_AFTER = 0.3  # seconds without a key
SHOWN = 6  # refused URLs that are listed


class AddBox(Box[list[str]]):
    """A text area, what the daemon thinks of it, and two buttons."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s,ctrl+enter,ctrl+j", "submit", "Add", priority=True, show=False)
    ]

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self._text = text
        self._pending: Timer | None = None

    def compose(self) -> ComposeResult:
        """The text over the verdict and the buttons."""
        with Vertical(id="add-box", classes="box") as box:
            yield Static("One URL a line; paste as many as you like.", classes="hint")
            yield UrlArea(self._text, id="urls")
            yield Static("", id="verdict")
            with Horizontal(classes="buttons"):
                yield Button("Add  Ctrl+S", id="add", variant="primary", compact=True)
                yield Button("Cancel  Esc", id="cancel", compact=True)
        box.border_title = "Add URLs"

    def on_mount(self) -> None:
        """Nothing can be added yet."""
        self.query_one("#urls").focus()
        self._ask()

    @property
    def urls(self) -> list[str]:
        """What was entered, without empty lines."""
        return self.query_one(UrlArea).urls

    @on(TextArea.Changed)
    def _changed(self) -> None:
        if self._pending is not None:
            self._pending.stop()
        self._pending = self.set_timer(CHECK_AFTER, self._ask)

    def _ask(self) -> None:
        if urls := self.urls:
            self.post_message(CheckQuestion(self, urls))
        else:
            self._show(Content("nothing entered yet"), possible=False)

    def show_check(self, urls: list[str], answer: Added) -> None:
        """Show what would become of the URLs, unless they are others by now."""
        if urls != self.urls:
            return
        parts: list[str | tuple[str, str]] = [
            (f"{answer.new} new", "$text-success"),
            f" · {answer.known} already known · ",
            (f"{answer.refused} refused", "$text-error" if answer.refused else ""),
        ]
        refused = [row for row in answer.results if row.result == "refused"]
        for row in refused[:SHOWN]:
            parts += ["\n", (cut(harmless(row.url), 40), "bold"), f" {harmless(row.reason)}"]
        if len(refused) > SHOWN:
            parts.append(f"\n… and {plural(len(refused) - SHOWN, 'more')}")
        self._show(Content.assemble(*parts), possible=answer.new > 0)

    def show_problem(self, urls: list[str], problem: str) -> None:
        """Show that the URLs could not be checked; they may be added all the same."""
        if urls == self.urls:
            self._show(Content(f"not checked: {harmless(problem)}"), possible=True)

    def _show(self, verdict: Content, *, possible: bool) -> None:
        self.query_one("#verdict", Static).update(verdict)
        self.query_one("#add", Button).disabled = not possible

    @on(Button.Pressed, "#cancel")
    def _cancelled(self) -> None:
        self.action_close()

    @on(Button.Pressed, "#add")
    def action_submit(self) -> None:
        """Hand the URLs over."""
        if self.urls:
            self.dismiss(self.urls)
