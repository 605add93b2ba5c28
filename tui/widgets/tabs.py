"""The line of tabs, each with the digit that opens it."""

from __future__ import annotations

from dataclasses import dataclass

from textual.geometry import Size

from tui.parts import Part
from tui.widgets.painted import Lines, Painted


@dataclass(frozen=True, slots=True)
class Tab:
    """One tab; the shorter titles are for narrow windows."""

    name: str
    digit: str
    title: str
    short: str
    tiny: str


TABS = (
    Tab("overview", "1", "Overview", "Overview", "Over"),
    Tab("hosts", "2", "Hosts", "Hosts", "Hosts"),
    Tab("directories", "3", "Directories", "Dirs", "Dirs"),
    Tab("search", "4", "Search", "Search", "Find"),
    Tab("log", "5", "Log", "Log", "Log"),
    Tab("errors", "6", "Errors", "Errors", "Err"),
    Tab("settings", "7", "Settings", "Settings", "Set"),
    Tab("reports", "8", "Reports", "Reports", "Rep"),
)


ROOMY = 69  # cells from which on there is room between the tabs
NARROW = 55  # cells below which only the open tab has a title


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
        gap = int(size.width >= ROOMY)
        for tab in TABS:
            title = self._title(tab, size.width)
            text = f" {tab.digit} {title}{' ' * gap}" if title else f" {tab.digit} "
            role = "tab" if tab.name == self.open_tab else "muted"
            line.append(Part(text, role, gap=gap, command=f"tab:{tab.name}"))
        return [line]

    def _title(self, tab: Tab, width: int) -> str:
        for least, title in ((94, tab.title), (87, tab.short), (NARROW, tab.tiny)):
            if width >= least:
                return title
        return tab.tiny if tab.name == self.open_tab else ""
