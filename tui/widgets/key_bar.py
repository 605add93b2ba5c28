"""The bottom line: the keys that matter now; each can be clicked, what cannot be done is dim."""

from __future__ import annotations

from textual.geometry import Size

from tui import keys
from tui.parts import Part, pack
from tui.widgets.painted import Lines, Painted


class KeyBar(Painted):
    """Keys of the table `keys.KEYS` that have a place in the bar."""

    situation = keys.Situation()

    def show(self, situation: keys.Situation) -> None:
        """Show which keys work as things stand."""
        self.situation = situation
        self.redraw()

    def paint(self, size: Size) -> Lines:
        """Paint the keys, the most important first."""
        chosen = {key.command: key for key in sorted(keys.KEYS, key=lambda key: key.bar) if key.bar}
        whole = [
            Part(
                f"{self._shown(key)} {self._label(key)}",
                drop=0 if key.bar == 1 else 100 - key.bar,
                command=name,
            )
            for name, key in chosen.items()
        ]
        line = [Part("", gap=0)]
        for part in pack(whole, size.width - 2, ellipsis=self.glyphs.ellipsis):
            line += self._pair(chosen[part.command], first=len(line) == 1)
        return [line]

    def _pair(self, key: keys.Key, *, first: bool) -> list[Part]:
        dim = bool(keys.unavailable(key, self.situation))
        return [
            Part(self._shown(key), "faint" if dim else "key", gap=1 if first else 2, command=key.command),
            Part(self._label(key), "faint" if dim else "muted", gap=1, command=key.command),
        ]

    def _shown(self, key: keys.Key) -> str:
        return key.shown.split()[0]

    def _label(self, key: keys.Key) -> str:
        return keys.label(key, self.situation)
