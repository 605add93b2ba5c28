"""Roles of what is drawn, and the styles that the theme gives them.

Widgets speak of roles ("good", "muted"); `app.tcss` gives each role its colour for any theme. A widget that
draws its own lines lists `INK` among its component classes and asks `ink()` for the style.
"""

from __future__ import annotations

from rich.style import Style
from textual.color import Color
from textual.widget import Widget

from spiderd.states import CrawlState, Step

ROLES = (
    *("good", "warn", "bad", "muted", "faint", "line", "accent", "strong", "key", "tab", "graph"),
    *("badge-good", "badge-warn", "badge-bad", "badge-muted", "badge-accent"),
)

INK: set[str] = {f"ink--{role}" for role in ROLES}


def ink(widget: Widget, role: str) -> Style:
    """The style of a role on a widget; no role is the widget's own text."""
    return shade(widget, f"ink--{role}") if role else Style.null()


def shade(widget: Widget, component: str) -> Style:
    """The style of a component, to be laid over the widget's own.

    Colours that are partly transparent are mixed with what lies below: a terminal cannot do that. The
    terminal's own sixteen colours cannot be mixed and stay as they are.
    """
    styles = widget.get_component_styles(component)
    _, below = widget.background_colors
    color = background = None
    if styles.has_rule("background"):
        background = _mixed(below, styles.background)
    if styles.has_rule("color"):
        color = _mixed(below, styles.color)
    return (
        Style(
            color=color.rich_color if color else None, bgcolor=background.rich_color if background else None
        )
        + styles.text_style
    )


def _mixed(below: Color, color: Color) -> Color:
    return color if color.ansi is not None or below.ansi is not None else below + color


STATE_ROLES: dict[str, str] = {
    CrawlState.STARTING: "accent",
    CrawlState.RUNNING: "good",
    CrawlState.IDLE: "muted",
    CrawlState.PAUSING: "warn",
    CrawlState.PAUSED: "warn",
    CrawlState.COMPLETE: "accent",
    CrawlState.STOPPING: "warn",
}

STEP_ROLES: dict[str, str] = {
    Step.IDLE: "muted",
    Step.RESOLVING: "accent",
    Step.CONNECTING: "accent",
    Step.WAITING: "",
    Step.RECEIVING: "good",
    Step.PARSING: "good",
    Step.STORING: "good",
}

LEVEL_ROLES: dict[str, str] = {"debug": "faint", "info": "", "warning": "warn", "error": "bad"}
