"""The box for URLs to start from: one a line, each checked while you type."""

from __future__ import annotations

from collections.abc import Iterable

from textual import on
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Button, Static, TextArea

from spiderd.protocol import Added
from tui.questions import CheckQuestion
from tui.screens.seeding import SeedBox
from tui.text import cut, harmless

CHECK_AFTER = 0.3  # seconds without a key
SHOWN = 6  # refused URLs that are listed


class AddBox(SeedBox):
    """Shows what the daemon thinks of the URLs.

    Args:
        text: URLs to begin with.
        threads: how many there are, where their number is asked for; 0 = it is not.
    """

    TITLE = "Add URLs"
    VERB = "Add"

    def __init__(self, text: str = "", *, threads: int = 0) -> None:
        asked = f"{threads}, as it is" if threads else None
        super().__init__("One URL a line; paste as many as you like.", text=text, threads=asked)
        self._pending: Timer | None = None

    def compose_verdict(self) -> Iterable[Widget]:
        """What the daemon thinks of the URLs."""
        yield Static("", id="verdict")

    def on_mount(self) -> None:
        """Nothing can be added yet, or what came along is to be checked."""
        super().on_mount()
        self._ask()

    @property
    def possible(self) -> bool:
        """Whether there is anything to add."""
        return bool(self.urls)

    @on(TextArea.Changed)
    def _changed(self) -> None:
        if self._pending is not None:
            self._pending.stop()
        self._pending = self.set_timer(CHECK_AFTER, self._ask)

    def _ask(self) -> None:
        if urls := self.urls:
            self.post_message(CheckQuestion(self, urls))
        else:
            self._show(Content("nothing entered yet"), possible=False)

    def show_check(self, urls: list[str], answer: Added) -> None:
        """Show what would become of the URLs, unless they are others by now."""
        if not self.is_attached or urls != self.urls:
            return
        parts: list[str | tuple[str, str]] = [
            (f"{answer.new} new", "$text-success"),
            f" · {answer.known} already known · ",
            (f"{answer.refused} refused", "$text-error" if answer.refused else ""),
        ]
        refused = [row for row in answer.results if row.result == "refused"]
        for row in refused[:SHOWN]:
            parts += ["\n", (cut(harmless(row.url), 40), "bold"), f" {harmless(row.reason)}"]
        if len(refused) > SHOWN:
            parts.append(f"\n… and {len(refused) - SHOWN:,} more")
        self._show(Content.assemble(*parts), possible=answer.new > 0)

    def show_problem(self, urls: list[str], problem: str) -> None:
        """Show that the URLs could not be checked; they may be added all the same."""
        if self.is_attached and urls == self.urls:
            self._show(Content(f"not checked: {harmless(problem)}"), possible=True)

    def _show(self, verdict: Content, *, possible: bool) -> None:
        self.query_one("#verdict", Static).update(verdict)
        self.query_one("#go", Button).disabled = not possible
