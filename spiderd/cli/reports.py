"""What a foreground `spiderd start` shows beside the log: a live line on a terminal, milestones anywhere.

The daemon calls from its loop, so nothing here may wait for a terminal: `progress` only keeps the newest
snapshot, and a thread of rich's draws it four times a second. While the line is there, rich stands in for
standard error, so that log lines scroll above it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from spiderd.cli.output import STATE_STYLES, is_terminal, print_rich
from spiderd.cli.summary import left, restored, summary
from spiderd.printable import printable
from spiderd.protocol import Counters, Snapshot
from spiderd.states import CrawlState
from spiderd.units import counted, human_count, human_rate, human_size
from spiderd.writable import takes_a_line

REFRESH = 4  # a second


class Milestones:
    """Tells standard output what was found at the start, what the crawl came to, what is left."""

    def restored(self, counters: Counters) -> None:
        """Say what an earlier run has left."""
        self._print(Text(restored(counters)))

    def progress(self, snapshot: Snapshot) -> None:
        """Say nothing: in a pipe or a journal the log is enough."""

    def complete(self, snapshot: Snapshot, elapsed: float) -> None:
        """Print the summary."""
        self._print(summary(snapshot, elapsed))

    def stopped(self, snapshot: Snapshot, elapsed: float) -> None:  # noqa: ARG002 - the protocol's signature
        """Say what is left, unless nothing is."""
        if snapshot.counters.waiting or snapshot.counters.processing:
            self._print(Text(left(snapshot.counters)))

    def _print(self, renderable: RenderableType) -> None:
        if not takes_a_line(sys.stdout):  # whoever reads it has stopped: that does not stop a crawl
            return
        try:
            print_rich(renderable)
        except OSError:  # the reader has gone: that does not end a crawl
            with suppress(OSError), Path(os.devnull).open("wb") as nowhere:
                os.dup2(nowhere.fileno(), sys.stdout.fileno())  # what is buffered goes somewhere at exit


class Screen(Milestones):
    """The same, with the live line."""

    def __init__(self) -> None:
        self._latest: Snapshot | None = None
        console = Console(stderr=True, markup=False, highlight=False, emoji=False)
        # Standard output is not redirected: it is for results, and may go elsewhere.
        self.live = Live(
            self, console=console, refresh_per_second=REFRESH, transient=True, redirect_stdout=False
        )

    def progress(self, snapshot: Snapshot) -> None:
        """Keep it for the next drawing."""
        self._latest = snapshot

    def __rich__(self) -> RenderableType:
        """Draw what is known last; called by the thread that refreshes."""
        return live_view(self._latest) if self._latest else Text("")

    def _print(self, renderable: RenderableType) -> None:
        """Take the line away while something is printed in its place."""
        self.live.stop()
        super()._print(renderable)
        self.live.start()


@contextmanager
def reporting() -> Iterator[Milestones]:
    """Give the report that fits where we run, and take its line away in the end."""
    if not is_terminal(sys.stderr):
        yield Milestones()
        return
    screen = Screen()
    with screen.live:
        yield screen


def live_view(snapshot: Snapshot) -> RenderableType:
    """Draw the crawl in two lines: how far it is, and how it goes."""
    counters = snapshot.counters
    done = counters.complete + counters.error
    bar = Table.grid(padding=(0, 1))
    for _ in range(3):
        bar.add_column(no_wrap=True, overflow="ellipsis")
    bar.add_row(
        Text(snapshot.state, style=STATE_STYLES.get(snapshot.state, "")),
        ProgressBar(total=max(1, counters.known), completed=done, width=30),
        Text(f"{human_count(done)} of {human_count(counters.known)} URLs"),
    )
    run = snapshot.pages_this_run
    this_run = f" ({human_count(run)} in this run)" if run != counters.pages else ""
    parts = [
        counted(counters.pages, "page") + this_run,
        human_size(counters.bytes),
        human_rate(snapshot.rates.pages),
        counted(counters.error, "error"),
    ]
    line = Text(" · ".join(parts), style="dim", overflow="ellipsis", no_wrap=True)
    if snapshot.state is not CrawlState.RUNNING and snapshot.message:
        line = Text(printable(snapshot.message), overflow="ellipsis", no_wrap=True)
    return Group(bar, line)
