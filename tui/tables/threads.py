"""The threads: what each is doing, on which URL, for how long."""

from __future__ import annotations

from collections import Counter

from spiderd.protocol import WorkerRow
from spiderd.states import Step
from spiderd.units import human_count, human_duration
from tui.columns import Cell, Column
from tui.roles import STEP_ROLES
from tui.text import UNKNOWN

SLOW = 5.0  # seconds in one step after which it is worth a look
VERY_SLOW = 20.0


def _step(row: WorkerRow, _: float) -> Cell:
    return Cell(row.step, STEP_ROLES.get(row.step, ""))


def _since(row: WorkerRow, now: float) -> Cell:
    """How long; marked where it is long for what it is."""
    seconds = now - row.since
    if row.step is Step.IDLE:
        return Cell(human_duration(seconds), "muted")
    if seconds >= VERY_SLOW:
        return Cell(human_duration(seconds) + "!", "bad")
    if seconds >= SLOW:
        return Cell(human_duration(seconds) + "!", "warn")
    return Cell(human_duration(seconds), "")


def _url(row: WorkerRow, _: float) -> Cell:
    if not row.url:
        return Cell(UNKNOWN, "faint")
    return Cell(row.url.removeprefix("https://"))


def _errors(row: WorkerRow, _: float) -> Cell:
    return Cell(human_count(row.errors), "warn" if row.errors else "faint")


def directory_name(number: int) -> str:
    """A download directory as the screen calls it."""
    return f"{number:05}" if number >= 0 else UNKNOWN


COLUMNS: tuple[Column[WorkerRow], ...] = (
    Column("worker", "thread", 6, lambda row, _: Cell(str(row.worker), "muted"), right=True),
    Column("step", "step", 10, _step),
    Column("since", "for", 7, _since, right=True, drop=4),
    Column("url", "url", 28, _url, grow=1),
    Column("pages", "pages", 8, lambda row, _: human_count(row.pages), right=True, drop=3),
    Column("errors", "errors", 6, _errors, right=True, drop=2),
    Column(
        "directory",
        "dir",
        6,
        lambda row, _: Cell(directory_name(row.directory), "muted"),
        right=True,
        drop=1,
    ),
)


def summary(rows: list[WorkerRow], *, held_up: bool) -> str:
    """Say how many do what, in the order of the steps.

    Args:
        rows: the threads.
        held_up: whether those that are idle would have work, if only a host might be asked.
    """
    counts = Counter(row.step for row in rows)
    steps = " · ".join(f"{counts[step]} {step}" for step in (*list(Step)[1:], Step.IDLE) if counts[step])
    why = " (no host is ready)" if held_up and counts[Step.IDLE] else ""
    return f"{len(rows)} in all · {steps}{why}" if steps else ""
