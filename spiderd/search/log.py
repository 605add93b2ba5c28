"""What the processes of the search log: lines on standard error like the daemon's own."""

from __future__ import annotations

import logging
import os
import sys

from spiderd.lines import FORMAT, Format, events_of, is_journal, written


class _Lines(logging.Formatter):
    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self._journal = is_journal(sys.stderr)
        self._form: Format = "json" if os.environ.get(FORMAT) == "json" else "text"

    def format(self, record: logging.LogRecord) -> str:
        """A line; those of a traceback follow it."""
        lines = [
            written(event, event.level, self._form, journal=self._journal)
            for event in events_of(record, self._name)
        ]
        return "".join(lines).rstrip("\n")


def log_to_stderr(name: str) -> None:
    """Log warnings and errors of this process under a name."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Lines(name))
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
