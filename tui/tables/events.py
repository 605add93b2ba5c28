"""Events: what happened, newest last."""

from __future__ import annotations

from spiderd.protocol import Event
from tui.columns import Cell, Column
from tui.roles import LEVEL_ROLES
from tui.text import UNKNOWN, clock

_WORDS = {"debug": "debug", "info": "info", "warning": "warn", "error": "ERROR"}


def level(row: Event, _: float) -> Cell:
    """How grave an event is."""
    return Cell(_WORDS.get(row.level, row.level), LEVEL_ROLES.get(row.level, ""))


def _thread(row: Event, _: float) -> Cell:
    return Cell(str(row.worker) if row.worker >= 0 else UNKNOWN, "faint")


def _message(row: Event, _: float) -> Cell:
    return Cell(row.message, LEVEL_ROLES.get(row.level, ""))


def _where(row: Event, _: float) -> Cell:
    """The URL; what happens to a whole host has none."""
    return Cell(row.url.removeprefix("https://") or row.host, "muted")


COLUMNS: tuple[Column[Event], ...] = (
    Column("at", "time", 8, lambda row, _: Cell(clock(row.at), "muted")),
    Column("level", "level", 5, level),
    Column("name", "event", 10, lambda row, _: Cell(row.name, "muted"), drop=3),
    Column("worker", "thread", 6, _thread, right=True, drop=1),
    Column("message", "message", 20, _message, grow=1),
    Column("url", "where", 24, _where, drop=2, grow=1),
)


RECENT: tuple[Column[Event], ...] = (
    Column("at", "time", 8, lambda row, _: Cell(clock(row.at), "muted"), drop=1),
    Column("message", "what", 14, _message, grow=1, most=48),
    Column(
        "url",
        "url",
        12,
        _where,
        grow=1,
        drop=2,
        keep="end",
    ),
)


def matches(row: Event, text: str) -> bool:
    """Whether an event holds a text, whatever the case."""
    return text in f"{row.name} {row.message} {row.url} {row.host}".casefold()
