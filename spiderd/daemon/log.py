"""The log: one line an event on standard error, for people, for journald or for programs.

Under journald (JOURNAL_STREAM names the very file that standard error is) lines begin with `<N>`, a priority
of sd-daemon(3), and have no time of their own; host, worker and number of the event follow as `name=value`,
which journalctl can be searched for. `log.format = "json"` writes an object a line instead, with the same
names as the API's events. A line that its reader would not take at once is left out and counted. What an
event says comes from the web: it is made printable in either form.

What the program's parts and its libraries log by Python's own means (faults of ours, for the most part) comes
out in the same form, tracebacks line by line.
"""

from __future__ import annotations

import logging
import os
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, TextIO

import msgspec

from spiderd.config.secrets import masked
from spiderd.printable import printable
from spiderd.protocol import Event
from spiderd.units import counted
from spiderd.writable import cut, takes_a_line

Format = Literal["text", "json"]
Level = Literal["debug", "info", "warning", "error"]

LEVELS: tuple[Level, ...] = ("debug", "info", "warning", "error")
PRIORITY = {"debug": 7, "info": 6, "warning": 4, "error": 3}
QUIET = frozenset(
    {"stored", "duplicate", "redirect", "skipped", "robots"}
)  # one a page: for level debug only


class Log:
    """Writes events of a level or above."""

    def __init__(self, level: str, stream: TextIO | None = None, *, form: Format = "text") -> None:
        self._stream = stream or sys.stderr
        self._journal = _is_journal(self._stream)
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
        text = _object(event, level) if self._form == "json" else self._line(event, level)
        try:
            self._stream.write(cut(f"<{PRIORITY[level]}>{text}\n" if self._journal else f"{text}\n"))
            self._stream.flush()
        except OSError:
            pass  # a closed terminal does not stop a crawl

    def _line(self, event: Event, level: Level) -> str:
        text = printable(f"{event.name}: {event.message}{' ' + event.url if event.url else ''}")
        if not self._journal:
            return f"{time.strftime('%H:%M:%S', time.localtime(event.at))} {level:7} {text}"
        rest = [f"host={printable(event.host)}"] if event.host else []
        rest += [f"worker={event.worker}"] if event.worker >= 0 else []
        return " ".join([text, *rest, f"seq={event.id}"])


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
    """Hands records to a log as events; they have no number, since no client sees them."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record, and each line of its traceback."""
        level: Level = "error" if record.levelno >= logging.ERROR else "warning"
        lines = [record.getMessage()]
        if record.exc_info and record.exc_info[0] is not None:
            lines += "".join(traceback.format_exception(*record.exc_info)).splitlines()
        for line in lines:
            self._log.write(
                Event(id=0, at=record.created, level=level, name="internal", message=masked(line))
            )


def _object(event: Event, level: Level) -> str:
    fields = {
        "at": round(event.at, 3),
        "level": level,
        "name": event.name,
        "message": printable(event.message),
        "url": printable(event.url),
        "host": printable(event.host),
        "worker": event.worker,
        "seq": event.id,
    }
    return msgspec.json.encode(fields).decode()


def _is_journal(stream: TextIO) -> bool:
    named = os.environ.get("JOURNAL_STREAM", "")
    try:
        found = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return False
    return named == f"{found.st_dev}:{found.st_ino}"
