from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from spiderd.cli.entry import run
from spiderd.export import KINDS
from tests.verify.crawled import make

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    data = tmp_path_factory.mktemp("crawled") / "data"
    make(data)
    return str(data)


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_file_and_a_pipe_get_the_same(data, kind, tmp_path, spiderd):
    file = tmp_path / "out"
    code, out, err = spiderd("export", kind, "--data-dir", data, "-o", str(file))
    assert (code, out) == (0, "")
    assert f"17 pages exported to {file}" in err
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "spiderd", "export", kind, "--data-dir", data]
    piped = subprocess.run(command, capture_output=True, env=env, check=True)
    if kind in ("warc", "wacz"):  # they say when they were made
        assert piped.stdout[:2] == file.read_bytes()[:2]
    else:
        assert piped.stdout == file.read_bytes()
    assert file.stat().st_size > 400 or kind == "cdxj"  # which is for an archive of records


def test_a_reader_that_goes_away_is_no_accident(data):
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "spiderd", "export", "jsonl", "--data-dir", data]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, env=env, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


def test_where_nothing_was_crawled_no_file_is_made(tmp_path, spiderd):
    code, _, err = spiderd("export", "csv", "--data-dir", str(tmp_path / "none"), "-o", str(tmp_path / "out"))
    assert code == 74
    assert "There is no store in" in err
    assert list(tmp_path.glob("*out*")) == []


def test_a_file_that_cannot_be_made_is_said(data, tmp_path, spiderd):
    code, _, err = spiderd("export", "csv", "--data-dir", data, "-o", str(tmp_path / "no" / "out"))
    assert code == 73
    assert "cannot be written" in err


def test_an_unknown_kind_is_refused_and_the_help_has_them_all(spiderd, data):
    assert spiderd("export", "pdf", "--data-dir", data)[0] == 2
    _, out, _ = spiderd("export", "--help")
    assert all(kind in out for kind in KINDS)


def test_what_is_not_for_the_eye_does_not_go_to_a_terminal(data):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    with redirect_stdout(Terminal()) as terminal:
        assert run(["export", "warc", "--data-dir", data]) == 2
    assert terminal.getvalue() == ""
