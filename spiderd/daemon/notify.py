"""What a service manager is told, in the words of sd_notify(3).

A notification is one datagram of "NAME=value" lines to the unix socket that `NOTIFY_SOCKET` names; a leading
"@" stands for the NUL of Linux's abstract names. Nothing answers. Sending never blocks: where the manager's
queue is full, what matters waits for the next notification and what is outdated by then (status, watchdog) is
dropped. Without a manager everything here does nothing, so that nobody has to ask.

The variables are taken out of the environment: fetchers and indexer are no services of their own.
"""

from __future__ import annotations

import os
import socket
from collections.abc import MutableMapping
from contextlib import suppress

from spiderd.config.secrets import masked
from spiderd.printable import printable

STATUS_MAX = 400  # characters of a status line; it is for one line of `systemctl status`
_PASSING = frozenset({"STATUS", "WATCHDOG", "EXTEND_TIMEOUT_USEC"})  # of which the newest makes the rest moot


class Notifier:
    """The way to the service manager, if there is one."""

    def __init__(self, address: str = "", *, watchdog: float = 0.0) -> None:
        """Open the way.

        Args:
            address: of the manager's socket, as in `NOTIFY_SOCKET`; "" = there is no manager.
            watchdog: seconds within which the manager wants a sign of life; 0 = it does not.
        """
        self.watchdog = watchdog
        self._kept: list[str] = []
        self._socket: socket.socket | None = None
        if address.startswith(("/", "@")):  # other families are for virtual machines
            self._address = f"\0{address[1:]}" if address.startswith("@") else address
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
            self._socket.setblocking(False)

    @classmethod
    def from_environment(cls, environ: MutableMapping[str, str]) -> Notifier:
        """Read what systemd has set, and take it out of `environ`."""
        address = environ.pop("NOTIFY_SOCKET", "")
        microseconds = environ.pop("WATCHDOG_USEC", "")
        meant_for = environ.pop("WATCHDOG_PID", "")
        ours = meant_for in {"", str(os.getpid())}
        watched = ours and microseconds.isascii() and microseconds.isdigit()
        return cls(address, watchdog=int(microseconds) / 1e6 if watched else 0.0)

    @property
    def is_there(self) -> bool:
        """Whether a manager listens."""
        return self._socket is not None

    def send(self, **fields: str | int) -> None:
        """Tell something, such as `send(READY=1, STATUS="running")`."""
        if self._socket is None:
            return
        lines = [f"{name}={_on_one_line(value)}" for name, value in fields.items()]
        self._kept, lines = [], [*self._kept, *lines]
        try:
            self._socket.sendto("\n".join(lines).encode(errors="replace"), self._address)
        except BlockingIOError:
            self._kept = [line for line in lines if line.partition("=")[0] not in _PASSING]
        except OSError:  # the manager has gone, which is no reason to go too
            self._kept = []

    def close(self) -> None:
        """Close the way; what comes after is told to nobody."""
        if self._socket is not None:
            with suppress(OSError):
                self._socket.close()
            self._socket = None


def _on_one_line(value: str | int) -> str:
    return masked(printable(value))[:STATUS_MAX] if isinstance(value, str) else str(value)
