"""The top line: how things are, and who is asked."""

from __future__ import annotations

from textual.geometry import Size

from spiderd.units import human_duration
from tui.headline import headline
from tui.model import Picture
from tui.parts import Part, length, spread
from tui.text import harmless
from tui.widgets.painted import Lines, Painted


class Header(Painted):
    """State badge, sentence, and the daemon's particulars."""

    picture: Picture | None = None

    def show(self, picture: Picture) -> None:
        """Show how things are."""
        self.picture = picture
        self.set_class(picture.old, "-old")
        self.redraw()

    def paint(self, size: Size) -> Lines:
        """Paint the line."""
        if self.picture is None:
            return []
        picture = self.picture
        said = headline(
            picture.snapshot,
            picture.connection,
            picture.socket,
            picture.now,
            self.glyphs,
            frozen=picture.frozen,
        )
        left = [
            Part(f" {said.symbol} {said.word}", f"badge-{said.role}" if said.role else ""),
            Part(harmless(said.note), "strong" if said.role == "bad" else ""),
        ]
        right = [*self._particulars(picture), Part(said.news, said.news_role), Part("", gap=1)]
        if picture.read_only or picture.rights == "read":
            right.insert(0, Part("read-only" if picture.read_only else "you may only read", "warn", drop=7))
        kept, rest = spread(left, right, size.width - 1, ellipsis=self.glyphs.ellipsis)
        return [_justify(kept, rest, size.width - 1)]

    def _particulars(self, picture: Picture) -> list[Part]:
        snapshot = picture.snapshot
        if snapshot is None or not picture.connection.connected:
            return []
        hello = snapshot.hello
        return [
            Part(harmless(hello.data_dir), "muted", drop=2),
            Part(f"spiderd {harmless(hello.version)}", "muted", drop=4),
            Part(f"pid {hello.pid}", "muted", drop=3),
            Part(f"up {human_duration(snapshot.now - hello.started)}", "muted", drop=5),
        ]


def _justify(left: list[Part], right: list[Part], width: int) -> list[Part]:
    """Put what is on the right at the right edge."""
    if not right:
        return left
    space = width - length(left) - length(right)
    head = Part(right[0].text, right[0].role, gap=max(2, space), command=right[0].command)
    return [*left, head, *right[1:]]
