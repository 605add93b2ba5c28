"""What is shown while there is no daemon: what to do about it."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Center, Middle
from textual.content import Content
from textual.widgets import Static

from tui.text import harmless


class Nobody(Middle):
    """A box in the middle of the screen."""

    def __init__(self, socket: str) -> None:
        super().__init__(id="nobody")
        self.socket = socket

    def compose(self) -> ComposeResult:
        """One box."""
        text = Content.assemble(
            f"Nothing listens on {harmless(self.socket)}\n\n",
            "start one here          ",
            ("press s\n", "bold"),
            "or in a shell           ",
            ("spiderd start URL\n", "bold"),
            "or as a user service    ",
            ("systemctl --user start spiderd\n", "bold"),
            "another data directory  ",
            ("spider-tui --data-dir DIR\n", "bold"),
            "another socket          ",
            ("spider-tui --socket PATH\n\n", "bold"),
            "This screen opens by itself as soon as a daemon answers.",
        )
        box = Static(text, id="nobody-box")
        box.border_title = "No daemon answers"
        with Center():
            yield box
