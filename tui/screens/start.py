"""The box that starts a daemon where none answers."""

from __future__ import annotations

from tui.screens.seeding import SeedBox


class StartBox(SeedBox):
    """URLs may be left out: then the crawl that lies in the data directory goes on."""

    TITLE = "Start a daemon"
    VERB = "Start"

    def __init__(self, data_dir: str) -> None:
        super().__init__(
            f"in {data_dir}",
            "URLs to start from, one a line; none to go on with what is there.",
            threads="as configured",
        )
