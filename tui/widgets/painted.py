"""Base of the small widgets: they say which words stand on which line, and only changed lines are drawn."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.glyphs import UNICODE, Glyphs
from tui.ink import Ink
from tui.parts import Part

Lines = list[list[Part]]


class Painted(Widget):
    """A widget whose `paint` returns lines of parts."""

    class Command(Message):
        """A part that stands for a command was clicked."""

        def __init__(self, command: str) -> None:
            super().__init__()
            self.command = command

    def __init__(self, *, glyphs: Glyphs = UNICODE, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.glyphs = glyphs
        self._lines: Lines = []
        self._ink: Ink | None = None

    def notify_style_update(self) -> None:
        """A theme has changed."""
        self._ink = None
        super().notify_style_update()

    def paint(self, size: Size) -> Lines:
        """Say what stands on each line; texts are harmless already."""
        raise NotImplementedError

    @property
    def words(self) -> str:
        """What can be read on the widget."""
        return "\n".join(_text(line) for line in self._lines)

    def redraw(self) -> None:
        """Paint again, and draw what has changed."""
        width, height = self.content_size
        if not width or not height:
            return
        before, self._lines = self._lines, self.paint(self.content_size)[:height]
        for y in range(max(len(before), len(self._lines))):
            if before[y : y + 1] != self._lines[y : y + 1]:
                self.refresh(Region(0, y, width, 1))

    def on_resize(self) -> None:
        """Paint for the new size."""
        self._lines = []
        self.redraw()

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        line = self._lines[y] if y < len(self._lines) else []
        ink = self._ink = self._ink or Ink(self)
        segments = []
        for index, part in enumerate(line):
            if index and part.gap:
                segments.append(Segment(" " * part.gap, ink.plain))
            segments.append(Segment(part.text, ink(part.role)))
        return Strip(segments).adjust_cell_length(self.content_size.width, ink.plain)

    def on_click(self, event: events.Click) -> None:
        """Give the command of the part that was clicked."""
        offset = event.get_content_offset(self)
        if offset is None or offset.y >= len(self._lines):
            return
        left = 0
        for index, part in enumerate(self._lines[offset.y]):
            left += part.gap if index else 0
            width = cell_len(part.text)
            if left <= offset.x < left + width and part.command:
                event.stop()
                self.post_message(self.Command(part.command))
                return
            left += width


def _text(line: Sequence[Part]) -> str:
    return "".join(" " * (part.gap if index else 0) + part.text for index, part in enumerate(line))
