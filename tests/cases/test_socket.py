"""C39: the local socket across kills, stops, second daemons, wrong files and clients that do not read."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from spiderd.client import Client
from spiderd.errors import Unavailable
from tests.cases.crashing import run, site
from tests.crawl.harness import daemon_process, wait_until
from tests.web.server import Site, threaded_site

QUICK = (
    "--processes",
    "0",
    "--threads",
    "4",
    "--delay",
    "0",
    "--follow",
    "host",
    "--set",
    "search.enabled=false",
)


def start(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run `spiderd start` to its end."""
    return run([sys.executable, "-m", "spiderd", "start", *map(str, arguments), *QUICK], 60)


def answers(path: Path) -> int:
    """The process that answers at a socket; 0 where nobody does."""
    try:
        with Client(path) as client:
            return client.hello().pid
    except Unavailable:
        return 0


def answering(path: Path) -> Callable[[], bool]:
    """Whether somebody answers."""
    return lambda: answers(path) > 0


def test_c39_after_kill_nine_the_same_command_starts_and_a_second_one_is_refused_with_the_pid(
    tmp_path: Path,
) -> None:
    path = tmp_path / "spiderd.sock"
    with daemon_process(tmp_path, *QUICK) as first:
        wait_until(answering(path), first)
        first.send_signal(signal.SIGKILL)
        first.wait()
    assert path.is_socket()  # left behind
    with daemon_process(tmp_path, *QUICK) as again:
        wait_until(answering(path), again)
        inode = path.stat().st_ino
        refused = start("--data-dir", tmp_path)
        assert refused.returncode == 75
        assert f"pid {again.pid}" in refused.stderr
        assert (answers(path), path.stat().st_ino) == (again.pid, inode)


def test_c39_a_stopped_daemon_keeps_its_socket_however_long_it_does_not_answer(tmp_path: Path) -> None:
    path = tmp_path / "spiderd.sock"
    with daemon_process(tmp_path, *QUICK) as daemon:
        wait_until(answering(path), daemon)
        daemon.send_signal(signal.SIGSTOP)
        try:
            inode = path.stat().st_ino
            with pytest.raises(Unavailable), Client(path, timeout=0.3) as client:
                client.hello()
            began = time.monotonic()
            refused = start("--data-dir", tmp_path)
            assert (refused.returncode, f"pid {daemon.pid}" in refused.stderr) == (75, True)
            elsewhere = start("--data-dir", tmp_path / "other", "--socket", path)
            assert elsewhere.returncode == 75, elsewhere.stderr
            assert time.monotonic() - began < 30
            assert path.stat().st_ino == inode
        finally:
            daemon.send_signal(signal.SIGCONT)
        assert answers(path) == daemon.pid


@pytest.mark.parametrize("what", ["file", "directory", "pipe", "dangling link", "link to a file"])
def test_c39_what_is_no_socket_is_left_as_it_is(tmp_path: Path, what: str) -> None:
    path = tmp_path / "api.sock"
    other = tmp_path / "other"
    other.write_text("precious")
    match what:
        case "file":
            path.write_text("precious")
        case "directory":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "dangling link":
            path.symlink_to(tmp_path / "nowhere")
        case _:
            path.symlink_to(other)
    before = path.lstat()
    refused = start("--data-dir", tmp_path / "data", "--socket", path)
    assert refused.returncode in (73, 78), refused.stderr
    assert str(path) in refused.stderr
    assert refused.stderr.count("\n") <= 2
    assert "Traceback" not in refused.stderr
    after = path.lstat()
    assert (after.st_ino, after.st_mode, after.st_size) == (before.st_ino, before.st_mode, before.st_size)
    assert other.read_text() == "precious"
    status = run([sys.executable, "-m", "spiderd", "status", "--socket", str(path)])
    assert status.returncode in (3, 4)
    assert "Traceback" not in status.stderr


def test_c39_a_path_that_is_too_long_is_told_with_its_length_by_daemon_and_client(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 100) / "data"
    for arguments in (("--data-dir", deep), ("--data-dir", tmp_path, "--socket", tmp_path / ("y" * 100))):
        refused = start(*arguments)
        assert refused.returncode == 73, refused.stderr
        assert "bytes" in refused.stderr
        assert "107" in refused.stderr or "103" in refused.stderr
        status = run([sys.executable, "-m", "spiderd", "status", *map(str, arguments)])
        assert status.returncode in (4, 73)
        assert "bytes" in status.stderr
    assert not deep.exists()


