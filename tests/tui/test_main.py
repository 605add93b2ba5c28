"""The command line of spider-tui."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from spiderd import __version__

ROOT = Path(__file__).parents[2]


def run(*arguments, environ=None):
    command = [sys.executable, "-c", "from tui.main import main; main()", *arguments]
    return subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=ROOT, env=environ, timeout=60
    )


def test_help_is_quick_and_says_that_the_crawl_is_safe():
    done = run("--help")
    assert done.returncode == 0
    assert "Leaving it never touches the crawl." in done.stdout
    for option in ("--socket", "--data-dir", "--read-only", "--ascii"):
        assert option in done.stdout


QUIET = """
import sys
from tui.main import main
sys.argv = ["spider-tui", "--help"]
try:
    main()
finally:
    print("textual" in sys.modules, file=sys.stderr)
"""


def test_help_does_not_load_the_screen():
    done = subprocess.run(
        [sys.executable, "-c", QUIET], check=True, cwd=ROOT, capture_output=True, timeout=60
    )
    assert done.stderr == b"False\n"


def test_version():
    assert run("--version").stdout.split()[-1] == __version__


@pytest.mark.parametrize("arguments", [["--nonsense"], ["extra"]])
def test_usage_errors_end_with_2(arguments):
    done = run(*arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_without_a_terminal_it_says_what_to_use_instead(tmp_path):
    done = run("--data-dir", str(tmp_path))
    assert done.returncode == 2
    assert "spiderd status --json" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_socket_path_that_no_system_takes_is_refused_early():
    done = run("--socket", "/tmp/" + "x" * 200)
    assert done.returncode == 73
    assert "107" in done.stderr or "103" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_configuration_may_name_the_socket(tmp_path):
    file = tmp_path / "config.toml"
    file.write_text(f'[api]\nsocket = "{tmp_path}/{"x" * 200}"\n')
    environ = {"HOME": str(tmp_path), "SPIDERD_CONFIG": str(file)}
    assert run(environ=environ).returncode == 73
    assert run("--config", str(file)).returncode == 73
    assert run("--config", str(file), "--socket", str(tmp_path / "s")).returncode == 2, (
        "which needs a terminal"
    )
    file.write_text("[api]\nsock = 1")
    done = run("--config", str(file))
    assert (done.returncode, done.stderr) == (
        78,
        f"spider-tui: {file}:2: api.sock: unknown key; did you mean api.socket?\n",
    )
