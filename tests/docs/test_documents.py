"""Whoever only has the documents gets there: every command in them is run, or checked where it cannot be."""

from __future__ import annotations

import re
import shlex
import shutil
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest

from spiderd.cli.root import COMMANDS, spiderd
from spiderd.config.loading import load
from tests.docs.running import ROOT, blocks, session
from tui.main import command as dashboard

DOCS = sorted((ROOT / "docs").rglob("*.md"))
RUN = [path for path in DOCS if any(block.kind == "console" and not block.how for block in blocks(path))]
PORTS = ("8642", "8643", "9105")  # that the documents name


def free_ports():
    holders = [socket.create_server(("127.0.0.1", 0)) for _ in PORTS]
    ports = {told: holder.getsockname()[1] for told, holder in zip(PORTS, holders, strict=True)}
    for holder in holders:
        holder.close()
    return ports


def name_of(path):
    return str(path.relative_to(ROOT / "docs"))


@pytest.mark.parametrize("path", RUN, ids=name_of)
def test_the_commands_of_a_document_do_what_it_says(path):
    with session(free_ports()) as reader:
        for block in blocks(path):
            if block.how.startswith("file: "):
                reader.write(block.how.removeprefix("file: "), block.text)
            elif block.kind == "console" and block.how == "background":
                (command,) = block.commands
                reader.leave_running(command)
            elif block.kind == "console" and block.how in {"", "soon"}:
                for command in block.commands:
                    (reader.run_soon if block.how else reader.run)(command)


def test_each_command_is_run_or_says_why_not():
    hows = {(block.how.split(":")[0], block.kind) for path in DOCS for block in blocks(path)}
    assert {how for how, kind in hows if kind == "console"} <= {"", "background", "soon", "not run"}
    assert {kind for _, kind in hows} <= {"console", "toml", "yaml", "text"}
    skipped = [block.how for path in DOCS for block in blocks(path) if block.how.startswith("not run")]
    assert all(re.fullmatch(r"not run: (needs|installs) .+", how) for how in skipped)


NOT_RUN = [
    pytest.param(command.line, id=f"{name_of(path)}: {command.line}")
    for path in DOCS
    for block in blocks(path)
    if block.how.startswith("not run")
    for command in block.commands
]


@pytest.mark.parametrize("line", NOT_RUN)
def test_what_is_not_run_is_written_rightly(line):
    checked = subprocess.run(["sh", "-n", "-c", line], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
    words = [word for word in shlex.split(line) if word != "sudo"]
    if words[0] == "docker" and "exec" in words:
        words = words[words.index("spiderd") + 1 :]
    if words[0] == "spiderd":
        parse(spiderd, words[1:])
    elif words[0] == "spider-tui":
        dashboard.make_context("spider-tui", words[1:])


def parse(group: click.Command, words: list[str]) -> None:
    """Parse a command line without doing what it says; raises click.UsageError."""
    context = group.make_context("spiderd", list(words), resilient_parsing=False)
    if isinstance(group, click.Group):
        name, command, rest = group.resolve_command(context, words)
        assert name
        parse(command, rest)


def test_a_wrong_command_line_would_be_found():
    with pytest.raises(click.UsageError):
        parse(spiderd, ["status", "--jason"])
    with pytest.raises(click.UsageError):
        parse(spiderd, ["statsu"])


@pytest.mark.parametrize("path", DOCS, ids=name_of)
def test_configurations_in_documents_are_good(path, tmp_path):
    for block in blocks(path):
        if block.kind == "toml":
            (tmp_path / "config.toml").write_text(block.text)
            load(tmp_path / "config.toml", environ={})


@pytest.mark.parametrize("path", DOCS, ids=name_of)
def test_links_lead_somewhere(path):
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)", path.read_text()):
        file = path.parent / target if target else path
        assert file.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", file.read_text(), re.MULTILINE)
            assert anchor in {slug(heading) for heading in headings}, (target, anchor)


def slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_every_document_is_in_the_list():
    listed = set(re.findall(r"\]\(([^)]+\.md)\)", (ROOT / "docs" / "README.md").read_text()))
    assert listed == {name_of(path) for path in DOCS} - {"README.md"}


def test_references_and_manual_are_those_of_this_program():
    command = [sys.executable, "scripts/documents.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.parametrize("page", ["spiderd", "spider-tui"])
def test_the_manual_can_be_read(page):
    text = (ROOT / "packaging" / "man" / f"{page}.1").read_text()
    assert text.count(".SH ") >= 5
    if page == "spiderd":
        assert all(f"\n.SS spiderd {name}" in text for name in COMMANDS)
    if shutil.which("man"):
        file = ROOT / "packaging" / "man" / f"{page}.1"
        done = subprocess.run(
            ["man", "--warnings", "-E", "UTF-8", "-l", str(file)], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")


def test_the_image_runs_the_program_as_a_user_of_its_own_and_asks_it_how_it_is():
    """Not built here: that needs a container engine. What can be read from it is checked."""
    text = (ROOT / "Dockerfile").read_text()
    lines = dict(re.findall(r"^([A-Z]+) (.+)$", text, re.MULTILINE))
    assert lines["USER"] == "spiderd"
    assert lines["STOPSIGNAL"] == "SIGTERM"
    assert lines["ENTRYPOINT"] == '["spiderd", "start"]'
    assert lines["VOLUME"] in lines["ENV"]
    assert re.search(r"^HEALTHCHECK .+ CMD spiderd status \|\| exit 1$", text, re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    least = re.fullmatch(r">=3\.(\d+)", project["project"]["requires-python"])
    assert all(int(minor) >= int(least[1]) for minor in re.findall(r"FROM python:3\.(\d+)", text))


def test_ci_installs_what_the_tests_of_the_documents_use():
    assert "need curl" in (ROOT / ".ci" / "run").read_text()
    assert Path(shutil.which("curl") or "").exists()
