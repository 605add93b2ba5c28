"""The hosts tab: how each host is treated, and the shapes of URLs that are parked as traps."""

from __future__ import annotations

from textual.app import ComposeResult

from spiderd.protocol import TrapRow
from tui import kinds
from tui.glyphs import Glyphs
from tui.views.paged import PagedView
from tui.widgets.listing import PagedListing


class HostsView(PagedView):
    """Traps take room only where there are any."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__("hosts", "Hosts", kinds.HOSTS, glyphs)
        self.traps: PagedListing[TrapRow] = PagedListing(
            "traps", "Parked as traps", kinds.TRAPS, glyphs=glyphs, id="traps"
        )

    def compose(self) -> ComposeResult:
        """The hosts over the traps."""
        yield self.paged
        yield self.traps

    def refill(self) -> None:
        """Ask for both lists."""
        super().refill()
        self.traps.ask()

    def on_paged_listing_shown(self) -> None:
        """Make room for traps where there are some, or somebody filters them."""
        self.traps.set_class(bool(self.traps.table.total or self.traps.filter), "-any")
