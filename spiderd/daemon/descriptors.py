"""How many files and sockets the daemon may have open."""

from __future__ import annotations

import resource
from contextlib import suppress

ENOUGH = 65_536


def raise_limit() -> None:
    """Have as many as the system lets us: shells hand out 1,024, and a fetcher keeps connections warm."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ENOUGH if hard == resource.RLIM_INFINITY else min(hard, ENOUGH)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):  # macOS has another limit beside this one
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
