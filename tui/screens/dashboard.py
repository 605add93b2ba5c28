"""The one screen that is always there: header, figures, tabs, the open tab, keys."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.widgets import ContentSwitcher

from tui import keys, kinds
from tui.glyphs import Glyphs
from tui.ink import InkScreen
from tui.model import Picture
from tui.screens import sizes
from tui.views.directories import DirectoriesView
from tui.views.hosts import HostsView
from tui.views.log import LogView
from tui.views.overview import Overview
from tui.views.paged import PagedView
from tui.views.reports import ReportsView
from tui.views.search import SearchView
from tui.views.settings import SettingsView
from tui.views.view import View
from tui.widgets.counters import Counters
from tui.widgets.header import Header
from tui.widgets.key_bar import KeyBar
from tui.widgets.nobody import Nobody
from tui.widgets.tabs import TABS, TabBar


class Dashboard(InkScreen):
    """Draws pictures; commands are the application's business."""

    HORIZONTAL_BREAKPOINTS = sizes.HORIZONTAL
    VERTICAL_BREAKPOINTS = sizes.VERTICAL

    def __init__(self, glyphs: Glyphs, socket: str) -> None:
        super().__init__()
        self.header = Header(glyphs=glyphs)
        self.counters = Counters(glyphs=glyphs)
        self.tab_bar = TabBar(glyphs=glyphs)
        self.key_bar = KeyBar(glyphs=glyphs)
        self.nobody = Nobody(socket)
        self.search = SearchView(glyphs)
        self.before_search = TABS[0].name  # the tab that Escape goes back to
        self.views: dict[str, View] = {
            "overview": Overview(glyphs),
            "hosts": HostsView(glyphs),
            "directories": DirectoriesView(glyphs),
            "search": self.search,
            "log": LogView(glyphs),
            "errors": PagedView("errors", "Error queue", kinds.ERRORS, glyphs),
            "settings": SettingsView(glyphs),
            "reports": ReportsView(glyphs),
        }
        self.set_class(glyphs.border == "ascii", "-ascii")

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield self.header
        yield self.counters
        yield self.tab_bar
        with ContentSwitcher(initial=TABS[0].name, id="views"):
            yield from self.views.values()
        yield self.nobody
        yield self.key_bar

    @property
    def view(self) -> View:
        """The open tab."""
        return self.views[self.tab_bar.open_tab]

    def on_mount(self) -> None:
        """Begin at the threads."""
        self.view.main.table.focus()

    def open_tab(self, name: str) -> None:
        """Open a tab."""
        if self.tab_bar.open_tab != "search":
            self.before_search = self.tab_bar.open_tab
        self.tab_bar.show(name)
        self.query_one("#views", ContentSwitcher).current = name
        self.view.refill()
        if name == "search":
            self.search.begin()
        else:
            self.set_focus(self.view.main.table)

    @property
    def is_whole(self) -> bool:
        """Whether there is something to draw on: not before it is composed, nor while it is taken down."""
        return self.is_mounted and bool(self.query("#views"))

    def draw(self, picture: Picture) -> None:
        """Draw how things are."""
        alone = picture.connection.nobody(picture.now)
        self.nobody.display = alone
        self.query_one("#views").display = not alone
        self.header.show(picture)
        self.counters.show(picture)
        self.view.draw(picture)

    def show_keys(self, situation: keys.Situation) -> None:
        """Show which keys work."""
        self.key_bar.show(situation)
