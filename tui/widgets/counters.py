"""The figures: what is in each of the four queues, what was stored, and how fast."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from textual.geometry import Size

from spiderd.protocol import Snapshot
from spiderd.units import human_count, human_rate, human_size
from tui.model import Picture
from tui.parts import Part, pack
from tui.text import UNKNOWN
from tui.widgets.painted import Lines, Painted


@dataclass(frozen=True, slots=True)
class Figure:
    """One number and what it counts."""

    label: str
    value: str
    role: str = "strong"
    drop: int = 0


class Counters(Painted):
    """Two lines, labels over numbers; one line where there is little room."""

    snapshot: Snapshot | None = None

    def show(self, picture: Picture) -> None:
        """Show the figures."""
        self.snapshot = picture.snapshot
        self.set_class(picture.old, "-old")
        self.redraw()

    def paint(self, size: Size) -> Lines:
        """Paint the figures."""
        made = figures(self.snapshot)
        return _tiles(made, size.width) if size.height > 1 else _line(made, size.width, self.glyphs.ellipsis)


def figures(snapshot: Snapshot | None) -> list[Figure]:
    """Say what is counted; a dash where nothing is known."""
    if snapshot is None:
        names = ("known", "waiting", "processing", "complete", "error", "pages", "size", "rate")
        return [Figure(name, UNKNOWN, "muted", drop=index) for index, name in enumerate(names)]
    counters, rates = snapshot.counters, snapshot.rates
    return [
        Figure("known", human_count(counters.known), drop=5),
        Figure("waiting", human_count(counters.waiting)),
        Figure("processing", human_count(counters.processing), drop=4),
        Figure("complete", human_count(counters.complete), "good", drop=7),
        Figure("error", human_count(counters.error), "bad" if counters.error else "strong", drop=8),
        Figure("pages", human_count(counters.pages), drop=9),
        Figure("duplicates", human_count(counters.duplicates), drop=1),
        Figure("hosts", human_count(counters.hosts), drop=2),
        Figure("size", human_size(counters.bytes), drop=6),
        *_due(snapshot),
        Figure("rate", human_rate(rates.pages), "accent", drop=10),
    ]


def _due(snapshot: Snapshot) -> list[Figure]:
    """Pages that are to be visited again, where any are."""
    again = snapshot.revisits
    if again is None or not (again.on or again.due):
        return []
    due = Figure("due", human_count(again.due), "accent" if again.due else "strong", drop=3)
    overdue = [Figure("overdue", human_count(again.overdue), "warn", drop=3)] if again.overdue else []
    return [due, *overdue]


def _tiles(made: list[Figure], width: int) -> Lines:
    """Labels over numbers, in columns of even distance."""
    cells = {figure.label: max(cell_len(figure.label), cell_len(figure.value)) for figure in made}
    kept = pack(
        [Part(" " * cells[figure.label], figure.label, figure.drop, gap=3) for figure in made], width - 2
    )
    by_label = {figure.label: figure for figure in made}
    shown = [by_label[part.role] for part in kept]
    used = sum(cells[figure.label] for figure in shown)
    gap = max(3, min(8, (width - 2 - used) // max(1, len(shown) - 1))) if len(shown) > 1 else 3
    labels = [Part(figure.label.ljust(cells[figure.label]), "muted", gap=gap) for figure in shown]
    values = [Part(figure.value.ljust(cells[figure.label]), figure.role, gap=gap) for figure in shown]
    return [[Part(" ", gap=0), *_first(labels)], [Part(" ", gap=0), *_first(values)]]


def _first(parts: list[Part]) -> list[Part]:
    return [Part(parts[0].text, parts[0].role, gap=0), *parts[1:]] if parts else []


def _line(made: list[Figure], width: int, ellipsis: str) -> Lines:
    """Label and number side by side."""
    pairs = [Part(f"{figure.label} {figure.value}", figure.role, figure.drop) for figure in made]
    return [[Part(" ", gap=0), *_first(pack(pairs, width - 2, ellipsis=ellipsis))]]
