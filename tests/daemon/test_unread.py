"""A daemon whose output nobody reads goes on: a stopped terminal, a pager, a pipe that was forgotten."""

from __future__ import annotations

import fcntl
import struct
import sys
import termios

import httpx
import pytest

from spiderd.demo.server import serving
from tests.crawl.harness import daemon_process, wait_until

QUICK = ("--delay", "0", "--processes", "0", "--threads", "2", "--set", "search.enabled=false")
PIPE = 4096  # bytes that the pipe is to hold
MANY = 30  # summaries, that would take several times as much


def unread(stream):
    return struct.unpack("i", fcntl.ioctl(stream.fileno(), termios.FIONREAD, bytes(4)))[0]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets the size of a pipe be chosen")
def test_a_summary_that_nobody_reads_does_not_stop_the_daemon(tmp_path):
    with serving(0) as site, daemon_process(tmp_path, site, *QUICK) as process:
        fcntl.fcntl(process.stdout, fcntl.F_SETPIPE_SZ, PIPE)
        path = tmp_path / "spiderd.sock"
        wait_until(path.is_socket, process)
        transport = httpx.HTTPTransport(uds=str(path))
        with httpx.Client(transport=transport, base_url="http://spiderd", timeout=20) as client:

            def complete():
                return client.get("/v1/status").json()["state"] == "complete"

            wait_until(complete, process)
            for number in range(MANY):
                assert client.post("/v1/add", json={"urls": [f"{site}none/{number}"]}).status_code == 200
                wait_until(complete, process)
            assert 200 < unread(process.stdout) <= PIPE
            assert client.post("/v1/stop").status_code == 200
        assert process.wait(30) == 0
