"""Pages a second over the last minutes, from a baseline of zero."""

from __future__ import annotations

from textual.geometry import Size

from spiderd.protocol import Rates, Snapshot
from spiderd.units import human_rate, human_size
from tui import graph
from tui.model import Picture
from tui.parts import Part
from tui.text import short_number
from tui.widgets.painted import Lines, Painted

SPANS = (60, 120, 300, 600)  # seconds; the axis has the shortest that holds what there is
AXIS = 6  # cells for the numbers at the left, and the axis


class Throughput(Painted):
    """The graph with its axes; a single line where there is little room."""

    snapshot: Snapshot | None = None

    def show(self, picture: Picture) -> None:
        """Show how fast it went."""
        self.snapshot = picture.snapshot
        self.set_class(picture.old, "-old")
        self.redraw()

    def paint(self, size: Size) -> Lines:
        """Paint the graph."""
        rates = self.snapshot.rates if self.snapshot else Rates()
        width, height = size
        if height < 3:
            return self._spark(rates, width)
        values = graph.resample(rates.history, max(1, width - AXIS), _span(rates))
        top = graph.round_up(max((value for value in values if value), default=0.0))
        rows = graph.draw(values, height - 2, top, self.glyphs.blocks)
        labels = {0: top, height - 3: 0.0}
        if (height - 3) % 2 == 0 and height > 4:
            labels[(height - 3) // 2] = top / 2
        lines = [
            [
                Part(f"{self._label(labels, row)} {self.glyphs.axis}", "muted"),
                Part(text, "graph", gap=0),
            ]
            for row, text in enumerate(rows)
        ]
        return [*lines, self._time_axis(width, _span(rates)), self._caption(rates)]

    def _label(self, labels: dict[int, float], row: int) -> str:
        if row not in labels:
            return " " * (AXIS - 2)
        value = labels[row]
        return (f"{value:g}" if value < 10 else short_number(value)).rjust(AXIS - 2)

    def _time_axis(self, width: int, span: int) -> list[Part]:
        left, right = f"{span // 60} min ago", "now"
        space = max(1, width - AXIS - len(left) - len(right))
        return [Part(" " * AXIS + left + " " * space + right, "faint")]

    def _caption(self, rates: Rates) -> list[Part]:
        if not rates.history:
            return [Part(" " * AXIS + "no pages yet", "muted")]
        peak = max(rates.history)
        return [
            Part(" " * AXIS + f"{human_rate(rates.pages)} pages", "strong", gap=0),
            Part(f"peak {human_rate(peak)}", "muted"),
            Part(f"{human_size(rates.bytes)}/s", "muted"),
        ]

    def _spark(self, rates: Rates, width: int) -> Lines:
        caption = f"{human_rate(rates.pages)}, peak {human_rate(max(rates.history, default=0.0))}"
        values = graph.resample(rates.history, max(1, width - len(caption) - 3), _span(rates))
        top = max((value for value in values if value), default=1.0)
        return [
            [Part(graph.draw(values, 1, top, self.glyphs.blocks)[0], "graph", gap=0), Part(caption, "muted")]
        ]


def _span(rates: Rates) -> int:
    return next((span for span in SPANS if span >= len(rates.history)), SPANS[-1])
