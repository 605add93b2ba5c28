"""A framed table with its filter box: what all lists of the screen have in common.

`LocalListing` has all its rows and filters and sorts them itself. `PagedListing` shows a window of a list
that the daemon filters, sorts and cuts, and posts a question for what it needs; answers come by `show_page`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic

from textual import on
from textual.app import ComposeResult
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input

from tui.columns import Row
from tui.glyphs import UNICODE, Glyphs
from tui.kind import Kind
from tui.questions import ListQuestion
from tui.widgets.filter_box import FilterBox
from tui.widgets.panel import Panel
from tui.widgets.table import Table

TYPING_PAUSE = 0.2  # seconds
PAGE = 200  # rows asked for at a time: a few screens
BUSY_AFTER = 0.3  # seconds without an answer after which it is said that there is none yet


class Listing(Panel, Generic[Row]):
    """A table in a frame, with a filter."""

    def __init__(
        self,
        title: str,
        kind: Kind[Row],
        *,
        tail: bool = False,
        glyphs: Glyphs = UNICODE,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(title, id=id)
        self.kind = kind
        self.table: Table[Row] = Table(
            kind.columns, kind.key, empty=kind.empty, sort=kind.sort, tail=tail, glyphs=glyphs
        )
        self.table.descending = kind.descending
        self.filter_box = FilterBox()
        self.can_sort = self.can_filter = True
        self.note = ""  # the view's own remark

    def compose(self) -> ComposeResult:
        """Put the filter under the table."""
        yield self.table
        yield self.filter_box

    @property
    def filter(self) -> str:
        """The text that rows must hold."""
        return self.filter_box.value.strip()

    @property
    def subject(self) -> str:
        """URL or path of the chosen row, "" where there is none."""
        row = self.table.row
        return self.kind.subject(row) if row is not None else ""

    def details(self) -> list[tuple[str, str]]:
        """All that is known of the chosen row."""
        row = self.table.row
        return self.kind.details(row) if row is not None else []

    def sort_step(self, step: int) -> None:
        """Sort by the next column to the left or right."""
        names = [column.name for column in self.kind.columns if column.sortable and column.name]
        index = names.index(self.table.sort) + step if self.table.sort in names else 0
        self.sort_by(names[index % len(names)], descending=self.table.descending)

    def invert(self) -> None:
        """Turn the order round."""
        self.sort_by(self.table.sort, descending=not self.table.descending)

    def sort_by(self, column: str, *, descending: bool) -> None:
        """Sort by a column."""
        self.table.set_sort(column, descending=descending)
        self.renew()

    def renew(self) -> None:
        """Show the rows that now are wanted, in the order that now is wanted."""
        raise NotImplementedError

    def filter_changed(self) -> None:
        """Take in what was typed."""
        self.renew()

    def say(self) -> None:
        """Write what is shown, and by which rule, on the frame."""
        total = self.table.total
        follow = "following the row" if self.table.follow else ""
        found = f"filter {self.filter}: {total:,}" if self.filter else ""
        parts = [found, follow, self.note, self._order()]
        self.remark(" · ".join(part for part in parts if part))

    def _order(self) -> str:
        column = next((column for column in self.kind.columns if column.name == self.table.sort), None)
        if column is None or not column.name or not self.can_sort:
            return ""
        first = "newest" if column.name == "at" else "largest"
        return f"by {column.title}, {first} first" if self.table.descending else f"by {column.title}"

    @on(FilterBox.Done)
    def _back_to_table(self, event: FilterBox.Done) -> None:
        event.stop()
        self.screen.set_focus(self.table)

    @on(Input.Changed)
    def _filter_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.filter_changed()

    @on(Table.Sorted)
    def _title_clicked(self, event: Table.Sorted) -> None:
        event.stop()
        if self.can_sort:
            again = event.column == self.table.sort
            self.sort_by(event.column, descending=not self.table.descending if again else False)


class LocalListing(Listing[Row]):
    """All rows are here."""

    def __init__(
        self,
        title: str,
        kind: Kind[Row],
        matches: Callable[[Row, str], bool],
        *,
        tail: bool = False,
        sortable: bool = True,
        glyphs: Glyphs = UNICODE,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(title, kind, tail=tail, glyphs=glyphs, id=id)
        self.can_sort = sortable
        self._matches = matches
        self._all: Sequence[Row] = ()
        self._now = 0.0

    def show(self, rows: Sequence[Row], now: float) -> None:
        """Show these rows."""
        self._all, self._now = rows, now
        self.renew()

    def renew(self) -> None:
        """Filter and sort."""
        rows = self._all
        if text := self.filter.casefold():
            rows = [row for row in rows if self._matches(row, text)]
        if self.can_sort and self.table.sort:
            name = self.table.sort
            rows = sorted(
                rows, key=lambda row: _comparable(getattr(row, name)), reverse=self.table.descending
            )
        self.table.show(rows, self._now)
        self.say()


def _comparable(value: object) -> tuple[float, str]:
    return (float(value), "") if isinstance(value, int | float) else (0.0, str(value))


@dataclass(frozen=True, slots=True)
class Query:
    """What a paged list asks the daemon for."""

    offset: int = 0
    limit: int = PAGE
    sort: str = ""
    descending: bool = False
    filter: str = ""
    more: tuple[tuple[str, str], ...] = ()  # what this list takes besides

    def parameters(self) -> dict[str, str | float]:
        """As the API wants them."""
        asked: dict[str, str | float] = {"limit": self.limit, "offset": self.offset}
        if self.sort:
            asked |= {"sort": self.sort, "desc": int(self.descending)}
        if self.filter:
            asked["filter"] = self.filter
        return asked | dict(self.more)


class PagedListing(Listing[Row]):
    """A window of a list that the daemon holds."""

    class Shown(Message):
        """An answer is on the screen."""

    def __init__(
        self,
        source: str,
        title: str,
        kind: Kind[Row],
        *,
        glyphs: Glyphs = UNICODE,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(title, kind, glyphs=glyphs, id=id)
        self.source = source  # name of the list in the API
        self.now = 0.0  # the daemon's time
        self.more: dict[str, str] = {}  # what the daemon is asked besides order and filter
        self.query_now = Query(sort=kind.sort, descending=kind.descending)
        self.table.empty = ""  # nothing is known before the first answer
        self._typing: Timer | None = None
        self._answered: Query | None = None  # what was last answered

    def renew(self) -> None:
        """Ask from the start: the order or the filter is another one."""
        self.query_now = Query(
            sort=self.table.sort,
            descending=self.table.descending,
            filter=self.filter,
            more=tuple(self.more.items()),
        )
        self.table.action_first()
        self.ask()

    def ask(self) -> None:
        """Ask (again) for the rows that are in view."""
        self.post_message(ListQuestion(self, self.query_now))
        if self._answered != self.query_now:
            self.set_timer(BUSY_AFTER, self._say_busy)

    def show_problem(self, query: Query, problem: str) -> None:
        """Say why there is no answer, unless something else is wanted by now."""
        if query == self.query_now:
            self._answered = query
            self.remark(problem)

    def _say_busy(self) -> None:
        if self._answered != self.query_now:
            self.table.empty = "the daemon is being asked"
            self.remark("the daemon is being asked")

    def show_page(self, query: Query, rows: Sequence[Row], total: int) -> None:
        """Show an answer, unless something else is wanted by now."""
        if query != self.query_now:
            return
        self._answered = query
        self.table.empty = self.kind.empty if not query.filter else "no row holds that text"
        self.table.show(rows, self.now, first=query.offset, total=total)
        self.note = f"{total:,} in all" if not self.filter else ""
        self.say()
        self.post_message(self.Shown())

    def filter_changed(self) -> None:
        """Wait for a pause in the typing."""
        if self._typing is not None:
            self._typing.stop()
        self._typing = self.set_timer(TYPING_PAUSE, self.renew)

    @on(Table.Wanted)
    def _rows_wanted(self, event: Table.Wanted) -> None:
        event.stop()
        if event.first != self.query_now.offset:
            self.query_now = replace(self.query_now, offset=event.first)
            self.ask()
