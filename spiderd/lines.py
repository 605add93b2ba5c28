"""What a line of the log looks like: for people, for journald or for programs; the same in every process.

Under journald (JOURNAL_STREAM names the very file that standard error is) lines begin with `<N>`, a priority
of sd-daemon(3), and have no time of their own; host, worker and number of the event follow as `name=value`,
which journalctl can be searched for. As JSON a line is an object with the names of the API's events. What an
event says comes from the web: it is made printable in either form.
"""

from __future__ import annotations

import logging
import os
import time
import traceback
from collections.abc import Iterator
from typing import Literal, TextIO

import msgspec

from spiderd.config.secrets import masked
from spiderd.printable import printable
from spiderd.protocol import Event

Format = Literal["text", "json"]
Level = Literal["debug", "info", "warning", "error"]

LEVELS: tuple[Level, ...] = ("debug", "info", "warning", "error")
PRIORITY = {"debug": 7, "info": 6, "warning": 4, "error": 3}
FORMAT = "SPIDERD_LOG_FORMAT"  # variable that tells the daemon's children how to log


def written(event: Event, level: Level, form: Format, *, journal: bool) -> str:
    """Write an event as a line, its end included."""
    text = _object(event, level) if form == "json" else _text(event, level, journal=journal)
    return f"<{PRIORITY[level]}>{text}\n" if journal else f"{text}\n"


def events_of(record: logging.LogRecord, name: str) -> Iterator[Event]:
    """What Python's own logging has recorded, as events without a number; a traceback is one a line."""
    level: Level = "error" if record.levelno >= logging.ERROR else "warning"
    lines = [record.getMessage()]
    if record.exc_info and record.exc_info[0] is not None:
        lines += "".join(traceback.format_exception(*record.exc_info)).splitlines()
    for line in lines:
        yield Event(id=0, at=record.created, level=level, name=name, message=masked(line))


def is_journal(stream: TextIO) -> bool:
    """Whether journald reads a stream; the variable alone is inherited by whatever a service starts."""
    named = os.environ.get("JOURNAL_STREAM", "")
    try:
        found = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return False
    return named == f"{found.st_dev}:{found.st_ino}"


def _text(event: Event, level: Level, *, journal: bool) -> str:
    text = printable(f"{event.name}: {event.message}{' ' + event.url if event.url else ''}")
    if not journal:
        return f"{time.strftime('%H:%M:%S', time.localtime(event.at))} {level:7} {text}"
    rest = [f"host={printable(event.host)}"] if event.host else []
    rest += [f"worker={event.worker}"] if event.worker >= 0 else []
    rest += [f"seq={event.id}"] if event.id else []
    return " ".join([text, *rest])


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
