"""The daemon: composition of store, coordinator, fetchers and API."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from spiderd.config.loading import Loaded
    from spiderd.daemon.fetchers import Forked
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
    from spiderd.daemon.descriptors import raise_limit
    from spiderd.daemon.fetchers import forked_fetchers

    raise_limit()
    with forked_fetchers(loaded.config) as forked:  # before there is anything that must not be forked
        return _run(loaded, data_dir, socket, forked, once=once, report=report, reread=reread)


def _run(
    loaded: Loaded,
    data_dir: Path,
    socket: Path,
    forked: list[Forked],
    *,
    once: bool,
    report: Report,
    reread: Callable[[], Loaded] | None,
) -> int:
    import os
    from contextlib import closing
    from functools import partial

    from spiderd.api.listening import inherited, listening
    from spiderd.daemon.lock import locked
    from spiderd.daemon.notify import Notifier
    from spiderd.daemon.running import run_daemon
    from spiderd.daemon.service import telling_failure

    go = partial(run_daemon, loaded, data_dir, once=once, report=report, reread=reread, forked=forked)
    with (
        closing(Notifier.from_environment(os.environ)) as notifier,
        telling_failure(notifier),
        locked(data_dir),
    ):
        handed_over = inherited(os.environ)
        if handed_over is not None:
            with handed_over:
                return go(handed_over, notifier=notifier)
        with listening(socket, group=loaded.config.api.group) as sock:
            return go(sock, notifier=notifier)
