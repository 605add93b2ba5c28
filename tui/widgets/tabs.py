"""The line of tabs, each with the digit that opens it."""

from __future__ import annotations

from dataclasses import dataclass

from textual.geometry import Size

from tui.parts import Part
from tui.widgets.painted import Lines, Painted


@dataclass(frozen=True, slots=True)
class Tab:
    """One tab; `short` is for narrow windows."""

    name: str
    digit: str
    title: str
    short: str


TABS = (
    Tab("overview", "1", "Overview", "Over"),
    Tab("hosts", "2", "Hosts", "Hosts"),
    Tab("directories", "3", "Directories", "Dirs"),
    Tab("search", "4", "Search", "Search"),
    Tab("log", "5", "Log", "Log"),
    Tab("errors", "6", "Errors", "Errors"),
    Tab("settings", "7", "Settings", "Set"),
)


class TabBar(Painted):
    """Which tabs there are, and which is open."""

    open_tab = "overview"

    def show(self, name: str) -> None:
        """Mark the open tab."""
        self.open_tab = name
        self.redraw()

    def paint(self, size: Size) -> Lines:
        """Paint the tabs."""
        line = [Part("", gap=0)]
        for tab in TABS:
            title = tab.title if size.width >= 90 else tab.short if size.width >= 66 else ""
            text = f" {tab.digit} {title} " if title else f" {tab.digit} "
            role = "tab" if tab.name == self.open_tab else "muted"
            line.append(Part(text, role, gap=1, command=f"tab:{tab.name}"))
        return [line]
