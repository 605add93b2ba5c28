"""`spiderd web` as a process: opens, answers, closes; refuses what would let strangers in."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import trio

from tests.showing.served import crawl, free_port
from tests.web.server import threaded_site

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


def test_a_daemon_whose_port_is_taken_says_so_and_ends(spiderd, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        settings = ("--set", "web.enabled=true", "--set", f"web.port={port}", "--log-level", "error")
        command = [sys.executable, "-m", "spiderd", "start", *settings, "--data-dir", str(tmp_path / "data")]
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, capture_output=True, text=True, env=env, check=False, timeout=60)
    assert done.returncode == 73
    (said,) = done.stderr.splitlines()
    where = f"http://127.0.0.1:{port}/"
    assert said.startswith(
        f"spiderd: The search page cannot be opened at {where}: another program listens there"
    )


def test_a_crawl_that_is_complete_ends_with_its_page_open_and_somebody_looking(tmp_path):
    port = free_port()
    settings = ("--set", "web.enabled=true", "--set", f"web.port={port}", "--log-level", "error")
    gate = threading.Event()

    async def slow(stream, request):
        await trio.to_thread.run_sync(gate.wait, abandon_on_cancel=True)
        return "slow"

    with threaded_site({"/robots.txt": (404, {}, b""), "/": slow}) as site:
        command = [sys.executable, "-m", "spiderd", "start", "--once", site.url("/"), *settings]
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        with subprocess.Popen([*command, "--data-dir", str(tmp_path / "data")], env=env) as process:
            try:
                while not site.count("/"):
                    assert process.poll() is None
                with socket.create_connection(("127.0.0.1", port), timeout=30) as looking:
                    looking.sendall(b"GET /status/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    assert b"200 OK" in looking.recv(65536)
                    gate.set()
                    assert process.wait(60) == 0
            finally:
                gate.set()
                process.kill()
