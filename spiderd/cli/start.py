"""`spiderd start`: the daemon in the foreground, or detached."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, get_args

import click

from spiderd import paths
from spiderd.cli.options import config_option, data_dir_option, parsed_settings, set_option, socket_option
from spiderd.config import schema
from spiderd.config.loading import load

SHORTHANDS = {
    "threads": ("crawl.threads", "N", "Workers, each with its own download directory."),
    "processes": ("crawl.processes", "N", 'Fetcher processes; "auto" or 0 = inside the daemon.'),
    "order": ("crawl.order", "", "Which URL comes first."),
    "follow": ("scope.follow", "", "Which links are followed: as far as the seed's ..."),
    "max-depth": ("crawl.max_depth", "N", "Links from a seed; 0 = no limit."),
    "max-pages": ("crawl.max_pages", "N", "The crawl is complete after so many pages; 0 = no limit."),
    "delay": ("politeness.delay", "TIME", 'Between two requests to a host, such as "500ms".'),
    "format": ("archive.format", "", "How pages are kept."),
    "log-level": ("log.level", "", "Least level of the log on standard error."),
}
"""Options that are short for a key of the configuration: key, what stands in the help for its value, help."""


def shorthands(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of the table; their values are read as those of --set are."""
    for name, (key, metavar, text) in reversed(SHORTHANDS.items()):
        metavar = metavar or "|".join(get_args(schema.keys()[key].type))  # noqa: PLW2901 - or the words there are
        command = click.option(f"--{name}", key.replace(".", "_"), metavar=metavar, help=text)(command)
    return command


@click.command()
@click.argument("urls", nargs=-1, metavar="[URL]...")
@config_option
@data_dir_option
@socket_option
@click.option(
    "--once", is_flag=True, help="End with status 0 when the crawl is complete, instead of waiting for more."
)
@click.option("--detach", is_flag=True, help="Go into the background once the daemon answers.")
@shorthands
@set_option
def start(
    urls: tuple[str, ...],
    config: Path | None,
    data_dir: Path | None,
    socket: Path | None,
    settings: tuple[str, ...],
    *,
    once: bool,
    detach: bool,
    **shorthand: str | None,
) -> int:
    """Start a crawl from URLs, or go on with the one in the data directory.

    The same command again continues, whatever ended the last run. Ctrl-C finishes what is in flight; a second
    one leaves at once. Both lose nothing.

    \b
    Data directory, first that is given: --data-dir, SPIDERD_DATA_DIR, the unit's
    STATE_DIRECTORY, $XDG_STATE_HOME/spiderd, ~/.local/state/spiderd.
    Socket: --socket, SPIDERD_SOCKET, api.socket; else DIR/spiderd.sock where --data-dir
    or SPIDERD_DATA_DIR gives DIR; else api.sock in the unit's RUNTIME_DIRECTORY or in
    $XDG_RUNTIME_DIR/spiderd; else spiderd.sock in the data directory.
    Configuration: --config, SPIDERD_CONFIG, $XDG_CONFIG_HOME/spiderd/config.toml; flags
    and environment go before it.
    """  # noqa: D301 - \b is click's mark for a paragraph that is not to be wrapped again
    read = partial(load, config, _flags(urls, socket, settings, shorthand))
    loaded = read()
    data = paths.data_dir(data_dir)
    listens_at = paths.socket_path(data, named=loaded.config.api.socket)
    if detach:
        from spiderd.cli.detach import start_detached

        return start_detached(data.path, listens_at)
    from spiderd.cli.reports import reporting
    from spiderd.daemon import run

    with reporting() as report:
        return run(loaded, data_dir=data.path, socket=listens_at, once=once, report=report, reread=read)


def _flags(
    urls: tuple[str, ...], socket: Path | None, settings: tuple[str, ...], shorthand: dict[str, str | None]
) -> dict[str, object]:
    """Put together what the command line sets, by the full names of the keys."""
    given = [
        f"{key}={value}"
        for key, _, _ in SHORTHANDS.values()
        if (value := shorthand[key.replace(".", "_")]) is not None
    ]
    flags = parsed_settings((*given, *settings))
    if urls:
        flags["crawl.seeds"] = list(urls)
    if socket is not None:
        flags["api.socket"] = str(paths.absolute(socket))
    return flags
