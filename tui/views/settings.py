"""The settings tab: every key, what it is, and what differs from the file."""

from __future__ import annotations

from typing import Any

from textual.app import ComposeResult

from spiderd.protocol import SettingRow, Settings
from tui import kinds
from tui.glyphs import Glyphs
from tui.model import Picture
from tui.questions import SettingsQuestion
from tui.text import plural
from tui.views.view import View
from tui.widgets.listing import Listing, LocalListing


class SettingsView(View):
    """One list; Enter changes a setting."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="settings")
        self.settings: LocalListing[SettingRow] = LocalListing(
            "Settings", kinds.SETTINGS, _matches, glyphs=glyphs
        )

    def compose(self) -> ComposeResult:
        """The list."""
        yield self.settings

    @property
    def main(self) -> Listing[Any]:
        """The list."""
        return self.settings

    def draw(self, picture: Picture) -> None:
        """Dim what is old; the rows come by `refill`."""
        self.set_class(picture.old, "-old")

    def refill(self) -> None:
        """Ask for the settings."""
        self.post_message(SettingsQuestion(self))

    def show_settings(self, settings: Settings) -> None:
        """Show what the daemon goes by."""
        differing = sum(row.value != row.filed for row in settings.rows)
        source = settings.source or "no file was read"
        self.settings.note = (
            f"{source} · {plural(differing, 'setting')} differing from it" if differing else source
        )
        self.settings.show(settings.rows, 0.0)


def _matches(row: SettingRow, text: str) -> bool:
    return text in f"{row.key} {row.value}".casefold()
