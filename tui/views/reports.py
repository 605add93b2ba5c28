"""The reports tab: which reports there are, and, one level down, the rows of one."""

from __future__ import annotations

from typing import Any

from textual.app import ComposeResult

from spiderd.protocol import ReportInfo, ReportRow
from tui import kinds
from tui.glyphs import Glyphs
from tui.model import Picture
from tui.text import harmless
from tui.views.paged import PagedView
from tui.widgets.listing import Listing, PagedListing


class ReportsView(PagedView):
    """The list of reports, or one of them; each has columns of its own, so each has a list of its own."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__("reports", "Reports · Enter: its rows", kinds.REPORTS, glyphs)
        self.paged.can_sort = False
        self.glyphs = glyphs
        self.rows: PagedListing[ReportRow] | None = None

    @property
    def main(self) -> Listing[Any]:
        """The list that is shown."""
        return self.rows or self.paged

    def enter(self, info: ReportInfo) -> None:
        """Show the rows of a report."""
        title = f"Report: {harmless(info.name)} · {harmless(info.help)} · Bksp: up"
        rows: PagedListing[ReportRow] = PagedListing(
            "report", title, kinds.report_kind(info), glyphs=self.glyphs
        )
        rows.can_sort = False
        rows.more = {"kind": info.name}
        rows.now = self.paged.now
        self.rows = rows
        self.paged.display = False
        self.mount(rows)
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        if self.rows is not None and self.rows.is_attached:
            self.screen.set_focus(self.rows.table)
            self.rows.renew()

    def leave(self) -> None:
        """Show the list of reports again."""
        if self.rows is not None:
            self.rows.remove()
            self.rows = None
            self.paged.display = True
            self.screen.set_focus(self.paged.table)
            self.refill()

    def draw(self, picture: Picture) -> None:
        """Dim what is old; the rows come by `refill`."""
        super().draw(picture)
        if self.rows is not None:
            self.rows.now = self.paged.now

    def refill(self) -> None:
        """Ask for the rows in view."""
        if self.rows is None:
            self.paged.ask()
        elif self.rows.query_now.more:  # it was asked for once
            self.rows.ask()

    def compose(self) -> ComposeResult:
        """The list of reports."""
        yield self.paged
