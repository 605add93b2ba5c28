"""Base of the tabs."""

from __future__ import annotations

from typing import Any

from textual.containers import Vertical

from tui.model import Picture
from tui.widgets.listing import Listing


class View(Vertical):
    """What is under one tab. Draws the picture; asks nobody."""

    def draw(self, picture: Picture) -> None:
        """Show how things are; called a few times a second while the tab is open."""
        raise NotImplementedError

    def refill(self) -> None:
        """Ask for lists that the snapshot does not hold; called while the tab is open, every two seconds."""

    @property
    def main(self) -> Listing[Any]:
        """The list that keys act on when no other has the focus."""
        raise NotImplementedError

    @property
    def listing(self) -> Listing[Any]:
        """The list that keys act on."""
        focused = self.screen.focused if self.is_attached else None  # not while it is taken down
        for listing in self.query(Listing):
            if focused is not None and listing in focused.ancestors_with_self:
                return listing
        return self.main
