"""The hosts: how each is treated, and why."""

from __future__ import annotations

from spiderd.protocol import HostRow
from spiderd.units import human_count, human_duration
from tui.columns import Cell, Column
from tui.text import UNKNOWN

ROLES = {
    "ready": "",
    "delayed": "muted",
    "fetching": "good",
    "robots": "accent",
    "backoff": "warn",
    "parked": "warn",
    "unreachable": "bad",
    "done": "faint",
}


def _next(row: HostRow, now: float) -> Cell:
    """When the host may be asked again."""
    if row.state in {"done", "parked", "fetching", "unreachable"}:
        return Cell(UNKNOWN, "faint")
    left = row.next_allowed - now
    return Cell(human_duration(left), "") if row.next_allowed > 0 and left > 0 else Cell("now", "muted")


def _robots(row: HostRow, _: float) -> Cell:
    return Cell(row.robots or UNKNOWN, {"denied": "warn", "unreachable": "warn"}.get(row.robots, "muted"))


def _status(row: HostRow, _: float) -> Cell:
    if not row.last_status:
        return Cell(UNKNOWN, "faint")
    role = "bad" if row.last_status >= 500 else "warn" if row.last_status >= 400 else "muted"
    return Cell(str(row.last_status), role)


def _errors(row: HostRow, _: float) -> Cell:
    return Cell(human_count(row.error), "warn" if row.error else "faint")


COLUMNS: tuple[Column[HostRow], ...] = (
    Column("host", "host", 16, lambda row, _: row.name or row.host, grow=3, keep="end", most=60),
    Column("state", "state", 11, lambda row, _: Cell(row.state, ROLES.get(row.state, ""))),
    Column("waiting", "waiting", 8, lambda row, _: human_count(row.waiting), right=True),
    Column("processing", "busy", 6, lambda row, _: human_count(row.processing), right=True, drop=2),
    Column("complete", "complete", 8, lambda row, _: human_count(row.complete), right=True, drop=8),
    Column("error", "errors", 6, _errors, right=True, drop=7),
    Column("next_allowed", "next", 6, _next, right=True, drop=6),
    Column("delay", "delay", 6, lambda row, _: Cell(human_duration(row.delay), "muted"), right=True, drop=4),
    Column("robots", "robots", 11, _robots, drop=5),
    Column("last_status", "last", 5, _status, right=True, drop=3),
    Column("reason", "why", 24, lambda row, _: Cell(row.reason, "muted"), drop=1, grow=2),
)
