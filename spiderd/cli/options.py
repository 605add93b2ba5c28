"""Options that many commands share, and how a command gets at the daemon."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from spiderd.client import Client
from spiderd.locate import locate_socket

R = TypeVar("R")
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

config_option: Decorator = click.option(
    "--config",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Configuration file, instead of SPIDERD_CONFIG and the usual places.",
)
data_dir_option: Decorator = click.option(
    "--data-dir",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Data directory, instead of SPIDERD_DATA_DIR and the default.",
)
socket_option: Decorator = click.option(
    "--socket",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="The daemon's socket, instead of SPIDERD_SOCKET, api.socket and the default.",
)
json_option: Decorator = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
set_option: Decorator = click.option(
    "--set",
    "settings",
    metavar="KEY=VALUE",
    multiple=True,
    help='Set any key of the configuration, such as fetch.max_body=1MiB or scope.exclude=["x"].',
)


def asks_daemon(function: Callable[..., R]) -> Callable[..., R]:
    """Give a command the options that find the daemon, and a client of it as its first argument."""

    @socket_option
    @data_dir_option
    @config_option
    @wraps(function)
    def command(*, socket: Path | None, data_dir: Path | None, config: Path | None, **others: Any) -> R:
        with Client(locate_socket(socket=socket, data_dir=data_dir, config=config)) as client:
            return function(client, **others)

    return command


def parsed_settings(settings: tuple[str, ...]) -> dict[str, object]:
    """Read the values of `--set`: TOML where the value is TOML, else a plain string.

    Raises:
        click.UsageError: one has no "=".
    """
    import tomllib

    values: dict[str, object] = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals:
            raise click.UsageError(f'--set wants KEY=VALUE, not "{setting}"')
        try:
            values[key.strip()] = tomllib.loads(f"value = {text}")["value"]
        except (tomllib.TOMLDecodeError, RecursionError):
            values[key.strip()] = text.strip()
    return values
