"""A frame with a title at the top and a remark at the bottom right."""

from __future__ import annotations

from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget

from tui.text import harmless


class Panel(Vertical):
    """A frame around other widgets."""

    def __init__(self, title: str, *children: Widget, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(*children, id=id)
        self.border_title = title
        self._remark = ""

    def entitle(self, text: str) -> None:
        """Write another title; foreign text is welcome."""
        # Never a str: Textual would read it as markup.
        setattr(self, "border_title", Content(harmless(text)))  # noqa: B010 - the descriptor takes Content, its type says str

    def remark(self, text: str) -> None:
        """Say something at the bottom right; foreign text is welcome."""
        if text != self._remark:
            self._remark = text
            setattr(self, "border_subtitle", Content(harmless(text)))  # noqa: B010 - as for the title, its type says str
