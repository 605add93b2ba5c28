"""What holds for every command: help, usage errors, exit codes, what is imported."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from importlib import import_module

import pytest

from spiderd import __version__
from spiderd.cli.root import COMMANDS


def outside(
    *arguments, code="import sys; from spiderd.cli.entry import run; run(sys.argv[1:]); print(*sys.modules)"
):
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_says_what_the_commands_say(name):
    command = getattr(import_module(f"spiderd.cli.{COMMANDS[name].module}"), COMMANDS[name].name or name)
    assert command.name == name
    assert command.get_short_help_str(100).rstrip(".") == COMMANDS[name].help.rstrip(".")


WITHOUT_DAEMON = {"report", "start", "config", "verify", "export", "rank", "service", "demo"}


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in WITHOUT_DAEMON])
def test_every_command_that_asks_finds_the_daemon_by_the_same_options(spiderd, name):
    code, out, _ = spiderd(name, "--help")
    assert code == 0
    for option in ("--socket", "--data-dir", "--config"):
        assert option in out


def test_help_and_version(spiderd):
    assert spiderd("--version") == (0, f"spiderd {__version__}\n", "")
    code, out, err = spiderd("-h")
    assert (code, err) == (0, "")
    assert all(f"  {name} " in out for name in COMMANDS)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["stat"], 'spiderd: there is no command "stat"; did you mean status? (see spiderd --help)\n'),
        (["wrokers"], 'spiderd: there is no command "wrokers"; did you mean workers? (see spiderd --help)\n'),
        (["\x1b[31m"], 'spiderd: there is no command "[31m" (see spiderd --help)\n'),
        (["pause", "now"], "spiderd: Got unexpected extra argument (now) (see spiderd pause --help)\n"),
        (["why"], "spiderd: Missing argument 'URL' (see spiderd why --help)\n"),
    ],
)
def test_a_command_line_that_cannot_be_understood_is_one_sentence_and_2(spiderd, path, arguments, said):
    code, out, err = spiderd(*arguments)
    assert (code, out, err) == (2, "", said)


def test_without_a_command_there_is_help(spiderd):
    code, out, err = spiderd()
    assert code == 2
    assert "Commands:" in out + err


@pytest.mark.parametrize(
    ("arguments", "absent"),
    [
        (["--help"], {"msgspec", "rich", "trio", "http.client", "spiderd.protocol"}),
        (["status"], {"rich", "trio", "httpx", "lmdb", "starlette", "asyncio", "spiderd.config.loading"}),
        (["start", "--help"], {"rich", "trio", "httpx", "lmdb", "starlette"}),
    ],
)
def test_a_command_imports_only_what_it_needs(path, arguments, absent):
    modules = outside(*arguments).stdout.split()
    assert "spiderd.cli.root" in modules
    assert not absent & set(modules)


def test_a_reader_that_has_gone_is_no_traceback(path):
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "spiderd", "config"]
    result = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (result.returncode, result.stderr) == (1, "")


def test_a_locale_that_cannot_write_something_is_no_traceback(path):
    command = [sys.executable, "-m", "spiderd", "config", "--set", 'crawl.seeds=["http://例え.test/"]']
    environ = {**os.environ, "PYTHONIOENCODING": "ascii"}
    result = subprocess.run(command, capture_output=True, env=environ, check=False)
    assert (result.returncode, result.stderr) == (0, b"")
    assert tomllib.loads(result.stdout.decode())["crawl"]["seeds"] == ["http://例え.test/"]


def test_without_a_standard_output_there_is_no_traceback(path, crawl):
    command = f"{sys.executable} -m spiderd status >&- && {sys.executable} -m spiderd workers >&- 2>&-"
    result = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")


def test_the_module_runs_as_the_command_does(path):
    result = subprocess.run(
        [sys.executable, "-m", "spiderd", "status"], capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stdout) == (3, "")
    assert result.stderr == f"spiderd: no daemon is running: there is no socket at {path}\n"


def test_a_bug_keeps_its_traceback(path, spiderd, crawl):
    async def why(url):
        return 1 / 0

    crawl.why = why
    code, _, err = spiderd("why", "http://h/")
    assert (code, err) == (1, "spiderd: the daemon failed to answer; its log has the details\n")
