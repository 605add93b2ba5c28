"""Whether a stream would take a line now: a log whose reader has stopped must not stop the crawl.

A terminal that was stopped with Ctrl-S, a pager that waits for a key, a journal that hangs: a write to any of
them blocks, and with it the loop. poll(2) tells without a write: a pipe is ready while it has room for
PIPE_BUF bytes (POSIX guarantees 512; Linux has 4096), and a line that is no longer is then written at once.
"""

from __future__ import annotations

import select
from typing import IO

LINE = select.PIPE_BUF  # bytes of a line, at most, that is sure not to block


def takes_a_line(stream: IO[str]) -> bool:
    """Whether a line of up to LINE bytes can be written without waiting; True where nobody can tell."""
    try:
        poll = select.poll()
        poll.register(stream.fileno(), select.POLLOUT)
        ready = poll.poll(0)
    except (OSError, ValueError, AttributeError):  # no file descriptor behind it, or no poll
        return True
    return bool(ready)  # an error counts: the write will tell which


def cut(line: str) -> str:
    """A line that is sure not to block, its end included."""
    data = line.encode(errors="replace")
    return line if len(data) <= LINE else data[: LINE - 5].decode(errors="ignore") + "...\n"
