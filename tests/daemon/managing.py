"""A service manager's end of the notify socket."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spiderd.daemon.notify import Notifier

PATIENCE = 30.0  # seconds until a test gives up; never waited for when all is well


class Manager:
    """Collects what a service tells."""

    def __init__(self, sock: socket.socket, address: str) -> None:
        self._socket = sock
        self.address = address
        self.heard: list[dict[str, str]] = []
        self.notifiers: list[Notifier] = []

    def notifier(self, watchdog: float = 0.0) -> Notifier:
        """What a service would make of its environment; closed with the manager."""
        self.notifiers.append(Notifier(self.address, watchdog=watchdog))
        return self.notifiers[-1]

    def next(self, timeout: float = PATIENCE) -> dict[str, str] | None:
        """The next notification; None where none comes in time."""
        self._socket.settimeout(timeout)
        try:
            data = self._socket.recv(65536).decode()
        except (TimeoutError, BlockingIOError):
            return None
        told = dict(line.split("=", 1) for line in data.split("\n"))
        assert len(told) == len(data.split("\n")), data
        self.heard.append(told)
        return told

    def pending(self) -> list[dict[str, str]]:
        """All that is there already."""
        found = []
        while (told := self.next(0.0)) is not None:
            found.append(told)
        return found

    def until(self, name: str) -> dict[str, str]:
        """Read on until something is told; the notification that tells it."""
        while (told := self.next()) is not None:
            if name in told:
                return told
        raise AssertionError(f"{name} was never told: {self.heard}")


@contextmanager
def manager(folder: Path, *, abstract: bool = False) -> Iterator[Manager]:
    """Listen as systemd does."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        if abstract:
            sock.bind("")  # the kernel chooses an abstract name (unix(7), autobind)
            address = "@" + sock.getsockname()[1:].decode()
        else:
            address = str(folder / "notify")
            sock.bind(address)
        found = Manager(sock, address)
        try:
            yield found
        finally:
            for notifier in found.notifiers:
                notifier.close()
