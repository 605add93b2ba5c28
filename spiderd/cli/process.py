"""Waits for the end of a process that is not our child.

Linux tells by a file descriptor (pidfd_open(2)), which no other process can take over and which counts a
process as ended whether or not its parent has noticed. Elsewhere the process table is looked at now and then.
"""

from __future__ import annotations

import os
import select
import sys
import time
from types import TracebackType
from typing import Self

LOOK_EVERY = 0.05  # seconds, where there is nothing to wait on


class Process:
    """A process, found by its number while it is known to be the right one."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._descriptor = _descriptor_of(pid)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)

    def wait(self, timeout: float) -> bool:
        """Wait until it has ended; False where it has not after so many seconds."""
        if self._descriptor is not None:
            return bool(select.select([self._descriptor], [], [], timeout)[0])
        deadline = time.monotonic() + timeout
        while self._is_there():
            if time.monotonic() >= deadline:
                return False
            time.sleep(LOOK_EVERY)
        return True

    def _is_there(self) -> bool:
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return True


def _descriptor_of(pid: int) -> int | None:
    if sys.platform != "linux":
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:  # it is gone, or in a world of its own, or the kernel is older than 5.3
        return None
