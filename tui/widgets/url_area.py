"""A box for URLs, one a line."""

from __future__ import annotations

from textual import events
from textual.widgets import TextArea

from tui.text import harmless

MOST = 2000  # URLs in one go: well within the megabyte that a request may have
LONGEST = 4096  # characters of one of them that are kept; no daemon takes longer ones


class UrlArea(TextArea):
    """What is pasted comes from anywhere, so it is made harmless before it is drawn."""

    def __init__(self, text: str = "", *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(_clean(text), id=id, compact=True, soft_wrap=False, tab_behavior="focus")

    @property
    def urls(self) -> list[str]:
        """What was entered, without empty lines."""
        return [line.strip() for line in self.text.splitlines() if line.strip()][:MOST]

    async def _on_paste(self, event: events.Paste) -> None:
        event.text = _clean(event.text)
        await super()._on_paste(event)


def _clean(text: str) -> str:
    return "\n".join(harmless(line)[:LONGEST] for line in text.splitlines()[:MOST])
