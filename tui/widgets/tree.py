"""The site tree, one level at a time: hosts, then the directories of one, and so on down and up."""

from __future__ import annotations

from spiderd.protocol import TreeRow
from tui import kinds
from tui.glyphs import Glyphs
from tui.text import cut, harmless
from tui.widgets.listing import PagedListing

TITLE = "Site tree · Enter: into a host · v: download directories"
LONGEST_PLACE = 60  # cells of it on the frame


class TreeListing(PagedListing[TreeRow]):
    """A paged list whose rows may be entered."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__("tree", TITLE, kinds.tree_kind(glyphs), glyphs=glyphs, id="tree")
        self._way: list[TreeRow] = []  # the rows that were entered
        self._back_on: object = None  # key of the row that was left: the cursor goes back to it

    @property
    def inside(self) -> bool:
        """Whether there is a level above."""
        return bool(self._way)

    def enter(self, row: TreeRow) -> None:
        """Show what lies in a row."""
        self._way.append(row)
        self._go(None)

    def leave(self) -> None:
        """Show the level above, with the cursor where it was."""
        if self._way:
            row = self._way.pop()
            self._go(self.kind.key(row))

    def _go(self, back_on: object) -> None:
        place = self._way[-1] if self._way else None
        self.more = {"host": place.host, "prefix": place.prefix} if place else {}
        where = cut(harmless(f"{place.host}/{place.prefix}"), LONGEST_PLACE) if place else ""
        self.entitle(f"Site tree: {where} · Bksp: up" if where else TITLE)
        self._back_on = back_on
        self.table.show([], self.now)  # rows of another level; its own come in a moment
        self.filter_box.forget()
        self.renew()

    def on_paged_listing_shown(self) -> None:
        """Put the cursor back on the row that one comes from."""
        if self._back_on is not None:
            self.table.go_to(self._back_on)
            self._back_on = None
