"""The log: one line an event on standard error, in a form of `spiderd.lines`.

A line that its reader would not take at once is left out and counted. What the program's parts and its
libraries log by Python's own means (faults of ours, for the most part) comes out in the same form.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import msgspec

from spiderd.lines import LEVELS, PRIORITY, Format, Level, events_of, is_journal, written
from spiderd.protocol import Event
from spiderd.units import counted
from spiderd.writable import cut, takes_a_line

__all__ = ["LEVELS", "PRIORITY", "QUIET", "Log", "capturing"]

QUIET = frozenset(
    {"stored", "duplicate", "redirect", "skipped", "robots"}
)  # one a page: for level debug only


class Log:
    """Writes events of a level or above."""

    def __init__(self, level: str, stream: TextIO | None = None, *, form: Format = "text") -> None:
        self._stream = stream or sys.stderr
        self._journal = is_journal(self._stream)
        self._left_out = 0  # lines, since the last that was written
        self.go_by(level, form)

    def go_by(self, level: str, form: Format = "text") -> None:
        """Write events of this level or above, in this form, from now on."""
        self._least = LEVELS.index(level)
        self._form = form

    def write(self, event: Event) -> None:
        """Write one event, if its level is wanted."""
        level: Level = "debug" if event.name in QUIET else event.level
        if LEVELS.index(level) < self._least:
            return
        if not takes_a_line(self._stream):
            self._left_out += 1
            return
        if self._left_out:
            count, self._left_out = self._left_out, 0
            told = f"{counted(count, 'line')} left out: whoever reads this log had stopped"
            self.write(msgspec.structs.replace(event, level="warning", name="log", message=told, url=""))
            self.write(event)
            return
        try:
            self._stream.write(cut(written(event, level, self._form, journal=self._journal)))
            self._stream.flush()
        except OSError:
            pass  # a closed terminal does not stop a crawl


@contextmanager
def capturing(log: Log) -> Iterator[None]:
    """Write what is logged by Python's own means, of warnings and above, to a log."""
    handler, root = _Bridge(log), logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)


class _Bridge(logging.Handler):
    """Hands records to a log as events."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record, and each line of its traceback."""
        for event in events_of(record, "internal"):
            self._log.write(event)
