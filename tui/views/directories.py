"""The directories tab: the download directories of the threads, or the site tree."""

from __future__ import annotations

from typing import Any

from textual.app import ComposeResult

from tui import kinds
from tui.glyphs import Glyphs
from tui.model import Picture
from tui.views.paged import PagedView
from tui.widgets.listing import Listing
from tui.widgets.tree import TreeListing


class DirectoriesView(PagedView):
    """One of two lists."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(
            "directories", "Download directories · v: site tree", kinds.directories_kind(glyphs), glyphs
        )
        self.tree_listing = TreeListing(glyphs)
        self.tree_listing.display = False

    def compose(self) -> ComposeResult:
        """One over the other; one of them is shown."""
        yield self.paged
        yield self.tree_listing

    @property
    def main(self) -> Listing[Any]:
        """The list that is shown."""
        return self.tree_listing if self.tree_listing.display else self.paged

    def switch(self) -> None:
        """Show the other list."""
        self.tree_listing.display = not self.tree_listing.display
        self.paged.display = not self.tree_listing.display
        self.screen.set_focus(self.main.table)
        self.refill()

    def draw(self, picture: Picture) -> None:
        """Dim what is old; the rows come by `refill`."""
        super().draw(picture)
        self.tree_listing.now = self.paged.now

    def refill(self) -> None:
        """Ask for the rows in view."""
        if self.tree_listing.display:
            self.tree_listing.ask()
        else:
            self.paged.ask()
