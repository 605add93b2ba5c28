"""How far it is, honestly: the known URLs by queue. What will be found is not known: no finish line."""

from __future__ import annotations

from textual.geometry import Size

from spiderd.protocol import Counters, Snapshot
from spiderd.units import human_count
from tui.bars import bar, shares
from tui.model import Picture
from tui.parts import Part, pack
from tui.text import harmless, percent
from tui.widgets.painted import Lines, Painted


class Progress(Painted):
    """One bar of the four queues, what they hold, the answers, and the limit if there is one."""

    snapshot: Snapshot | None = None

    def show(self, picture: Picture) -> None:
        """Show how far it is."""
        self.snapshot = picture.snapshot
        self.set_class(picture.old, "-old")
        self.redraw()

    def paint(self, size: Size) -> Lines:
        """Paint the bar and its legend."""
        if self.snapshot is None:
            return [[Part("no figures yet", "muted")]]
        counters, width = self.snapshot.counters, size.width
        if not counters.known:
            return [
                [
                    Part("nothing to crawl yet:", "muted"),
                    Part("a", "key", gap=1),
                    Part("adds a URL", "muted", gap=1),
                ]
            ]
        if size.height < 3:
            return [[*self._bar(counters, max(4, width - 26)), Part(self._done(counters), "muted")]]
        return [
            self._bar(counters, width),
            *self._legend(counters),
            self._answers(counters, width),
            self._limit(self.snapshot.max_pages, counters.pages, width),
        ]

    def _done(self, counters: Counters) -> str:
        done = counters.complete + counters.error
        return f"{percent(done, counters.known)} of {human_count(counters.known)}"

    def _bar(self, counters: Counters, width: int) -> list[Part]:
        """The whole is what is known; it grows while the crawl finds more."""
        parts = [counters.complete, counters.error, counters.processing, counters.waiting]
        cells = shares(parts, width)
        roles, full = ("good", "bad", "accent", "line"), self.glyphs.bar_full
        signs = (full, self.glyphs.bar_half if full == "=" else full, full, self.glyphs.bar_empty)
        return [
            Part(sign * count, role, gap=0)
            for sign, count, role in zip(signs, cells, roles, strict=True)
            if count
        ]

    def _legend(self, counters: Counters) -> Lines:
        known = counters.known
        lines: Lines = []
        for name, value, role in (
            ("complete", counters.complete, "good"),
            ("error", counters.error, "bad" if counters.error else "muted"),
            ("processing", counters.processing, "accent"),
            ("waiting", counters.waiting, "muted"),
        ):
            count, share = human_count(value), percent(value, known)
            lines.append(
                [Part(name.ljust(11), role), Part(count.rjust(12), "strong"), Part(share.rjust(8), "muted")]
            )
        return lines

    def _answers(self, counters: Counters, width: int) -> list[Part]:
        """The most frequent HTTP statuses."""
        total = sum(counters.statuses.values())
        often = sorted(counters.statuses.items(), key=lambda item: -item[1])[:4]
        parts = [Part("answers".ljust(11), "muted")]
        for index, (status, count) in enumerate(often):
            role = "bad" if status >= "5" else "warn" if status >= "4" else ""
            parts.append(
                Part(f"{harmless(status)} {percent(count, total)}", role, drop=4 - index if index else 0)
            )
        return pack(parts, width, ellipsis=self.glyphs.ellipsis)

    def _limit(self, limit: int, pages: int, width: int) -> list[Part]:
        if not limit:
            return [Part("limit".ljust(11), "muted"), Part("none", "muted")]
        full, empty = bar(pages / limit, max(4, width - 40), self.glyphs)
        return [
            Part("limit".ljust(11), "muted"),
            Part(full, "accent"),
            Part(empty, "line", gap=0),
            Part(f"{percent(pages, limit)} of {human_count(limit)} pages", "muted"),
        ]
