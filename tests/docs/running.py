"""Reads the commands of a document and runs them as its reader would, in a home of their own.

```console        commands begin with "$ "; what follows them must be in the output, in that order, line by
                  line; "..." stands for anything, within a line and for whole lines
<!-- background -->      before a block: its command goes on until the document ends
    <!-- soon -->            before a block: what it says becomes true within a minute
<!-- file: PATH -->      before a block: the block is written there
<!-- not run: why -->    before a block: its commands are checked, not run
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PROGRAMS = {"spiderd": "spiderd.cli", "spider-tui": "tui.main"}  # as pyproject.toml has them
PATIENCE = 60.0  # seconds for one command
BLOCK = re.compile(
    r"(?:^<!-- (?P<how>[^\n]*?) -->\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


class Command(NamedTuple):
    """One command with what it must say."""

    line: str
    says: list[str]


class Block(NamedTuple):
    """One block of a document."""

    how: str  # "", "background", "soon", "file: PATH", "not run: why"
    kind: str
    text: str

    @property
    def commands(self) -> list[Command]:
        """The commands, of a console."""
        found: list[Command] = []
        for line in self.text.splitlines():
            if line.startswith("$ "):
                found.append(Command(line[2:], []))
            elif found:
                found[-1].says.append(line)
            else:
                raise AssertionError(f"output without a command: {line}")
        return found


def blocks(document: Path) -> list[Block]:
    """All blocks of a document, in order."""
    return [
        Block(match["how"] or "", match["kind"], match["text"])
        for match in BLOCK.finditer(document.read_text())
    ]


class Session:
    """A home, with the programs on the path, and what runs in it."""

    def __init__(self, home: Path, ports: dict[str, int], stack: ExitStack) -> None:
        self._home, self._ports, self._stack = home, ports, stack
        self._bin = home / ".bin"
        self._bin.mkdir()
        for name, module in PROGRAMS.items():
            start = f"#!{sys.executable}\nfrom {module} import main\nmain()\n"
            (self._bin / name).write_text(start)
            (self._bin / name).chmod(0o755)
        (home / ".run").mkdir(mode=0o700)
        self.environ = {
            "XDG_RUNTIME_DIR": str(home / ".run"),
            "HOME": str(home),
            "PATH": f"{self._bin}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "LANG": "C.UTF-8",
        }

    def local(self, text: str) -> str:
        """Text with the ports that are free here."""
        for told, port in self._ports.items():
            text = re.sub(rf"\b{told}\b", str(port), text)
        return text

    def write(self, place: str, text: str) -> None:
        """Write a file, as an editor would."""
        path = self._home / place.removeprefix("~/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.local(text))

    def run_soon(self, command: Command) -> None:
        """Run a command again until it does what the document says."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                return self.run(command)
            except AssertionError:
                if time.monotonic() > deadline:
                    raise
            time.sleep(0.1)

    def run(self, command: Command) -> None:
        """Run a command; it must end with 0 and say what the document says."""
        done = subprocess.run(
            ["sh", "-c", self.local(command.line)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=PATIENCE,
            env=self.environ,
            cwd=self._home,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 0, f"$ {command.line}\n{done.stdout}"
        must_say(done.stdout, [self.local(line) for line in command.says], command.line)

    def leave_running(self, command: Command) -> None:
        """Start a command and wait for its first line."""
        line = self.local(command.line)
        if line == "spiderd demo":  # takes another port by itself where its own is taken, which we must know
            line += f" --port {self._ports['8642']}"
        process = subprocess.Popen(
            ["sh", "-c", f"exec {line}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=self.environ,
            cwd=self._home,
            stdin=subprocess.DEVNULL,
        )
        self._stack.callback(finish, process)
        assert process.stdout is not None
        must_say(process.stdout.readline(), [self.local(line) for line in command.says], command.line)


def finish(process: subprocess.Popen[str]) -> None:
    """End what was left running."""
    process.terminate()
    process.communicate(timeout=PATIENCE)


def must_say(said: str, lines: list[str], command: str) -> None:
    """The output has these lines in this order, where "..." is anything."""
    wanted = "\n".join(lines)
    pattern = "(?s:.*)".join(re.escape(part) for part in re.split(r"\.\.\.\n?", wanted))
    assert re.search(pattern, said), f"$ {command}\n{said}\n-- should have said:\n{wanted}"


@contextmanager
def session(ports: dict[str, int]) -> Iterator[Session]:
    """A home that is gone afterwards, and with it all that runs there."""
    with tempfile.TemporaryDirectory(prefix="spiderd-docs-") as home, ExitStack() as stack:
        yield Session(Path(home), ports, stack)
