"""`spiderd start` in a process that kills itself at a chosen moment, as nobody can from outside.

    python -m tests.cases.killing MOMENT COUNT start ...

At the COUNTth time that the moment comes, the process gets SIGKILL. The map of the store is small and grows
often, and commits come ten times as often as usual, so that there is much to be killed in.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from spiderd.archive.directory import Directory
from spiderd.archive.records import Records
from spiderd.daemon import running
from spiderd.store import environment
from spiderd.store.directories import Directories
from spiderd.store.environment import Environment
from spiderd.store.journal import Journal, frame_of
from spiderd.store.syncing import Syncing
from spiderd.store.thread import StoreThread
from spiderd.store.transaction import Transaction

SMALL_MAP = 256 * 1024
SMALL_HEADROOM = 32 * 1024


def die() -> NoReturn:
    """End at once, without any clean-up."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("unreachable")


def before(owner: type, name: str, count: int) -> None:
    """Die when a method is called for the count-th time."""
    _wrap(owner, name, count, first=True)


def after(owner: type, name: str, count: int) -> None:
    """Die when a method has returned for the count-th time."""
    _wrap(owner, name, count, first=False)


def _wrap(owner: type, name: str, count: int, *, first: bool) -> None:
    method: Callable[..., Any] = getattr(owner, name)
    left = [count]

    def wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
        left[0] -= 1
        if first and left[0] <= 0:
            die()
        result = method(self, *args, **kwargs)
        if left[0] <= 0:
            die()
        return result

    setattr(owner, name, wrapped)


def torn(owner: type[Journal], name: str, count: int) -> None:
    """Die in the middle of writing a frame of the journal."""
    append = owner.append
    left = [count]

    def wrapped(self: Journal, commits: int, payload: bytes) -> None:
        left[0] -= 1
        if left[0] <= 0:
            frame = frame_of(commits, payload)
            os.pwrite(self._fd, frame[: len(frame) // 2], self.end)
            die()
        append(self, commits, payload)

    setattr(owner, name, wrapped)


MOMENTS: dict[str, tuple[Callable[[Any, str, int], None], type, str]] = {
    "file written, no index line": (after, Directory, "_write_file"),
    "index line written, outcome not sent": (after, Directory, "store"),
    "directory full": (after, Directories, "new"),
    "step not in the journal": (before, Journal, "append"),
    "frame of the journal torn": (torn, Journal, "append"),
    "step in the journal, not performed": (after, Journal, "append"),
    "before a commit": (before, Transaction, "commit"),
    "after a commit, journal not emptied": (after, Transaction, "commit"),
    "journal emptied": (after, Journal, "cut"),
    "files synced, rows not committed": (after, Syncing, "before_commit"),
    "before the map grows": (before, Environment, "grow"),
    "after the map has grown": (after, Environment, "grow"),
    "in the middle of recovery": (after, StoreThread, "_run"),
}

OF_RECORDS: dict[str, tuple[Callable[[Any, str, int], None], type, str]] = {
    "offset written, no record": (before, Records, "_append"),
    "record written, no index line": (after, Records, "add"),
    "revisit written, outcome not sent": (after, Records, "note"),
}
"""Moments that only an archive of records has."""


def main() -> None:
    """Arm the process and run it."""
    moment, count, *arguments = sys.argv[1:]
    environment.HEADROOM = SMALL_HEADROOM
    running.COMMIT_INTERVAL = running.BATCH_INTERVAL = 0.01
    assert "map_size" in Environment.__init__.__kwdefaults__
    Environment.__init__.__kwdefaults__["map_size"] = SMALL_MAP
    arm, owner, method = (MOMENTS | OF_RECORDS)[moment]
    arm(owner, method, int(count))
    from spiderd.cli.entry import run

    sys.exit(run(arguments))


if __name__ == "__main__":
    main()
