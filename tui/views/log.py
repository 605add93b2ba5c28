"""The log: the events that came, newest at the end."""

from __future__ import annotations

from typing import Any

from textual.app import ComposeResult

from spiderd.protocol import Event
from tui import kinds
from tui.glyphs import Glyphs
from tui.model import EVENTS_KEPT, SEVERE, Picture
from tui.tables import events, wrapped
from tui.tables.wrapped import Folding, Line
from tui.text import plural
from tui.views.view import View
from tui.widgets.listing import Listing, LocalListing


class LogView(View):
    """Follows the end until somebody scrolls up."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="log")
        self.glyphs = glyphs
        self.errors_only = False
        self.events: LocalListing[Event] = LocalListing(
            "Log", kinds.LOG, events.matches, tail=True, sortable=False, glyphs=glyphs
        )
        self.wrapped: LocalListing[Line] = LocalListing(
            "Log", kinds.LOG_WRAPPED, wrapped.matches, tail=True, sortable=False, glyphs=glyphs
        )
        self.wrapped.display = False
        self._folding = Folding()
        self._seen_last = 0  # id of the newest event when following stopped
        self.lost = False  # whether the daemon had dropped some before we asked

    def compose(self) -> ComposeResult:
        """One over the other; one of them is shown."""
        yield self.events
        yield self.wrapped

    @property
    def main(self) -> Listing[Any]:
        """The list that is shown."""
        return self.wrapped if self.wrapped.display else self.events

    def wrap(self) -> None:
        """Show the other list, with the same filter."""
        before = self.main
        self.wrapped.display = not self.wrapped.display
        self.events.display = not self.wrapped.display
        self.main.filter_box.value = before.filter_box.value
        self.main.filter_box.display = before.filter_box.display
        self.main.table.tailing = before.table.tailing
        self.screen.set_focus(self.main.table)

    def draw(self, picture: Picture) -> None:
        """Show the events that have come."""
        self.set_class(picture.old, "-old")
        rows = picture.events
        if self.errors_only:
            rows = [row for row in rows if row.level in SEVERE]
        self.lost = picture.lost_events
        self.main.note = self._note(rows)
        now = picture.snapshot.now if picture.snapshot else 0.0
        if self.wrapped.display:
            if width := self.wrapped.table.width_of(wrapped.TEXT):  # 0 until it has its place
                self.wrapped.show(self._folding.lines(rows, width), now)
        else:
            self.events.show(rows, now)

    def _note(self, rows: list[Event]) -> str:
        last = rows[-1].id if rows else 0
        which = "warnings and errors" if self.errors_only else ""
        lost = "some were lost" if self.lost else ""
        kept = f"the last {EVENTS_KEPT:,} are kept"
        return " · ".join(part for part in (which, self._place(rows, last), lost, kept) if part)

    def _place(self, rows: list[Event], last: int) -> str:
        """Say whether the end is being followed, or how much has come below."""
        if self.main.table.tailing:
            self._seen_last = last
            return "following"
        below = sum(row.id > self._seen_last for row in rows)
        return f"{self.glyphs.down} {plural(below, 'new line')}, End follows" if below else "End follows"
