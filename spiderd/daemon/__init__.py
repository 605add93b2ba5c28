"""The daemon: composition of store, coordinator, fetchers and API."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spiderd.config import Config
    from spiderd.report import Report


def run(config: Config, *, data_dir: Path, socket: Path, once: bool, report: Report) -> int:
    """Run the daemon in the foreground until it is stopped; the exit code.

    Args:
        config: the effective configuration.
        data_dir: where everything is kept; made if missing.
        socket: path of the local API.
        once: end when the crawl is complete.
        report: told of milestones and progress.

    Raises:
        SpiderdError: with a sentence for the user and an exit code.
    """
    import os  # noqa: PLC0415  # what only a running daemon needs is imported when it runs

    from spiderd.api.listening import inherited, listening  # noqa: PLC0415
    from spiderd.daemon.lock import locked  # noqa: PLC0415
    from spiderd.daemon.running import run_daemon  # noqa: PLC0415

    with locked(data_dir):
        handed_over = inherited(os.environ)
        if handed_over is not None:
            with handed_over:
                return run_daemon(config, data_dir, handed_over, once=once, report=report)
        with listening(socket, group=config.api.group) as sock:
            return run_daemon(config, data_dir, sock, once=once, report=report)
