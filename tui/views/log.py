"""The log: the events that came, newest at the end."""

from __future__ import annotations

from typing import Any

from textual.app import ComposeResult

from spiderd.protocol import Event
from tui import kinds
from tui.glyphs import Glyphs
from tui.model import EVENTS_KEPT, SEVERE, Picture
from tui.tables import events
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
        self._seen_last = 0  # id of the newest event when following stopped
        self.lost = False  # whether the daemon had dropped some before we asked

    def compose(self) -> ComposeResult:
        """The list."""
        yield self.events

    @property
    def main(self) -> Listing[Any]:
        """The events."""
        return self.events

    def draw(self, picture: Picture) -> None:
        """Show the events that have come."""
        self.set_class(picture.old, "-old")
        rows = picture.events
        if self.errors_only:
            rows = [row for row in rows if row.level in SEVERE]
        self.lost = picture.lost_events
        self.events.note = self._note(rows)
        self.events.show(rows, picture.snapshot.now if picture.snapshot else 0.0)

    def _note(self, rows: list[Event]) -> str:
        last = rows[-1].id if rows else 0
        which = "warnings and errors" if self.errors_only else ""
        lost = "some were lost" if self.lost else ""
        kept = f"the last {EVENTS_KEPT:,} are kept"
        return " · ".join(part for part in (which, self._place(rows, last), lost, kept) if part)

    def _place(self, rows: list[Event], last: int) -> str:
        """Say whether the end is being followed, or how much has come below."""
        if self.events.table.tailing:
            self._seen_last = last
            return "following"
        below = sum(row.id > self._seen_last for row in rows)
        return f"{self.glyphs.down} {plural(below, 'new line')}, End follows" if below else "End follows"
