"""Events written over as many lines as they need: the log with nothing cut off.

A line is a row of the table, so that only the lines in view are drawn, as everywhere. What was folded once is
kept until the width changes or the event is gone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spiderd.protocol import Event
from tui.columns import Cell, Column
from tui.roles import LEVEL_ROLES
from tui.tables import events
from tui.text import clock, fold, harmless

TEXT = "text"  # name of the column that is folded
MOST_LINES = 40  # of one event
LONGEST = 8192  # characters of it


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an event."""

    event: Event
    number: int  # from 0
    text: str


class Folding:
    """Folds events to the width of a column."""

    def __init__(self) -> None:
        self._width = 0
        self._folded: dict[tuple[float, int], list[Line]] = {}

    def lines(self, rows: Sequence[Event], width: int) -> list[Line]:
        """The lines of these events."""
        if width != self._width:
            self._width = width
            self._folded.clear()
        known = self._folded
        self._folded = {(row.at, row.id): known.get((row.at, row.id)) or _fold(row, width) for row in rows}
        return [line for folded in self._folded.values() for line in folded]


def _fold(row: Event, width: int) -> list[Line]:
    where = row.url or row.host
    text = harmless(f"{row.message}  {where}"[:LONGEST]).strip()
    folded = fold(text, max(8, width))[:MOST_LINES]
    return [Line(row, number, line) for number, line in enumerate(folded)]


def _clock(row: Line, _: float) -> Cell:
    return Cell(clock(row.event.at) if not row.number else "", "muted")


def _level(row: Line, now: float) -> Cell | str:
    return events.level(row.event, now) if not row.number else ""


COLUMNS: tuple[Column[Line], ...] = (
    Column("at", "time", 8, _clock, drop=1),
    Column("level", "level", 5, _level, drop=2),
    Column(
        TEXT,
        "what happened, and where",
        20,
        lambda row, _: Cell(row.text, LEVEL_ROLES.get(row.event.level, "")),
        grow=1,
    ),
)


def matches(row: Line, text: str) -> bool:
    """Whether the event of a line holds a text, whatever the case."""
    return events.matches(row.event, text)
