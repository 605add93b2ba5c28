"""What the processes of the search log: lines on standard error like the daemon's own, made printable."""

from __future__ import annotations

import logging
import os

from spiderd.printable import printable

_PRIORITY = {"WARNING": 4, "ERROR": 3}  # sd-daemon(3)


class _Lines(logging.Formatter):
    def __init__(self, name: str) -> None:
        super().__init__(datefmt="%H:%M:%S")
        self._name = name

    def format(self, record: logging.LogRecord) -> str:
        """One line; a traceback follows on lines of its own."""
        line = f"{self._name}: {printable(record.getMessage())}"
        if "JOURNAL_STREAM" in os.environ:
            line = f"<{_PRIORITY.get(record.levelname, 6)}>{line}"
        else:
            line = f"{self.formatTime(record, self.datefmt)} {record.levelname.lower():7} {line}"
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def log_to_stderr(name: str) -> None:
    """Log warnings and errors of this process under a name."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Lines(name))
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
