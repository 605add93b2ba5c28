"""Source distribution and wheel: made from the tree, complete, and good in an environment of their own.

The fresh environment sees the dependencies of the one that runs the tests, so that nothing is downloaded.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
from hatchling import build

import spiderd

ROOT = Path(__file__).parents[2]
NAME = f"spiderd-{spiderd.__version__}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("dist")


@pytest.fixture(scope="module")
def sdist(folder):
    """Made in a process of its own: hatchling works in the current directory."""
    return folder / made(ROOT, "build_sdist", folder)


@pytest.fixture(scope="module")
def wheel(sdist, folder):
    """Made from the source distribution, as a distribution of Linux would."""
    with tarfile.open(sdist) as archive:
        archive.extractall(folder / "source", filter="data")
    return folder / made(folder / "source" / NAME, "build_wheel", folder)


def made(source: Path, hook: str, target: Path) -> str:
    code = f"import sys; from hatchling.build import {hook} as hook; print(hook(sys.argv[1]))"
    command = [sys.executable, "-c", code, str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, cwd=source)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()[-1]


def test_the_backend_is_the_one_that_the_project_names():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["build-system"]["build-backend"] == build.__name__


def test_the_source_has_what_it_takes_to_test_and_to_package(sdist):
    with tarfile.open(sdist) as archive:
        names = {name.removeprefix(f"{NAME}/") for name in archive.getnames()}
    for name in ("LICENSE", "README.md", "config.toml", "Dockerfile", "docs/README.md", "tests/conftest.py"):
        assert name in names
    assert "packaging/systemd/system/spiderd.service" in names
    assert not [name for name in names if "__pycache__" in name or name.startswith((".venv", ".git/"))]


def test_the_wheel_has_the_program_and_its_files_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {name.split("/")[0] for name in names} == {"spiderd", "tui", f"{NAME}.data", f"{NAME}.dist-info"}
    assert f"{NAME}.data/data/share/man/man1/spiderd.1" in names
    needed = {
        path for path in (ROOT / "packaging").rglob("*") if path.suffix in {".service", ".socket", ".conf"}
    }
    assert len(needed) == 6
    for path in needed:
        assert f"spiderd/cli/packaging/{path.relative_to(ROOT / 'packaging')}" in names
    for name in ("spiderd/py.typed", "spiderd/demo/site/index.html", "tui/app.tcss"):
        assert name in names


@pytest.fixture(scope="module")
def fresh(wheel, folder):
    """The wheel, installed by pip."""
    home = folder / "fresh"
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-index", "--no-deps"]
    done = subprocess.run(
        [*pip, "--quiet", str(wheel)], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    (inside,) = (home / "lib").glob("python*/site-packages")
    (inside / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return home


def run(fresh, *command):
    environ = {"PATH": f"{fresh / 'bin'}:{os.environ['PATH']}", "HOME": str(fresh), "LANG": "C.UTF-8"}
    return subprocess.run(
        [str(fresh / "bin" / command[0]), *command[1:]],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=environ,
        cwd=fresh,
    )


def test_the_installed_program_is_the_installed_one(fresh):
    done = run(fresh, "spiderd", "--version")
    assert (done.returncode, done.stdout) == (0, f"spiderd {spiderd.__version__}\n"), done.stderr
    where = run(fresh, "python", "-c", "import spiderd, tui; print(spiderd.__file__, tui.__file__)").stdout
    assert all(path.startswith(str(fresh)) for path in where.split())


def test_the_installed_program_has_its_files(fresh):
    done = run(fresh, "spiderd", "service", "install", "--system", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert f"ExecStart={fresh}/bin/spiderd start" in done.stdout
    assert run(fresh, "spider-tui", "--help").returncode == 0


def test_the_installed_program_crawls_its_demonstration_site(fresh):
    data = fresh / "data"
    crawl = ("spiderd", "start", "--once", "--data-dir", str(data), "--delay", "0", "--processes", "0")
    done = run(fresh, "python", "-m", "spiderd.demo", "--port", "0", *crawl)
    assert done.returncode == 0, done.stderr
    assert "crawl complete" in done.stdout
