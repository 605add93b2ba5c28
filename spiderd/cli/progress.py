"""A progress bar on standard error where that is a terminal; elsewhere nothing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from spiderd.cli.output import is_terminal

Tell = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is."""

INTERVAL = 0.05  # seconds between two looks of the bar: a call that is too early costs a comparison


@contextmanager
def progress_bar() -> Iterator[Tell]:
    """Show how far a long command is."""
    if not is_terminal(sys.stderr):
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(file=sys.stderr, markup=False, highlight=False, emoji=False)
    columns = (TextColumn("{task.description:<12}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)
        part, shown = "", 0.0

        def tell(description: str, done: int, total: int) -> None:
            nonlocal part, shown
            now = time.monotonic()
            if description != part:
                bar.reset(task, total=total, description=description)
                part = description
            elif now - shown < INTERVAL:
                return
            shown = now
            bar.update(task, completed=done, total=total)

        yield tell
