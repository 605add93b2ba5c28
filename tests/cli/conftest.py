from __future__ import annotations

import io
from contextlib import redirect_stdout

import pytest

from spiderd.cli.entry import run
from tests.cli.serving import daemon


@pytest.fixture(autouse=True)
def nothing_of_the_users(monkeypatch, tmp_path):
    """Keep the configuration and the daemons of whoever runs the tests out of them."""
    for name in (
        "SPIDERD_CONFIG",
        "SPIDERD_DATA_DIR",
        "SPIDERD_SOCKET",
        "XDG_RUNTIME_DIR",
        "NO_COLOR",
        "FORCE_COLOR",
    ):
        monkeypatch.delenv(name, raising=False)
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))


@pytest.fixture
def path(tmp_path, monkeypatch):
    """Name a socket, which is the one that commands will ask."""
    monkeypatch.setenv("SPIDERD_SOCKET", str(tmp_path / "s"))
    return tmp_path / "s"


@pytest.fixture
def crawl(path):
    with daemon(path) as crawl:
        yield crawl


@pytest.fixture
def spiderd(capsys):
    """Run a command; returns its exit code, standard output and standard error."""

    def command(*arguments):
        code = run(arguments)
        return code, *capsys.readouterr()

    return command


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def on_terminal(monkeypatch):
    """Run a command with a terminal of 80 columns and 256 colours; returns what it shows."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm-256color")

    def command(*arguments):
        with redirect_stdout(Terminal()) as stdout:
            assert run(arguments) == 0
        return stdout.getvalue()

    return command
