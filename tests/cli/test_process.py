from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from spiderd.cli import process
from spiderd.cli.process import Process


@pytest.fixture(params=["descriptor", "table"])
def way(request, monkeypatch):
    if request.param == "table":
        monkeypatch.setattr(process, "_descriptor_of", lambda pid: None)
    elif sys.platform != "linux":
        pytest.skip("only Linux has descriptors of processes")
    return request.param


def test_the_end_of_a_process_is_noticed(way):
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with Process(child.pid) as watched:
        assert not watched.wait(0.01)
        child.stdin.close()
        if way == "table":  # which still lists it until its parent has looked
            child.wait()
        assert watched.wait(10)
    child.wait()


def test_a_process_that_is_not_there_has_ended(way):
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    with Process(child.pid) as watched:
        assert watched.wait(0)


def test_no_descriptor_is_left_open(way):
    def descriptors():
        return len(list(Path("/dev/fd").iterdir()))

    before = descriptors()
    with Process(os.getpid()) as watched:
        assert not watched.wait(0)
    assert descriptors() == before
