"""The log: one line an event on standard error, as journald likes it or with a time for people.

Under journald (JOURNAL_STREAM names the very file that standard error is) lines begin with `<N>`, a priority
of sd-daemon(3), and have no time of their own. What an event says comes from the web: it is made printable.
"""

from __future__ import annotations

import os
import sys
import time
from typing import TextIO

from spiderd.printable import printable

LEVELS = ("debug", "info", "warning", "error")
PRIORITY = {"debug": 7, "info": 6, "warning": 4, "error": 3}
QUIET = frozenset(
    {"stored", "duplicate", "redirect", "skipped", "robots"}
)  # one a page: for level debug only


class Log:
    """Writes events of a level or above."""

    def __init__(self, level: str, stream: TextIO | None = None) -> None:
        self.least(level)
        self._stream = stream or sys.stderr
        self._journal = _is_journal(self._stream)

    def least(self, level: str) -> None:
        """Write events of this level or above from now on."""
        self._least = LEVELS.index(level)

    def write(self, level: str, name: str, message: str, url: str) -> None:
        """Write one event, if its level is wanted."""
        if name in QUIET:
            level = "debug"
        if LEVELS.index(level) < self._least:
            return
        text = printable(f"{name}: {message}{' ' + url if url else ''}")
        if self._journal:
            line = f"<{PRIORITY[level]}>{text}\n"
        else:
            line = f"{time.strftime('%H:%M:%S')} {level:7} {text}\n"
        try:
            self._stream.write(line)
            self._stream.flush()
        except OSError:
            pass  # a closed terminal does not stop a crawl


def _is_journal(stream: TextIO) -> bool:
    named = os.environ.get("JOURNAL_STREAM", "")
    try:
        found = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return False
    return named == f"{found.st_dev}:{found.st_ino}"
