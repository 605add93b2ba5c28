"""Base of the boxes that open over the dashboard."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from tui.screens import sizes

Result = TypeVar("Result")


class Box(ModalScreen[Result]):
    """A modal box that Escape closes."""

    HORIZONTAL_BREAKPOINTS = sizes.HORIZONTAL
    VERTICAL_BREAKPOINTS = sizes.VERTICAL
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "Close", show=False)]

    def action_close(self) -> None:
        """Close without a result."""
        self.dismiss()
