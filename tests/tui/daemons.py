"""A real daemon in a process of its own, crawling a site on loopback."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.web.server import Site, threaded_site

ROOT = Path(__file__).parents[2]
PATIENCE = 30.0  # seconds


class Daemon:
    """`spiderd start` on one data directory; may be killed and started again."""

    def __init__(
        self, data_dir: Path, urls: list[str], options: tuple[str, ...], program: tuple[str, ...]
    ) -> None:
        self.data_dir = data_dir
        self.socket = data_dir / "spiderd.sock"
        self._urls = urls
        self._options = options
        self._program = program
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [
            *(sys.executable, *self._program, "start", *self._urls),
            *("--data-dir", str(self.data_dir), "--threads", "3", "--processes", "0", *self._options),
        ]
        with (self.data_dir / "daemon.log").open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        end = time.monotonic() + PATIENCE
        while not self._answers():
            assert self.process.poll() is None, f"the daemon has ended:\n{self.log()}"
            assert time.monotonic() < end, f"the daemon does not listen:\n{self.log()}"
            time.sleep(0.02)

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as client:
            return client.connect_ex(str(self.socket)) == 0

    def log(self) -> str:
        return (self.data_dir / "daemon.log").read_text(errors="replace")[-2000:]

    def send(self, signal_number: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(signal_number)

    def wait(self) -> int:
        assert self.process is not None
        return self.process.wait(PATIENCE)

    def kill(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait(PATIENCE)


@contextmanager
def daemon(
    data_dir: Path,
    *urls: str,
    options: tuple[str, ...] = ("--delay", "0"),
    program: tuple[str, ...] = ("-m", "spiderd"),
) -> Iterator[Daemon]:
    running = Daemon(data_dir, list(urls), options, program)
    running.start()
    try:
        yield running
    finally:
        running.kill()


@contextmanager
def site(pages: int, *, endless: bool = False, seventh: int = 404) -> Iterator[Site]:
    """A site of linked pages, of which page 7 has another status; an endless one has always one more."""

    def answer(request):
        path = request.path.strip("/")
        if path == "robots.txt":
            return (404, {}, b"")
        number = int(path) if path.isdigit() else 0
        if number == 7:
            return (seventh, {}, b"no page")
        links = range(2 * number + 1, 2 * number + 3)
        body = "".join(f'<a href="/{link}">{link}</a>' for link in links if endless or link < pages)
        return f"<title>Page {number}</title><p>This is page {number}.</p>{body}"

    with threaded_site(answer) as served:
        yield served
