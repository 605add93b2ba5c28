"""One daemon to a data directory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from spiderd.daemon.lock import locked
from spiderd.errors import AlreadyRunning, CannotCreate

HOLD = """
import sys
from pathlib import Path
from spiderd.daemon.lock import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path):
    """Another process that holds the directory."""
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


def test_the_holder_is_named_and_nothing_is_changed(tmp_path: Path, holder: subprocess.Popen) -> None:
    for _ in range(2):
        with (
            pytest.raises(AlreadyRunning, match=rf"\(pid {holder.pid}\) runs on {tmp_path}"),
            locked(tmp_path),
        ):
            pass
    assert (tmp_path / "lock").read_text() == f"{holder.pid}\n"


def test_the_lock_ends_with_its_process_however_that_ends(tmp_path: Path, holder: subprocess.Popen) -> None:
    holder.kill()
    holder.wait()
    with locked(tmp_path):
        assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"


def test_it_can_be_taken_again_and_the_directory_is_made(tmp_path: Path) -> None:
    data = tmp_path / "new" / "data"
    for _ in range(2):
        with locked(data):
            assert (data / "lock").read_text() == f"{os.getpid()}\n"


def test_an_error_inside_lets_go_of_it(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), locked(tmp_path):
        raise ZeroDivisionError
    with locked(tmp_path):
        pass


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"1234567\n" * 1000])
def test_whatever_the_file_holds_it_is_the_lock_that_counts(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "lock").write_bytes(content)
    with locked(tmp_path):
        assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"
        (tmp_path / "lock").write_bytes(content)
        with pytest.raises(AlreadyRunning, match="runs on"), locked(tmp_path):
            pass


def test_a_lock_file_that_cannot_be_opened_is_said(tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()
    with pytest.raises(CannotCreate, match=f"data directory {tmp_path} cannot be used"), locked(tmp_path):
        pass


@pytest.mark.skipif(os.geteuid() == 0, reason="root may open everything")
def test_a_lock_file_of_somebody_else_is_said(tmp_path: Path) -> None:
    (tmp_path / "lock").touch(mode=0o000)
    with pytest.raises(CannotCreate, match="Permission denied"), locked(tmp_path):
        pass


def test_a_file_in_the_way_of_the_directory_is_said(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(CannotCreate, match="--data-dir"), locked(tmp_path / "data"):
        pass
