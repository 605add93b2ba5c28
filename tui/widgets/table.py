"""A table that only draws the lines that can be seen, with a cursor that stays on its row.

Why not Textual's own: its columns have fixed places, and ours come and go with the width of the window; each
update invalidates every cached line, and ours come twice a second. Here a row is an object, a line is drawn
from it when it is visible, and after new rows come in only lines whose text has changed are drawn again.

Rows may be a window of a longer list: the table scrolls over all `total` rows, and asks for the part that it
does not have (`Wanted`). The cursor follows its row's key when rows change place; where the row is gone it
stays where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Generic

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tui.columns import GAP, Column, Row, layout
from tui.glyphs import UNICODE, Glyphs
from tui.ink import Ink
from tui.text import fit, harmless

Line = tuple[bool, tuple[tuple[str, str], ...]]  # under the cursor?, and text and role of each cell, fitted

MARK = 2  # cells before the first column, for the cursor


class Table(ScrollView, Generic[Row], can_focus=True):
    """Rows of one kind under fixed titles.

    Args:
        columns: in the order of the screen.
        key: what makes a row the same row after an update.
        empty: what to say where there is no row.
        sort: name of the column that the rows come sorted by, "" for their own order.
        tail: keep the newest row in view until somebody scrolls up.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("home,g", "first", show=False),
        Binding("end,G", "last", show=False),
    ]

    cursor: reactive[int] = reactive(0, repaint=False)
    """Index of the chosen row, among all rows."""

    class Wanted(Message):
        """Rows from `first` on are in view and not here."""

        def __init__(self, table: Table[Row], first: int) -> None:
            super().__init__()
            self.table = table
            self.first = first

    class Sorted(Message):
        """The title of a column was clicked."""

        def __init__(self, table: Table[Row], column: str) -> None:
            super().__init__()
            self.table = table
            self.column = column

    class Chosen(Message):
        """The row under the cursor was clicked again, or Enter was pressed on it."""

        def __init__(self, table: Table[Row]) -> None:
            super().__init__()
            self.table = table

    class Moved(Message):
        """The cursor is on another row."""

        def __init__(self, table: Table[Row]) -> None:
            super().__init__()
            self.table = table

    def __init__(
        self,
        columns: Sequence[Column[Row]],
        key: Callable[[Row], object],
        *,
        empty: str = "",
        sort: str = "",
        tail: bool = False,
        glyphs: Glyphs = UNICODE,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(id=id)
        self.columns = tuple(columns)
        self._empty = empty
        self.sort = sort
        self.descending = False
        self.tailing = self._tail = tail
        self.follow = False  # scroll after the cursor when its row moves
        self._key = key
        self._glyphs = glyphs
        self._rows: Sequence[Row] = ()
        self._first = 0  # index of _rows[0] among all rows
        self._total = 0
        self._asked = -1  # first of the rows that were asked for last
        self._now = 0.0
        self._layout: list[tuple[Column[Row], int]] = []
        self._ink: Ink | None = None
        self._drawn: dict[int, Line | None] = {}  # what stands on each line of the window

    # what it shows

    @property
    def empty(self) -> str:
        """What is said where there is no row."""
        return self._empty

    @empty.setter
    def empty(self, text: str) -> None:
        if text != self._empty:
            self._empty = text
            self._refresh_line(1)

    @property
    def total(self) -> int:
        """Rows in all, here or not."""
        return self._total

    @property
    def row(self) -> Row | None:
        """The row under the cursor, if there is one and it is here."""
        return self._at(self.cursor)

    @property
    def rows(self) -> Sequence[Row]:
        """The rows that are here."""
        return self._rows

    def show(self, rows: Sequence[Row], now: float, *, first: int = 0, total: int | None = None) -> None:
        """Show these rows; only what differs is drawn again.

        Args:
            rows: a window of the list, or all of it.
            now: the daemon's time, for columns that show ages.
            first: index of the first of them in the list.
            total: length of the list.
        """
        chosen = self.row
        anchor = self._at(self._top) if self._tail and not self.tailing else None
        self._rows, self._first, self._now, self._asked = rows, first, now, -1
        total = first + len(rows) if total is None else total
        resized, self._total = total != self._total, total
        if resized:
            self._resize()
        self._restore_cursor(chosen)
        if self.tailing:
            self.cursor = max(0, total - 1)
            self._scroll(self._total)
        elif anchor is not None:
            self._hold(anchor)
        elif self.follow:
            self._reveal()
        self._redraw_changed()
        self._ask_for_missing()

    # keys

    def action_move(self, rows: int) -> None:
        """Move the cursor."""
        self._go(self.cursor + rows)

    def action_page(self, pages: int) -> None:
        """Move the cursor by what the window holds."""
        self._go(self.cursor + pages * max(1, self._room - 1))

    def action_first(self) -> None:
        """Go to the first row."""
        self._go(0)

    def action_last(self) -> None:
        """Go to the last row; a log follows its end again."""
        self._go(self._total - 1)
        self.tailing = self._tail

    def go_to(self, key: object) -> None:
        """Put the cursor on the row of that key, if it is here."""
        self._go(self._find(key, self.cursor))

    def _go(self, index: int) -> None:
        self.tailing = False
        self.cursor = max(0, min(index, self._total - 1))
        self._reveal()
        self._redraw_changed()
        self._ask_for_missing()

    def watch_cursor(self) -> None:
        """Tell others where the cursor is."""
        self.post_message(self.Moved(self))

    # mouse

    def on_click(self, event: events.Click) -> None:
        """Choose a row, or sort by a title."""
        if event.y == 0:
            self._click_title(event.x)
            return
        index = self._top + event.y - 1
        if index < self._total:
            again = index == self.cursor
            self._go(index)
            if again:
                self.post_message(self.Chosen(self))

    def _on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self.tailing = False
        super()._on_mouse_scroll_up(event)

    def _click_title(self, x: int) -> None:
        left = MARK
        for column, width in self._layout:
            if left <= x < left + width + GAP and column.sortable:
                self.post_message(self.Sorted(self, column.name))
                return
            left += width + GAP

    # geometry

    def width_of(self, column: str) -> int:
        """Cells of a column; 0 where it is not shown."""
        return next((width for each, width in self._layout if each.name == column), 0)

    @property
    def _top(self) -> int:
        """Index of the first row in view."""
        return round(self.scroll_offset.y)

    @property
    def _room(self) -> int:
        """Rows that the window holds; the first line has the titles."""
        return max(0, self.scrollable_content_region.height - 1)

    def _at(self, index: int) -> Row | None:
        index -= self._first
        return self._rows[index] if 0 <= index < len(self._rows) else None

    def _restore_cursor(self, chosen: Row | None) -> None:
        """Put the cursor back on its row."""
        if chosen is not None:
            current = self._at(self.cursor)
            key = self._key(chosen)
            if current is None or self._key(current) != key:
                self.cursor = self._find(key, self.cursor)
        self.cursor = max(0, min(self.cursor, self._total - 1))

    def _find(self, key: object, otherwise: int) -> int:
        for index, row in enumerate(self._rows):
            if self._key(row) == key:
                return self._first + index
        return otherwise

    def _hold(self, anchor: Row) -> None:
        """Keep what is being read in place while older rows fall off the front."""
        top = self._find(self._key(anchor), self._top)
        if top != self._top:
            self._scroll(top)

    def _reveal(self) -> None:
        """Scroll so that the cursor is in view."""
        if self.cursor < self._top:
            self._scroll(self.cursor)
        elif self.cursor >= self._top + self._room > 0:
            self._scroll(self.cursor - self._room + 1)

    def _scroll(self, top: int) -> None:
        """Put a row at the top, as far as there are enough below it."""
        # Forced, since the scroll bar that would allow it only comes with the next layout.
        self.scroll_to(
            y=max(0, min(top, self._total - self._room)), animate=False, immediate=True, force=True
        )

    def _resize(self) -> None:
        width = self.scrollable_content_region.width
        self.virtual_size = Size(width, self._total + 1)

    def on_resize(self) -> None:
        """Choose the columns anew."""
        self._layout = layout(self.columns, self.scrollable_content_region.width - MARK)
        self._resize()
        self._drawn.clear()
        self.refresh()
        if self.tailing:
            self._scroll(self._total)

    def _ask_for_missing(self) -> None:
        for index in (self._top, min(self._top + self._room, self._total) - 1):
            if 0 <= index < self._total and self._at(index) is None:
                first = max(0, self._top - self._room)
                if first != self._asked:
                    self._asked = first
                    self.post_message(self.Wanted(self, first))
                return

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Ask for rows that have come into view."""
        super().watch_scroll_y(old_value, new_value)
        self._drawn.clear()
        self._ask_for_missing()

    # drawing

    def on_focus(self) -> None:
        """The cursor looks different with the focus."""
        self.refresh()

    def on_blur(self) -> None:
        """The cursor looks different without the focus."""
        self.refresh()

    def notify_style_update(self) -> None:
        """A theme has changed: all lines must be drawn anew."""
        self._drawn.clear()
        self._ink = None
        super().notify_style_update()

    @property
    def _inks(self) -> Ink:
        self._ink = self._ink or Ink(self)
        return self._ink

    def set_sort(self, column: str, *, descending: bool) -> None:
        """Show which column the rows are sorted by."""
        if (column, descending) != (self.sort, self.descending):
            self.sort, self.descending = column, descending
            self._refresh_line(0)

    def render_line(self, y: int) -> Strip:
        """Draw one line of the window."""
        width = self.scrollable_content_region.width
        if y == 0:
            return self._head(width)
        line = self._drawn[y] = self._line(y)
        ink = self._inks
        if line is None:
            text = harmless(self._empty) if y == 1 and not self._total else ""
            return Strip([Segment(fit("  " + text, width), ink("muted"))], width)
        return self._strip(line, ink, width)

    def _strip(self, line: Line, ink: Ink, width: int) -> Strip:
        cursor, cells = line
        base = ink.plain
        if cursor:
            base += ink.over("cursor" if self.has_focus else "cursor-blurred")
        mark = self._glyphs.cursor if cursor and self.has_focus else " "
        segments = [Segment(fit(mark, MARK), base)]
        gap = Segment(" " * GAP, base)
        for index, (text, role) in enumerate(cells):
            if index:
                segments.append(gap)
            # On the cursor's row faint words would be lost, and reversed ones would be coloured blocks.
            plain = cursor and (base.reverse or role in {"muted", "faint"})
            segments.append(Segment(text, base if plain else base + ink.over(role)))
        return Strip(segments).adjust_cell_length(width, base)

    def _line(self, y: int) -> Line | None:
        """Make the texts of a line; none where there is no row."""
        index = self._top + y - 1
        if index >= self._total:
            return None
        row = self._at(index)
        if row is None:
            return index == self.cursor, ((self._glyphs.dot, "faint"),)
        made = []
        for column, width in self._layout:
            cell = column.cell(row, self._now)
            text, role = (cell, "") if isinstance(cell, str) else (cell.text, cell.role)
            made.append((self._fit(harmless(text), width, column), role))
        return index == self.cursor, tuple(made)

    def _fit(self, text: str, width: int, column: Column[Row]) -> str:
        return fit(text, width, column.keep, right=column.right, ellipsis=self._glyphs.ellipsis)

    def _head(self, width: int) -> Strip:
        """Write the titles; the arrow of the order stands in the gap between two of them."""
        line = [" "] * max(0, width)
        left, cuts = MARK, [0]
        for column, cells in self._layout:
            title = self._title(column)
            start = max(0, left + cells - len(title)) if column.right else left
            stop = min(width, start + len(title))
            line[start:stop] = title[: stop - start]
            cuts.append(start)
            left += cells + GAP
        style = self._inks("head")
        pieces = zip(cuts, [*cuts[1:], width], strict=True)
        return Strip([Segment("".join(line[start:stop]), style) for start, stop in pieces], width)

    def _title(self, column: Column[Row]) -> str:
        if not column.sortable or not column.name or column.name != self.sort:
            return column.title
        arrow = self._glyphs.down if self.descending else self._glyphs.up
        return f"{arrow} {column.title}" if column.right else f"{column.title} {arrow}"

    def _redraw_changed(self) -> None:
        """Draw again what differs from what stands there."""
        for y in range(1, self._room + 1):
            if y not in self._drawn or self._drawn[y] != self._line(y):
                self._refresh_line(y)

    def _refresh_line(self, y: int) -> None:
        self.refresh(Region(0, y, self.scrollable_content_region.width, 1))
