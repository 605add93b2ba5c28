"""A box for URLs, one a line."""

from __future__ import annotations

from textual.widgets import TextArea

from tui.text import harmless_lines

MOST = 2000  # URLs in one go: well within the megabyte that a request may have


class UrlArea(TextArea):
    """One URL a line."""

    def __init__(self, text: str = "", *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(harmless_lines(text), id=id, compact=True, soft_wrap=False, tab_behavior="focus")

    @property
    def urls(self) -> list[str]:
        """What was entered, without empty lines."""
        return [line.strip() for line in self.text.splitlines() if line.strip()][:MOST]
