"""Asks before something that cannot be taken back at once; the safe answer has the focus."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Static


class Confirm(ModalScreen[bool]):
    """A question with two answers."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", show=False),
        Binding("n,escape,q", "answer(False)", show=False),
        Binding("left,right,h,l", "app.focus_next", show=False),
    ]

    def __init__(self, title: str, question: str, yes: str, no: str) -> None:
        super().__init__()
        self.heading, self.question, self.yes, self.no = title, question, yes, no

    def compose(self) -> ComposeResult:
        """The question over the answers."""
        with Vertical(id="confirm-box", classes="box") as box:
            yield Static(Content(self.question))
            with Horizontal(classes="buttons"):
                yield Button(Content(self.no), id="no", compact=True)
                yield Button(Content(self.yes), id="yes", compact=True, variant="error")
        box.border_title = self.heading

    def on_mount(self) -> None:
        """Enter alone changes nothing."""
        self.query_one("#no").focus()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")

    def action_answer(self, answer: bool) -> None:  # noqa: FBT001 - Textual passes actions by position
        """Answer by key."""
        self.dismiss(answer)
