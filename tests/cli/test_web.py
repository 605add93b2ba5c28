"""`spiderd web` as a process: opens, answers, closes; refuses what would let strangers in."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.showing.served import crawl, free_port

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    data_dir = tmp_path_factory.mktemp("shown")
    crawl(data_dir)
    return data_dir


def test_it_opens_answers_and_closes(crawled):
    port = free_port()
    command = [sys.executable, "-m", "spiderd", "web", "--port", str(port), "--data-dir", str(crawled)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=env, text=True) as process:
        try:
            said = process.stderr.readline()
            assert f"the search page is at http://127.0.0.1:{port}/; Ctrl-C closes it" in said
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("GET", "/search?q=number5")
            answer = connection.getresponse()
            assert answer.status == 200
            assert b"<mark>number5</mark>" in answer.read()
            connection.close()
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 0
        finally:
            process.kill()
    with socket.create_server(("127.0.0.1", port)):
        pass  # nobody listens there any more


def test_a_port_that_is_taken(spiderd, crawled):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, _, err = spiderd("web", "--port", str(port), "--data-dir", str(crawled))
    assert code == 73
    assert err == (
        f"spiderd: The search page cannot be opened at http://127.0.0.1:{port}/: another program listens "
        "there (see web.bind and web.port).\n"
    )


@pytest.mark.parametrize("bind", ["0.0.0.0", "::"])
def test_strangers_are_not_let_in_without_a_password(spiderd, crawled, bind):
    code, out, err = spiderd("web", "--bind", bind, "--data-dir", str(crawled))
    assert (code, out) == (2, "")
    assert "lets others in, and web.password is empty: anybody could read what was crawled" in err
    assert len(err.splitlines()) == 1
