"""Who may do what, with the kernel as the witness."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import trio

from spiderd.api.peer import peer_uid, rights_of
from tests.api.serving import client, served

OTHER = 65534

CLIENT = """
import os, socket, sys
path, line, user = sys.argv[1:]
os.setgroups([])
os.setgid(int(user))
os.setuid(int(user))
sock = socket.socket(socket.AF_UNIX)
sock.connect(path)
head = "HTTP/1.1\\r\\nhost: x\\r\\nconnection: close\\r\\ncontent-length: 0"
sock.sendall(f"{line} {head}\\r\\n\\r\\n".encode())
while data := sock.recv(65536):
    sys.stdout.write(data.decode())
"""


async def ask_as_another(path: Path, line: str) -> subprocess.CompletedProcess[bytes]:
    """Ask in a process that has become another user once its interpreter runs."""
    command = [sys.executable, "-c", CLIENT, str(path), line, str(OTHER)]
    return await trio.run_process(command, capture_stdout=True, capture_stderr=True, check=False)


@pytest.mark.parametrize(
    ("uid", "own", "rights"),
    [(1000, 1000, "write"), (0, 1000, "write"), (1001, 1000, "read"), (1, 0, "read")],
)
def test_the_daemons_user_and_root_may_write(uid, own, rights):
    assert rights_of(uid, own) == rights


def test_the_kernel_tells_who_connected():
    ours, theirs = socket.socketpair(socket.AF_UNIX)
    with ours, theirs:
        assert peer_uid(ours) == os.geteuid()


@pytest.mark.trio
async def test_our_own_user_may_write(sock_path):
    async with served(sock_path) as crawl, client(sock_path) as http:
        assert (await http.get("/v1/")).json()["rights"] == "write"
        assert (await http.get("/v1/status")).json()["hello"]["rights"] == "write"
        assert (await http.post("/v1/pause")).status_code == 200
    assert crawl.state == "paused"


@pytest.mark.trio
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize(
    ("line", "status", "text"),
    [
        ("GET /v1/", 200, '"rights":"read"'),
        ("GET /v1/status", 200, '"rights":"read"'),
        ("GET /v1/hosts", 200, '"total"'),
        ("GET /metrics", 200, "spiderd_pages_total"),
        *(
            (f"POST /v1/{name}", 403, '"code":"read_only"')
            for name in (
                "pause",
                "resume",
                "stop",
                "retry",
                "add",
                "visited",
                "release",
                "revisit",
                "reload",
                "settings",
                "reindex",
            )
        ),
    ],
)
async def test_another_user_may_only_read(sock_path, line, status, text):
    sock_path.parent.chmod(0o755)
    async with served(sock_path) as crawl:
        sock_path.chmod(0o666)
        done = await ask_as_another(sock_path, line)
    answer = done.stdout.decode()
    assert answer.startswith(f"HTTP/1.1 {status} ")
    assert text in answer
    assert crawl.state == "running"


@pytest.mark.trio
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
async def test_another_user_does_not_reach_a_socket_without_a_group(sock_path):
    sock_path.parent.chmod(0o755)
    async with served(sock_path):
        done = await ask_as_another(sock_path, "GET /v1/")
    assert b"PermissionError" in done.stderr
    assert done.returncode == 1
