"""The styles that the theme gives to roles.

Widgets that draw their own lines speak of roles; `app.tcss` gives each its colour, for any theme. The styles
are kept by the screen and not by each widget: Textual matches the rules for every style of every widget at
each change of focus or theme, and twenty styles on thirty widgets were a third of what a key cost.
"""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from textual.color import Color
from textual.screen import Screen
from textual.widget import Widget

ROLES = (
    *("good", "warn", "bad", "muted", "faint", "line", "accent", "strong", "key", "tab", "graph"),
    *("badge-good", "badge-warn", "badge-bad", "badge-muted", "badge-accent"),
    *("head", "cursor", "cursor-blurred"),  # of tables
)


class InkScreen(Screen[None]):
    """A screen that knows the styles of all roles."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"ink--{role}" for role in ROLES}

    def __init__(self) -> None:
        super().__init__()
        self._styles: dict[tuple[str, Color], Style] = {}

    def notify_style_update(self) -> None:
        """A theme has changed."""
        self._styles.clear()
        super().notify_style_update()

    def style_of(self, role: str, below: Color) -> Style:
        """The style of a role, to be laid over a colour."""
        found = self._styles.get((role, below))
        if found is None:
            found = self._styles[role, below] = self._mix(role, below)
        return found

    def _mix(self, role: str, below: Color) -> Style:
        styles = self.get_component_styles(f"ink--{role}")
        color = _over(below, styles.color) if styles.has_rule("color") else None
        background = _over(below, styles.background) if styles.has_rule("background") else None
        colours = Style(
            color=color.rich_color if color else None, bgcolor=background.rich_color if background else None
        )
        return colours + styles.text_style


class Ink:
    """The styles as one widget needs them, mixed with what lies below it; good until its styles change."""

    def __init__(self, widget: Widget) -> None:
        screen = widget.screen
        self._screen = screen if isinstance(screen, InkScreen) else None
        self._below = widget.background_colors[1]
        self.plain = widget.rich_style

    def __call__(self, role: str) -> Style:
        """The whole style of a role; no role is the widget's own."""
        return self.plain + self.over(role)

    def over(self, role: str) -> Style:
        """The part that a role changes."""
        return self._screen.style_of(role, self._below) if role and self._screen else Style.null()


def _over(below: Color, color: Color) -> Color:
    """Mix a colour that is partly transparent with what lies below: a terminal cannot do that.

    The terminal's own sixteen colours cannot be mixed and stay as they are.
    """
    return color if color.ansi is not None or below.ansi is not None else below + color