def test_c39_a_long_data_directory_serves_with_a_short_socket(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 100) / "data"
    with daemon_process(deep, *QUICK, "--socket", str(tmp_path / "s")) as daemon:
        wait_until(answering(tmp_path / "s"), daemon)
        assert answers(tmp_path / "s") == daemon.pid


def test_c39_the_lock_decides_under_any_name_of_the_directory(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (tmp_path / "link").symlink_to(data)
    with daemon_process(data, *QUICK) as daemon:
        wait_until(answering(data / "spiderd.sock"), daemon)
        for other in (tmp_path / "link", tmp_path / "." / "x" / ".." / "data"):
            (tmp_path / "x").mkdir(exist_ok=True)
            refused = start("--data-dir", other, "--socket", tmp_path / "free.sock")
            assert refused.returncode == 75, refused.stderr
        (data / "lock").unlink()  # somebody tidies up
        refused = start("--data-dir", data)
        assert refused.returncode == 75, refused.stderr
        assert answers(data / "spiderd.sock") == daemon.pid


def test_c39_two_directories_may_not_share_a_socket(tmp_path: Path) -> None:
    path = tmp_path / "shared.sock"
    with daemon_process(tmp_path / "a", *QUICK, "--socket", str(path)) as daemon:
        wait_until(answering(path), daemon)
        refused = start("--data-dir", tmp_path / "b", "--socket", path)
        assert refused.returncode == 75, refused.stderr
        assert answers(path) == daemon.pid
    free = start("--data-dir", tmp_path / "b", "--socket", path, "--once")
    assert free.returncode == 2, free.stderr  # the socket is free; there is nothing to crawl
    assert "nothing to crawl" in free.stderr


class Deaf:
    """A client that asks for everything and reads nothing."""

    def __init__(self, path: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.settimeout(0.1)
        self.socket.connect(str(path))
        self.sent = 0

    def shout(self) -> None:
        """Ask again and again until the daemon takes no more."""
        try:
            for target in ("/v1/stream", "/v1/events?since=0", "/v1/status", "/v1/hosts") * 200:
                self.socket.sendall(f"GET {target} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
                self.sent += 1
        except OSError:
            return


def crawl_time(tmp_path: Path, pages: Site, deaf: int) -> float:
    """Seconds that a crawl takes beside so many clients that do not read."""
    path = tmp_path / "spiderd.sock"
    with daemon_process(tmp_path, *QUICK, "--log-level", "error") as daemon:
        wait_until(answering(path), daemon)
        clients = [Deaf(path) for _ in range(deaf)]
        threads = [threading.Thread(target=client.shout) for client in clients]
        for thread in threads:
            thread.start()
        with Client(path) as client:
            began = time.monotonic()
            client.add([pages.url("/")])
            wait_until(lambda: client.status().state == "complete", daemon)
            took = time.monotonic() - began
            assert client.status().counters.error == 30
        for thread in threads:
            thread.join()
        for each in clients:
            each.socket.close()
    return took


def test_c39_clients_that_do_not_read_do_not_slow_the_crawl(tmp_path: Path) -> None:
    routes = site(300)
    routes |= {f"/gone{number}": (404, {}, b"") for number in range(0, 300, 10)}
    with threaded_site(routes) as pages:
        alone = crawl_time(tmp_path / "alone", pages, 0)
        beside = crawl_time(tmp_path / "beside", pages, 8)
    assert beside < 3 * alone + 3.0  # a crawl that waits for a client would never end


def test_c39_a_client_that_does_not_read_is_dropped_and_makes_room(tmp_path: Path) -> None:
    path = tmp_path / "spiderd.sock"
    with daemon_process(tmp_path, *QUICK) as daemon:
        wait_until(answering(path), daemon)
        deaf = [Deaf(path) for _ in range(30)]
        for client in deaf:
            client.shout()
        assert answers(path) == daemon.pid  # there is room for those who read
        memory = resident(daemon.pid)
        for client in deaf:
            client.shout()
        assert resident(daemon.pid) < memory + 32 * 1024 * 1024  # what they do not read is not kept for them
        for client in deaf:
            client.socket.close()


def resident(pid: int) -> int:
    """Bytes of memory of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
