"""The scripts on machines that lack something: one clear sentence each, and nothing half-made left behind."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = ("cat", "cksum", "dirname", "grep", "sh")  # all that scripts/setup may need beside Python


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with the scripts, and a `bin` that is all there is on the PATH."""
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "bin").mkdir()
    for tool in TOOLS:
        (tmp_path / "bin" / tool).symlink_to(str(shutil.which(tool)))
    return tmp_path


def put_python(folder: Path, script: str) -> Path:
    """A `python3` that is given its `-c` code as $2."""
    python = folder / "bin" / "python3"
    python.write_text(f"#!/bin/sh\n{script}\n")
    python.chmod(0o755)
    return python


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, env={"PATH": str(folder / "bin")}, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "script", sorted(path.name for path in (ROOT / "scripts").iterdir() if not path.suffix)
)
def test_scripts_are_plain_sh(script):
    path = ROOT / "scripts" / script
    assert path.read_text().startswith("#!/bin/sh\n")
    assert os.access(path, os.X_OK)
    subprocess.run(["sh", "-n", path], check=True)


@pytest.mark.parametrize("script", ["crawl", "test"])
def test_without_a_python_that_will_do_it_says_so(checkout, script):
    put_python(checkout, 'case "$2" in *version_info*) exit 1 ;; esac')
    done = run(checkout, f"scripts/{script}")
    assert done.returncode == 1
    assert done.stderr == (
        "spiderd needs Python 3.11 or later, and there is none on the PATH "
        "(PYTHON=/path/to/python3 names one).\n"
    )
    assert not (checkout / ".venv").exists()


def test_a_debian_without_python3_venv_is_told_what_to_install(checkout):
    put_python(checkout, 'case "$2" in *ensurepip*) exit 1 ;; esac')
    done = run(checkout, "scripts/crawl")
    assert done.returncode == 1
    assert done.stderr == (
        "python3 lacks its venv module: install it (Debian, Ubuntu: apt install python3-venv).\n"
    )
    assert not (checkout / ".venv").exists()


FAKE = """
case "$*" in
"-c "*) exit 0 ;;                      # new enough, with venv and pip
*--version) echo "Python 3.99.0" ;;
*"-m venv --clear .venv") mkdir -p .venv/bin && cp "$0" .venv/bin/python && echo made >>log ;;
*"-m pip"*install*) echo "${*##* install }" >>log; exit "${PIP_EXIT:-0}" ;;
esac
"""


def log_of(folder: Path) -> list[str]:
    log = folder / "log"
    lines = log.read_text().splitlines() if log.exists() else []
    log.unlink(missing_ok=True)
    return lines


@pytest.fixture
def installed(checkout: Path) -> Path:
    """A checkout where `scripts/setup` has been run once, with a Python that notes what it is asked for."""
    for tool in ("mkdir", "cp"):
        (checkout / "bin" / tool).symlink_to(str(shutil.which(tool)))
    put_python(checkout, FAKE)
    assert run(checkout, "scripts/setup").returncode == 0
    assert log_of(checkout) == ["made", "--editable ."]
    return checkout


def test_the_second_time_nothing_is_installed(installed):
    assert run(installed, "scripts/setup").stderr == ""
    assert log_of(installed) == []


def test_developing_needs_more_in_the_same_environment(installed):
    run(installed, "scripts/setup", "dev")
    assert log_of(installed) == ["--upgrade pip>=25.1", "--editable . --group dev"]
    run(installed, "scripts/setup", "dev")
    run(installed, "scripts/setup")
    assert log_of(installed) == []


def test_a_change_of_dependencies_is_installed(installed):
    with (installed / "pyproject.toml").open("a") as file:
        file.write("# another line\n")
    run(installed, "scripts/setup")
    assert log_of(installed) == ["--editable ."]


def test_a_checkout_that_was_moved_gets_a_new_environment(installed):
    moved = installed.rename(installed.with_name("moved"))
    run(moved, "scripts/setup")
    assert log_of(moved) == ["made", "--editable ."]


def test_an_installation_that_failed_is_done_again(checkout):
    for tool in ("mkdir", "cp"):
        (checkout / "bin" / tool).symlink_to(str(shutil.which(tool)))
    put_python(checkout, "PIP_EXIT=1\n" + FAKE)
    assert run(checkout, "scripts/setup").returncode == 1
    put_python(checkout, FAKE)
    log_of(checkout)
    assert run(checkout, "scripts/setup").returncode == 0
    assert log_of(checkout) == ["made", "--editable ."]


def put_compiler(folder: Path, headers: Path) -> None:
    """A compiler, and a Python whose headers are there; it notes what is built for."""
    (folder / "bin" / "cc").symlink_to(str(shutil.which("true")))
    python = folder / ".venv" / "bin" / "python"
    fake = f"""#!/bin/sh
case "$*" in
"-c "*get_path*) echo {headers} ;;
*"-m pip"*install*) echo "hooks=$HATCH_BUILD_HOOKS_ENABLE ${{*##* install }}" >>log ;;
esac
"""
    python.write_text(fake)


def test_machine_code_is_made_into_the_environment_that_is_there(installed):
    put_compiler(installed, installed)
    (installed / "Python.h").touch()
    done = run(installed, "scripts/compile")
    assert (done.returncode, done.stderr) == (0, "")
    assert log_of(installed) == ["hooks=1 --no-deps --editable ."]


def test_without_a_compiler_or_headers_nothing_is_made_and_it_says_what_to_install(installed):
    done = run(installed, "scripts/compile")
    assert done.returncode == 1
    assert done.stderr == (
        "A C compiler is needed, and there is no cc on the PATH (Debian: apt install gcc).\n"
    )
    put_compiler(installed, installed)
    done = run(installed, "scripts/compile")
    assert done.returncode == 1
    assert done.stderr == (
        f"Python's headers are needed, and {installed} lacks them (Debian: apt install python3-dev).\n"
    )
    assert log_of(installed) == []


def test_machine_code_is_taken_back_and_nothing_else(installed):
    for tool in ("find", "rm"):
        (installed / "bin" / tool).symlink_to(str(shutil.which(tool)))
    ours, source = installed / "spiderd" / "a.cpython.so", installed / "spiderd" / "a.py"
    others = [installed / folder / "b.so" for folder in (".venv/lib", "venv/lib", "build")]
    for file in (ours, source, *others, installed / "x__mypyc.cpython.so"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    assert run(installed, "scripts/compile", "--undo").returncode == 0
    assert run(installed, "scripts/compile", "--undo").returncode == 0
    assert sorted(installed.rglob("*.so")) == sorted(others)
    assert source.exists()
    assert run(installed, "scripts/compile", "--redo").returncode == 2
