"""The box in which one searches."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

HINT = 'words, all of them · "a phrase" · -without · site:example.org · title:word · url:part'


class SearchBox(Input):
    """Results come while one types; Down or Enter goes to them, Escape clears, then leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "to_results", show=False),
        Binding("escape", "clear_or_leave", show=False),
    ]

    class ToResults(Message):
        """The results are to have the focus."""

    class Leave(Message):
        """There is nothing to clear: out of here."""

    def __init__(self) -> None:
        super().__init__(placeholder=HINT, compact=True, id="search-box")

    def action_to_results(self) -> None:
        """Go to the results."""
        self.post_message(self.ToResults())

    async def action_submit(self) -> None:
        """Go to the results."""
        self.action_to_results()

    def action_clear_or_leave(self) -> None:
        """Clear what was typed; where nothing was, leave."""
        if self.value:
            self.value = ""
        else:
            self.post_message(self.Leave())
