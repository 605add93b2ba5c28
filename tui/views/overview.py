"""The first tab: throughput, progress, threads, open directories, recent errors."""

from __future__ import annotations

from typing import Any

from textual.app import ComposeResult
from textual.containers import Horizontal

from spiderd.protocol import DirectoryRow, Event, Snapshot, WorkerRow
from spiderd.states import CrawlState
from tui import kinds
from tui.glyphs import Glyphs
from tui.model import Picture
from tui.tables import events, threads
from tui.text import plural
from tui.views.view import View
from tui.widgets.listing import Listing, LocalListing
from tui.widgets.panel import Panel
from tui.widgets.progress import Progress
from tui.widgets.throughput import Throughput


class Overview(View):
    """Everything that matters at one glance."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="overview")
        self.throughput = Throughput(glyphs=glyphs)
        self.progress = Progress(glyphs=glyphs)
        self.progress_panel = Panel("Progress", self.progress, id="progress")
        self.threads: LocalListing[WorkerRow] = LocalListing(
            "Threads", kinds.THREADS, _thread_matches, glyphs=glyphs, id="threads"
        )
        self.directories: LocalListing[DirectoryRow] = LocalListing(
            "Directories",
            kinds.directories_kind(glyphs, pane=True),
            lambda row, text: text in f"{row.directory:05} {row.path}".casefold(),
            glyphs=glyphs,
            id="open-directories",
        )
        self.recent: LocalListing[Event] = LocalListing(
            "Recent errors", kinds.RECENT, events.matches, sortable=False, glyphs=glyphs, id="recent"
        )

    def compose(self) -> ComposeResult:
        """Charts on top, threads in the middle, two panes below."""
        with Horizontal(id="charts"):
            yield Panel("Throughput", self.throughput, id="throughput")
            yield self.progress_panel
        yield self.threads
        with Horizontal(id="panes"):
            yield self.directories
            yield self.recent

    @property
    def main(self) -> Listing[Any]:
        """The threads."""
        return self.threads

    def draw(self, picture: Picture) -> None:
        """Show the snapshot."""
        self.throughput.show(picture)
        self.progress.show(picture)
        self.progress_panel.remark(_differing(picture.snapshot))
        self.set_class(picture.old, "-old")
        snapshot = picture.snapshot
        now = snapshot.now if snapshot else 0.0
        workers = snapshot.workers if snapshot else []
        held_up = (
            snapshot is not None and snapshot.state is CrawlState.RUNNING and snapshot.counters.waiting > 0
        )
        self.threads.note = threads.summary(workers, held_up=held_up)
        self.threads.show(workers, now)
        self.directories.note = (
            plural(snapshot.directories_total, "directory", "directories") if snapshot else ""
        )
        self.directories.show(snapshot.directories if snapshot else [], now)
        self.recent.show(picture.errors[::-1], now)


def _differing(snapshot: Snapshot | None) -> str:
    """Say that settings were made live: they are easily forgotten."""
    count = len(snapshot.overrides) if snapshot else 0
    return f"{plural(count, 'setting')} made live · 7" if count else ""


def _thread_matches(row: WorkerRow, text: str) -> bool:
    return text in f"{row.worker} {row.step} {row.url}".casefold()
