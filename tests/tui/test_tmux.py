"""From end to end: the commands as people type them, in a real terminal (tmux), on a real daemon."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.daemons import ROOT, daemon, site

PATIENCE = 30.0  # seconds
QUICKLY = ("--delay", "50ms")

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


class Terminal:
    """A tmux server of its own, with one window."""

    def __init__(self, folder: Path) -> None:
        self._socket = folder / "tmux"
        self._environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "PYTHONPATH": str(ROOT),
        }

    def run(self, command: str, *, columns: int = 120, lines: int = 40) -> None:
        size = ("-x", str(columns), "-y", str(lines))
        # When the command ends its exit status stays on the screen.
        shell = f"{command}; echo status $?; exec sleep 600"
        self._tmux("-f", "/dev/null", "new-session", "-d", *size, shell)
        self._tmux("set-option", "-g", "set-clipboard", "on")

    def press(self, *keys: str) -> None:
        self._tmux("send-keys", *keys)

    def type(self, text: str) -> None:
        self._tmux("send-keys", "-l", text)

    def resize(self, columns: int, lines: int) -> None:
        self._tmux("resize-window", "-x", str(columns), "-y", str(lines))

    def screen(self) -> str:
        return self._tmux("capture-pane", "-p")

    def wait_for(self, *texts: str) -> str:
        end = time.monotonic() + PATIENCE
        while True:
            shown = self.screen()
            if all(text in shown for text in texts):
                return shown
            assert time.monotonic() < end, f"{texts} never came:\n{shown}"
            time.sleep(0.05)

    def clipboard(self) -> str:
        return self._tmux("show-buffer")

    def close(self) -> None:
        subprocess.run(["tmux", "-S", self._socket, "kill-server"], check=False, capture_output=True)

    def _tmux(self, *arguments: str) -> str:
        command = ["tmux", "-S", str(self._socket), *arguments]
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=self._environment)
        return done.stdout


@pytest.fixture
def folder() -> Iterator[Path]:
    # An indexer may still be on its way out when its killed daemon is gone.
    with tempfile.TemporaryDirectory(prefix="spiderd-", ignore_cleanup_errors=True) as name:
        yield Path(name)


@pytest.fixture
def terminal(folder) -> Iterator[Terminal]:
    terminal = Terminal(folder)
    try:
        yield terminal
    finally:
        terminal.close()


def spider_tui(data_dir: Path, *options: str) -> str:
    code = "from tui.main import main; main()"
    return " ".join([sys.executable, "-c", f"'{code}'", "--data-dir", str(data_dir), *options])


def test_start_attach_pause_search_and_quit(folder, terminal):
    data_dir = folder / "data"
    data_dir.mkdir()
    with (
        site(0, endless=True) as pages,
        daemon(data_dir, pages.url("/"), options=("--delay", "50ms")) as running,
    ):
        terminal.run(spider_tui(data_dir))
        shown = terminal.wait_for("● RUNNING", "live", "Threads", "Throughput", "q Quit")
        assert "Workers" not in shown
        assert len(shown.splitlines()) == 40
        terminal.press("5")
        terminal.wait_for("following", "stored")
        terminal.press("f")
        terminal.wait_for("text that the row holds")
        terminal.type("stored")
        terminal.press("Enter")
        terminal.wait_for("filter stored")
        terminal.press("y")
        terminal.wait_for("copied http://127.0.0.")
        assert terminal.clipboard().startswith("http://127.0.0.")
        terminal.press("1")
        terminal.wait_for("Throughput")
        terminal.press("p")
        terminal.wait_for("‖ PAUSED", "p Resume")
        seen = len(pages.requests)
        terminal.press("p")
        terminal.wait_for("● RUNNING")
        terminal.resize(60, 20)
        terminal.wait_for("● RUNNING", "4 Find")
        terminal.resize(120, 40)
        terminal.wait_for("Recent errors")
        terminal.press("/")
        terminal.wait_for("Search pages")
        terminal.type("page")
        terminal.wait_for(" ms · ", "Preview", "This is page")
        terminal.press("Escape")  # one at a time: two in a row are another key to a terminal
        terminal.wait_for("words, all of them")
        terminal.press("Escape")
        terminal.wait_for("Throughput")
        terminal.press("q")
        terminal.wait_for("status 0")
        assert running.process.poll() is None
        assert len(pages.requests) > seen


def test_killing_the_dashboard_leaves_the_crawl_alone(folder, terminal):
    data_dir = folder / "data"
    data_dir.mkdir()
    with (
        site(0, endless=True) as pages,
        daemon(data_dir, pages.url("/"), options=("--delay", "50ms")) as running,
    ):
        terminal.run(spider_tui(data_dir))
        terminal.wait_for("● RUNNING")
        terminal.close()
        seen = len(pages.requests)
        end = time.monotonic() + PATIENCE
        while len(pages.requests) < seen + 5:
            assert time.monotonic() < end
            time.sleep(0.05)
        assert running.process.poll() is None


def test_a_terminal_without_utf8_gets_ascii(folder, terminal):
    terminal._environment["LANG"] = "C"
    terminal._environment["LC_ALL"] = "POSIX"
    terminal._environment["PYTHONUTF8"] = "0"
    terminal._environment["PYTHONCOERCECLOCALE"] = "0"
    terminal.run(spider_tui(folder), columns=100, lines=30)
    shown = terminal.wait_for("No daemon answers", "~ CONNECTING")
    assert shown.isascii()
    terminal.press("q")
    terminal.wait_for("status 0")


def test_a_theme_that_is_not_there_is_told_in_a_sentence(folder, terminal):
    terminal._environment["TEXTUAL_THEME"] = "nonsense"
    terminal.run(spider_tui(folder))
    shown = terminal.wait_for("status 2", "there is no theme nonsense")
    assert "Traceback" not in shown
