"""The box in which a setting is changed while the crawl runs."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Button, Input, Static

from spiderd.protocol import SettingRow
from tui.screens.box import Box
from tui.settings import Value, value_of
from tui.text import cut, harmless

LONGEST = 400  # cells of a value or a message


class SettingBox(Box[None]):
    """Stays open until the daemon has taken the value, so that nothing typed is lost."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s,ctrl+enter", "submit", "Set", priority=True, show=False)
    ]

    class Wanted(Message):
        """A value is to be set; None means what the file says. The answer goes to the box."""

        def __init__(self, box: SettingBox, key: str, value: Value | None) -> None:
            super().__init__()
            self.box = box
            self.key = key
            self.value = value

    def __init__(self, row: SettingRow) -> None:
        super().__init__()
        self.row = row

    def compose(self) -> ComposeResult:
        """What holds now, the new value, and the buttons."""
        row = self.row
        with Vertical(id="setting-box", classes="box") as box:
            yield Static(Content(f"in the file   {cut(harmless(row.filed), LONGEST)}"), classes="hint")
            yield Static(Content(f"now           {cut(harmless(row.value), LONGEST)}"), classes="hint")
            yield Input(harmless(row.value), id="value", compact=True)
            yield Static("", id="verdict")
            with Horizontal(classes="buttons"):
                yield Button("Set  Enter", id="set", variant="primary", compact=True)
                yield Button("As in the file", id="unset", compact=True, disabled=not row.override)
                yield Button("Cancel  Esc", id="cancel", compact=True)
        box.border_title = row.key
        box.border_subtitle = "holds until it is taken back, also after a restart"

    def on_mount(self) -> None:
        """Begin with the value."""
        self.query_one("#value").focus()

    def close(self) -> None:
        """The value was taken."""
        if self.is_attached:
            self.dismiss()

    def show_problem(self, problem: str) -> None:
        """Say why the value was not taken."""
        if self.is_attached:
            verdict = Content(cut(harmless(problem), LONGEST)).stylize("$text-error")
            self.query_one("#verdict", Static).update(verdict)

    @on(Button.Pressed, "#cancel")
    def _cancelled(self) -> None:
        self.action_close()

    @on(Button.Pressed, "#unset")
    def _unset(self) -> None:
        self.post_message(self.Wanted(self, self.row.key, None))

    @on(Button.Pressed, "#set")
    @on(Input.Submitted)
    def action_submit(self) -> None:
        """Ask for the value."""
        try:
            value = value_of(self.query_one("#value", Input).value)
        except ValueError as problem:
            self.show_problem(str(problem))
        else:
            self.post_message(self.Wanted(self, self.row.key, value))
