"""Durations and sizes: as they are written in the configuration, and as people read them in tables.

The written form is exact: `parse_duration(format_duration(x)) == x` for every finite x >= 0, so for sizes.
The human form is rounded and is never read back. A leaf module (standard library only).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal

DURATIONS: Mapping[str, Decimal] = {
    "d": Decimal(86400),
    "h": Decimal(3600),
    "m": Decimal(60),
    "s": Decimal(1),
    "ms": Decimal("0.001"),
}
"""Unit -> seconds, largest first."""

SIZES: Mapping[str, int] = {"TiB": 2**40, "GiB": 2**30, "MiB": 2**20, "KiB": 2**10, "B": 1}
"""Unit -> bytes, largest first."""

_WRITTEN = re.compile(r"(\d+(?:\.\d+)?) ?([A-Za-z]*)", re.ASCII)
_LONGEST = 400  # characters of a number; a float has no more digits, and Decimal's cost grows with them


def parse_duration(text: str) -> float:
    """Read "500ms", "30s", "1.5h", "30d" or "0" as seconds.

    Raises:
        ValueError: it is none of these; the rest of the sentence is the message.
    """
    number, unit = _split(text, list(DURATIONS)[::-1], example="30s")
    return float(number * DURATIONS[unit])


def parse_size(text: str) -> int:
    """Read "10MiB", "1.5KiB", "50B" or "0" as bytes.

    Raises:
        ValueError: it is none of these, or no whole number of bytes; the rest of the sentence is the message.
    """
    number, unit = _split(text, list(SIZES)[::-1], example="10MiB")
    octets = number * SIZES[unit]
    if octets != int(octets):
        raise ValueError("is not a whole number of bytes")
    return int(octets)


def format_duration(seconds: float) -> str:
    """Write seconds exactly, in the largest unit that has no fraction: 86400 -> "1d", 0.5 -> "500ms"."""
    exact = Decimal(repr(float(seconds)))
    for unit, length in DURATIONS.items():
        count = exact / length
        if exact and count == int(count) and float(int(count) * length) == seconds:
            return f"{int(count)}{unit}"
    return f"{exact:f}s" if exact else "0s"


def format_size(octets: int) -> str:
    """Write bytes exactly, in the largest unit that has no fraction: 65536 -> "64KiB"."""
    for unit, length in SIZES.items():
        if octets and octets % length == 0:
            return f"{octets // length}{unit}"
    return "0B"


def human_count(value: float) -> str:
    """Write a number for people: 1234567 -> "1,234,567"."""
    return f"{value:,.0f}"


def counted(count: int, one: str, many: str = "") -> str:
    """Write a count with its noun: "1 page", "2,000 pages"."""
    return f"{human_count(count)} {one if count == 1 else many or f'{one}s'}"


def clock_time(at: float, now: float) -> str:
    """Write a unix time as clocks here show it: "14:05", on another day "14:05 on 2 December"."""
    then, today = datetime.fromtimestamp(at), datetime.fromtimestamp(now)  # noqa: DTZ006  # local time is meant
    day = "" if then.date() == today.date() else f" on {then.day} {then:%B}"
    return f"{then:%H:%M}{day}"


def human_size(octets: float) -> str:
    """Write bytes for people, with three significant digits: 1536 -> "1.50 KiB"."""
    value, unit = float(octets), "B"
    for unit in list(SIZES)[::-1]:
        if value < 999.5 or unit == "TiB":
            break
        value /= 1024
    if unit == "B":
        return f"{value:.0f} B"
    digits = 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{value:.{digits}f} {unit}"


def human_rate(per_second: float) -> str:
    """Write a rate for people: 11.04 -> "11.0/s"."""
    return f"{per_second:.1f}/s" if per_second < 99.95 else f"{per_second:,.0f}/s"


def human_duration(seconds: float) -> str:
    """Write a time span for people, in its one or two largest units: "0.4s", "12s", "3m 05s", "3d 04h"."""
    seconds = max(0.0, seconds)
    if seconds < 9.95:
        return f"{seconds:.1f}s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02}s"
    if whole < 86400:
        return f"{whole // 3600}h {whole % 3600 // 60:02}m"
    return f"{whole // 86400}d {whole % 86400 // 3600:02}h"


def _split(text: str, units: list[str], *, example: str) -> tuple[Decimal, str]:
    match = _WRITTEN.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        raise ValueError(f'is not a number with a unit such as "{example}"')
    number, unit = Decimal(match[1]), match[2]
    if not unit and number == 0:
        return number, units[0]
    if unit not in units:
        wrong = f'has the unknown unit "{unit[:10]}"' if unit else "has no unit"
        raise ValueError(f"{wrong}; units are {', '.join(units)}")
    return number, unit


def human_cell(cell: str | float, form: str) -> str:
    """Write a cell of a report for people; a status of 0 is none.

    Args:
        cell: text as it is, or a number.
        form: what the number is: status, size, seconds, share, or a count.
    """
    if isinstance(cell, str):
        return cell
    match form:
        case "status":
            return str(int(cell)) if cell else ""
        case "size":
            return human_size(cell)
        case "seconds":
            return f"{cell:.2f} s"
        case "share":
            return f"{100 * cell:.1f}%"
        case _:
            return human_count(cell)
