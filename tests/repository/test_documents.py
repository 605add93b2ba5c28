"""README, ARCHITECTURE and CHANGELOG say what is so."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

import pytest

import spiderd
from spiderd import errors

ROOT = Path(__file__).parents[2]
DOCUMENTS = [*sorted(path.name for path in ROOT.glob("*.md")), "bench/README.md"]


def text_of(name: str) -> str:
    return (ROOT / name).read_text()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_within_the_repository_lead_somewhere(name):
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", text_of(name))
    assert [target for target in targets if not (ROOT / name).parent.joinpath(target).exists()] == []


def test_the_readme_begins_with_the_two_commands():
    first_screen = text_of("README.md").splitlines()[:25]
    commands = [line.split()[0] for line in first_screen if line.startswith("scripts/")]
    assert commands == ["scripts/crawl", "scripts/test"]
    assert all(os.access(ROOT / command, os.X_OK) for command in commands)


def test_ci_runs_the_two_commands_and_every_check():
    ci = text_of(".ci/run")
    assert "scripts/crawl)" in ci
    assert "scripts/test)" in ci
    assert "scripts/check" in text_of("scripts/test")
    for tool in ("ruff format --check", "ruff check", "mypy", "lint-imports", "pytest"):
        assert f"check {tool}" in text_of("scripts/check")


def test_the_readme_tells_the_exit_codes_that_there_are():
    told = {int(code) for code in re.findall(r"^\| (\d+) \| ", text_of("README.md"), re.MULTILINE)}
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    assert told == {0} | {kind.exit_code for kind in kinds if issubclass(kind, errors.SpiderdError)}


def test_the_readme_tells_the_defaults_that_there_are():
    rows = re.findall(r"^\| (`[a-z_.`, ]+`) \| (\S+) \|", text_of("README.md"), re.MULTILINE)
    told = {key: value for keys, value in rows for key in re.findall(r"`([a-z_.]+)`", keys)}
    defaults = tomllib.loads(text_of("config.toml"))  # held equal to the code by tests/config
    assert len(told) >= 8
    for key, value in told.items():
        section, name = key.split(".")
        assert defaults[section][name] == tomllib.loads(f"value = {value}")["value"]


def test_the_architecture_has_a_place_for_each_part():
    known = set(re.findall(r"`(?:spiderd\.)?([a-z]+)`", text_of("ARCHITECTURE.md")))
    entries = (ROOT / "spiderd").iterdir()
    parts = {path.stem for path in entries if path.is_dir() or path.suffix == ".py"}
    assert {part for part in parts if not part.startswith("_")} - known == set()


def test_the_changelog_is_one():
    headings = re.findall(r"^## \[(.+?)\]", text_of("CHANGELOG.md"), re.MULTILINE)
    assert headings[0] == "Unreleased"
    kinds = set(re.findall(r"^### (.+)$", text_of("CHANGELOG.md"), re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert re.fullmatch(r"\d+\.\d+\.\d+", spiderd.__version__)
