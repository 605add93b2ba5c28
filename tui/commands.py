"""What the commands of the keys do on the screen; those that change the crawl are in `steering`.

Names are those of `keys.KEYS`, an argument after a colon: "tab:hosts", "sort:-1". No command waits for the
daemon.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from spiderd.protocol import Hit, HostRow, ReportInfo, ReportRow, SettingRow, TreeRow
from tui import keys
from tui.figures import figures
from tui.questions import HostQuestion, PageQuestion, WhyQuestion
from tui.screens.details import Details
from tui.screens.help import Help
from tui.screens.setting import SettingBox
from tui.steering import Steering
from tui.text import cut, harmless
from tui.views.directories import DirectoriesView
from tui.views.log import LogView
from tui.views.reports import ReportsView
from tui.views.search import SearchView
from tui.widgets.tree import TreeListing

if TYPE_CHECKING:
    from tui.app import SpiderApp
    from tui.widgets.listing import Listing

WEB = ("http://", "https://")


class Commands(Steering):
    """Carries out the commands on one application."""

    def __init__(self, app: SpiderApp) -> None:
        super().__init__(app)

    def give(self, command: str) -> None:
        """Carry out a command, or say why not."""
        key = keys.BY_COMMAND[command]
        if reason := keys.unavailable(key, self.app.situation()):
            self.app.say(f"{key.help.split(';')[0]}: {reason}", warn=True)
            return
        name, _, argument = command.partition(":")
        method: Callable[..., None] = getattr(self, name)
        method(*([argument] if argument else []))

    # the screen

    def tab(self, name: str) -> None:
        """Open a tab."""
        self.app.dashboard.open_tab(name)
        self.app.draw()
        self.app.refill()

    def search(self) -> None:
        """Open the search and its box."""
        self.tab("search")

    def freeze(self) -> None:
        """Hold the picture still, or let it go."""
        self.app.freeze()

    def refresh(self) -> None:
        """Ask, or try, at once."""
        self.app.link.nudge()
        self.app.refill()

    def help(self) -> None:
        """Show the keys."""
        self.app.push_screen(Help(self.app.situation()))

    def palette(self) -> None:
        """Open the palette."""
        self.app.action_command_palette()

    def leave(self) -> None:
        """Leave; the crawl goes on."""
        self.app.leave()

    def back(self) -> None:
        """Clear the filter; in the results of a search, go back to the box."""
        view = self.app.dashboard.view
        if isinstance(view, SearchView):
            view.begin()
        elif isinstance(self._listing, TreeListing) and not self._listing.filter:
            self._listing.leave()
        elif isinstance(view, ReportsView) and not self._listing.filter:
            view.leave()
        else:
            self._listing.filter_box.action_clear_and_close()

    def figures(self) -> None:
        """Show all counters."""
        snapshot = self.app.model.snapshot
        if snapshot is not None:
            self.app.push_screen(Details("Figures", figures(snapshot), snapshot.hello.data_dir))

    # the table

    @property
    def _listing(self) -> Listing[Any]:
        return self.app.dashboard.view.listing

    def details(self) -> None:
        """Open the row: a setting to be changed, a page to be read, anything else to be explained."""
        listing = self._listing
        row = listing.table.row
        if isinstance(listing, TreeListing) and row is not None and row.inside:
            listing.enter(row)
            return
        view = self.app.dashboard.view
        if isinstance(view, ReportsView) and isinstance(row, ReportInfo):
            view.enter(row)
            return
        if isinstance(row, SettingRow) and row.live and self._may_change:
            self.app.push_screen(SettingBox(row))
            return
        box = Details(listing.kind.one, listing.details(), listing.subject)
        self.app.push_screen(box)
        if isinstance(row, Hit):
            self.app.post_message(PageQuestion(box, row.id))
        elif isinstance(row, ReportRow) and row.page:
            self.app.post_message(PageQuestion(box, row.page, kept=True))
        elif isinstance(row, HostRow):
            self.app.post_message(HostQuestion(box, row.host, self._now))
        elif listing.subject.startswith(WEB) and not isinstance(row, TreeRow):
            self.app.post_message(WhyQuestion(box, listing.subject))

    @property
    def _now(self) -> float:
        """The daemon's time, as of its last word."""
        snapshot = self.app.model.snapshot
        return snapshot.now if snapshot is not None else 0.0

    @property
    def _may_change(self) -> bool:
        return not keys.unavailable(keys.BY_COMMAND["reload"], self.app.situation())

    def why(self, url: str) -> None:
        """Show which rule decides about a URL."""
        box = Details("Why", [("url", url)], url)
        self.app.push_screen(box)
        self.app.post_message(WhyQuestion(box, url))

    def switch(self) -> None:
        """Show the site tree instead of the download directories, or the other way round."""
        view = self.app.dashboard.view
        if isinstance(view, DirectoriesView):
            view.switch()
            self.app.draw()

    def up(self) -> None:
        """Go up in the site tree, or from a report to the list of them."""
        view = self.app.dashboard.view
        if isinstance(self._listing, TreeListing):
            self._listing.leave()
        elif isinstance(view, ReportsView):
            view.leave()

    def filter(self) -> None:
        """Open the filter."""
        self._listing.filter_box.open()

    def sort(self, step: str) -> None:
        """Sort by another column."""
        self._listing.sort_step(int(step))

    def invert(self) -> None:
        """Turn the order round."""
        self._listing.invert()

    def follow(self) -> None:
        """Keep the row in view, or not."""
        table = self._listing.table
        table.follow = not table.follow
        self.app.say("following the row" if table.follow else "no longer following the row")

    def copy(self) -> None:
        """Copy URL or path."""
        self.copy_text(self._listing.subject)

    def open(self) -> None:
        """Open the URL."""
        self.open_text(self._listing.subject)

    def copy_text(self, text: str) -> None:
        """Put a text on the clipboard of the terminal, and show it: not every terminal takes it."""
        if not text:
            self.app.say("there is nothing to copy in this row", warn=True)
            return
        text = harmless(text)
        self.app.copy_to_clipboard(text)
        self.app.say(f"copied {cut(text, 200)}")

    def open_text(self, text: str) -> None:
        """Open a URL where this program runs."""
        if not text.startswith(WEB):
            self.app.say("this row has no URL to open", warn=True)
            return
        self.app.open_url(text)
        self.app.say(f"opened on this machine: {cut(harmless(text), 200)}")

    def wrap(self) -> None:
        """Write events over as many lines as they need, or on one."""
        view = self.app.dashboard.view
        if isinstance(view, LogView):
            view.wrap()
            self.app.call_after_refresh(self.app.draw)  # the width is known by then

    def errors_only(self) -> None:
        """Show warnings and errors only, or all."""
        view = self.app.dashboard.view
        if isinstance(view, LogView):
            view.errors_only = not view.errors_only
            self.app.draw()
