"""What is imported is declared, what is declared is imported, and the README gives a reason for each."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
OURS = {"spiderd", "tui", "bench", "tests"}
TOOLS = {"import-linter", "mypy", "pytest-trio", "pytest-xdist", "ruff", "wacz"}  # run, not imported
RIVALS = {"lxml"}  # what a benchmark measures ours against, where it is installed


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()  # PEP 503


def declared(requirements: list[str]) -> set[str]:
    return {normal(re.split(r"[<>=~!\[; ]", text)[0]) for text in requirements}


ALL_DECLARED = declared(PROJECT["project"]["dependencies"] + PROJECT["dependency-groups"]["dev"])


def imported(*folders: str) -> set[str]:
    """Distributions whose modules are imported anywhere in these folders, inside functions too."""
    modules = set()
    for folder in folders:
        for file in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_bytes())):
                if isinstance(node, ast.Import):
                    modules |= {alias.name.split(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module:
                    modules.add(node.module.split(".")[0])
    foreign = modules - OURS - set(sys.stdlib_module_names)
    return {distribution(module) for module in foreign}


def distribution(module: str) -> str:
    """Name of what provides a module: of several the declared one, of a module that is not there its own."""
    providers = [normal(name) for name in packages_distributions().get(module, [module])]
    return next((name for name in providers if name in ALL_DECLARED), providers[0])


def test_the_program_imports_what_it_declares():
    assert imported("spiderd", "tui") == declared(PROJECT["project"]["dependencies"])


def test_tests_and_benchmarks_import_no_more_than_is_declared():
    dev = declared(PROJECT["dependency-groups"]["dev"])
    runtime = declared(PROJECT["project"]["dependencies"])
    assert imported("tests", "bench") - runtime - RIVALS == dev - TOOLS


@pytest.mark.parametrize("name", sorted(declared(PROJECT["project"]["dependencies"])))
def test_the_readme_gives_a_reason_for_each(name):
    rows = re.findall(r"^\| \[(.+?)\]\(https://.+?\) \| (.+?) \| (.+?) \| (.+?) \|$", readme(), re.MULTILINE)
    reasons = {row[0]: row[1:] for row in rows}
    assert all(reasons[name])


def test_the_readme_lists_no_dependency_that_is_gone():
    rows = re.findall(r"^\| \[(.+?)\]\(https://", readme(), re.MULTILINE)
    assert set(rows) == declared(PROJECT["project"]["dependencies"])


def readme() -> str:
    return (ROOT / "README.md").read_text()
