"""The daemon: composition of store, coordinator, fetchers and API."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from spiderd.config.loading import Loaded
    from spiderd.report import Report


def run(
    loaded: Loaded,
    *,
    data_dir: Path,
    socket: Path,
    once: bool,
    report: Report,
    reread: Callable[[], Loaded] | None = None,
) -> int:
    """Run the daemon in the foreground until it is stopped; the exit code.

    Args:
        loaded: the configuration, and the file that it was read from.
        data_dir: where everything is kept; made if missing.
        socket: path of the local API.
        once: end when the crawl is complete.
        report: told of milestones and progress.
        reread: reads the configuration again, as `spiderd reload` and SIGHUP ask for.

    Raises:
        SpiderdError: with a sentence for the user and an exit code.
    """
    import os  # noqa: PLC0415  # what only a running daemon needs is imported when it runs

    from spiderd.api.listening import inherited, listening  # noqa: PLC0415 - as above
    from spiderd.daemon.lock import locked  # noqa: PLC0415 - as above
    from spiderd.daemon.running import run_daemon  # noqa: PLC0415 - as above

    with locked(data_dir):
        handed_over = inherited(os.environ)
        if handed_over is not None:
            with handed_over:
                return run_daemon(loaded, data_dir, handed_over, once=once, report=report, reread=reread)
        with listening(socket, group=loaded.config.api.group) as sock:
            return run_daemon(loaded, data_dir, sock, once=once, report=report, reread=reread)
