"""`spiderd config`: the configuration in effect, as TOML."""

from __future__ import annotations

from pathlib import Path

import click

from spiderd.cli.options import config_option, parsed_settings, set_option, socket_option
from spiderd.config.loading import load
from spiderd.config.rendering import render
from spiderd.paths import absolute


@click.command("config")
@config_option
@socket_option
@set_option
def config(config: Path | None, socket: Path | None, settings: tuple[str, ...]) -> None:
    """Print the configuration in effect.

    Flags, environment, file and defaults put together, as a file that could be read again; passwords in
    URLs are masked. A configuration that is wrong is refused with file, line and key (exit status 78).
    """
    flags = parsed_settings(settings)
    if socket is not None:
        flags["api.socket"] = str(absolute(socket))
    loaded = load(config, flags)
    click.echo(f"# {loaded.source or 'no file: these are the defaults'}\n\n{render(loaded.config)}", nl=False)
