"""What a list is of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic

from tui.columns import Column, Row


@dataclass(frozen=True, slots=True)
class Kind(Generic[Row]):
    """Columns, keys, and what can be done with a row."""

    one: str  # what a row is called
    columns: Sequence[Column[Row]]
    key: Callable[[Row], object]
    subject: Callable[[Row], str]  # what is copied and opened: a URL or a path
    details: Callable[[Row], list[tuple[str, str]]]  # all that is known, name and text
    empty: str = ""
    sort: str = ""
    descending: bool = False
