"""Tabs that are one list held by the daemon: hosts, directories, the error queue."""

from __future__ import annotations

from typing import Any

from textual.app import ComposeResult

from tui.glyphs import Glyphs
from tui.kind import Kind
from tui.model import Picture
from tui.views.view import View
from tui.widgets.listing import Listing, PagedListing


class PagedView(View):
    """One paged list that fills the tab.

    Args:
        name: of the tab, and of the list in the API.
        title: on the frame.
        kind: what it is a list of.
        glyphs: the symbols.
    """

    def __init__(self, name: str, title: str, kind: Kind[Any], glyphs: Glyphs) -> None:
        super().__init__(id=name)
        self.paged: PagedListing[Any] = PagedListing(name, title, kind, glyphs=glyphs)

    def compose(self) -> ComposeResult:
        """The list."""
        yield self.paged

    @property
    def main(self) -> Listing[Any]:
        """The list."""
        return self.paged

    def draw(self, picture: Picture) -> None:
        """Dim what is old; the rows come by `refill`."""
        self.set_class(picture.old, "-old")
        if picture.snapshot is not None:
            self.paged.now = picture.snapshot.now

    def refill(self) -> None:
        """Ask for the rows in view."""
        self.paged.ask()
