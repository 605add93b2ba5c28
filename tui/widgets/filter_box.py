"""The box in which the text stands that rows must hold."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input


class FilterBox(Input):
    """One line; Enter goes back to the table, Escape clears and closes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "clear_and_close", show=False),
        Binding("down", "done", show=False),
    ]

    class Done(Message):
        """The table is to have the focus again."""

    def __init__(self) -> None:
        super().__init__(
            placeholder="text that the row holds · Enter to the table · Esc clears", compact=True
        )
        self.display = False

    def open(self) -> None:
        """Show the box and put the cursor into it."""
        self.display = True
        self.screen.set_focus(self)  # at once: focus() waits its turn, and the next key may be quicker

    def action_done(self) -> None:
        """Keep the filter, go back to the table."""
        self.display = bool(self.value)
        self.post_message(self.Done())

    async def action_submit(self) -> None:
        """Keep the filter, go back to the table."""
        self.action_done()

    def forget(self) -> None:
        """Drop the filter, and leave the focus where it is."""
        with self.prevent(Input.Changed):
            self.value = ""
        self.display = False

    def action_clear_and_close(self) -> None:
        """Drop the filter, go back to the table."""
        self.value = ""
        self.action_done()
