"""`spiderd config | set | reload`: the configuration in effect, and changing it while the crawl runs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import cast, get_origin

import click

from spiderd.cli.narration import note
from spiderd.cli.options import (
    asks_daemon,
    config_option,
    data_dir_option,
    json_option,
    parsed_settings,
    set_option,
    socket_option,
)
from spiderd.cli.output import print_json
from spiderd.client import Client
from spiderd.config.loading import load
from spiderd.config.rendering import render
from spiderd.config.schema import keys
from spiderd.locate import locate_socket
from spiderd.paths import absolute
from spiderd.printable import printable
from spiderd.protocol import Change, Reconfigured, SettingRow, SettingValue
from spiderd.protocol import Settings as LiveSettings


@click.command("config")
@config_option
@data_dir_option
@socket_option
@set_option
@click.option("--live", is_flag=True, help="Ask the running daemon for what it goes by.")
@json_option
def config(
    config: Path | None,
    data_dir: Path | None,
    socket: Path | None,
    settings: tuple[str, ...],
    *,
    live: bool,
    as_json: bool,
) -> None:
    """Print the configuration in effect.

    Flags, environment, file and defaults put together, as a file that could be read again; passwords in
    URLs are masked. A configuration that is wrong is refused with file, line and key (exit status 78). With
    --live it is that of the running daemon; what was set live, or waits for a restart, is marked.
    """
    if live:
        if settings:
            raise click.UsageError("--live and --set exclude each other; spiderd set changes a setting live")
        with Client(locate_socket(socket=socket, data_dir=data_dir, config=config)) as client:
            answer = client.settings()
        if as_json:
            print_json(answer)
        else:
            click.echo(f"# {answer.source or 'no file'}\n\n{live_text(answer)}", nl=False)
        return
    if as_json:
        raise click.UsageError("--json goes with --live; without it the output is TOML")
    flags = parsed_settings(settings)
    if socket is not None:
        flags["api.socket"] = str(absolute(socket))
    loaded = load(config, flags)
    click.echo(f"# {loaded.source or 'no file: these are the defaults'}\n\n{render(loaded.config)}", nl=False)


def live_text(settings: LiveSettings) -> str:
    """Write the settings of a daemon as a file, what differs marked."""
    lines: list[str] = []
    section = ""
    for row in settings.rows:
        before, _, name = row.key.partition(".")
        if before != section:
            lines += ["", f"[{before}]"] if section else [f"[{before}]"]
            section = before
        lines.append(f"{name} = {row.value}{_remark(row)}")
    return "\n".join(lines) + "\n"


def _remark(row: SettingRow) -> str:
    if row.override:
        return f"  # set live; else {row.filed}"
    if row.value != row.filed:
        return f"  # {row.filed} after a restart"
    return ""


@click.command("set")
@asks_daemon
@click.argument("key", metavar="KEY")
@click.argument("values", metavar="[VALUE]...", nargs=-1)
@click.option("--unset", is_flag=True, help="Go back to what the file says.")
@json_option
def set_(client: Client, key: str, values: tuple[str, ...], *, unset: bool, as_json: bool) -> None:
    r"""Change a setting of the running crawl, without touching the file.

    It holds across restarts, before file and command line, until it is unset; `spiderd config --live` marks
    it. A VALUE is written as in the file, or for short: spiderd set crawl.threads 16, spiderd set
    politeness.delay 500ms, spiderd set scope.exclude '\.pdf$' '/print/' (all patterns that are to hold).
    """
    if unset == bool(values):
        raise click.UsageError("set wants a value, or --unset")
    answer = client.unset(key) if unset else client.set(key, _value(key, values))
    _tell(answer, as_json=as_json, nothing=f"{key} is as it was")


@click.command()
@asks_daemon
@json_option
def reload(client: Client, *, as_json: bool) -> None:
    """Have the daemon read its configuration again.

    What can be applied to the running crawl is; what needs a restart is listed. A configuration that is wrong
    is refused as a whole (exit status 78), and the daemon goes on with the one it has.
    """
    _tell(client.reload(), as_json=as_json, nothing="nothing has changed")


def _value(key: str, values: tuple[str, ...]) -> SettingValue:
    """Read the value of a key; several are a list, and so is one where the key wants a list."""
    parsed = parsed_settings((f"value={values[0]}",))["value"]
    known = keys().get(key)
    wants_list = known is not None and get_origin(known.type) is list
    if len(values) == 1 and (isinstance(parsed, list) or not wants_list):
        return cast("SettingValue", parsed)  # TOML has other types, too: no key takes them
    return list(values)


def _tell(answer: Reconfigured, *, as_json: bool, nothing: str) -> None:
    if as_json:
        print_json(answer)
        return
    for change in answer.changed:
        click.echo(printable(f"{change.key} = {change.value}  (was {change.filed})"))
    if not answer.changed and not answer.restart:
        click.echo(nothing)
    _say("needs a restart", answer.restart)
    for change in answer.hidden:
        note(f"{change.key} stays {change.value}, which was set live; the file has {change.filed}")
    for sentence in answer.notes:
        note(sentence)


def _say(what: str, changes: Iterable[Change]) -> None:
    for change in changes:
        click.echo(printable(f"{change.key} = {change.value}  ({what}; now {change.filed})"))
