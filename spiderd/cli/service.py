"""`spiderd service install`: puts the units of systemd in place, says what each is and what comes next."""

from __future__ import annotations

import os
from pathlib import Path

import click

from spiderd.cli.narration import note
from spiderd.cli.unit_files import SYSTEM, USER, Placed, Scope, command_line, hidden_by_the_unit, rendered
from spiderd.errors import CannotCreate

NEXT = {
    USER: (
        ("systemctl --user daemon-reload", "read the units"),
        ("systemctl --user enable --now spiderd", "start it now, and whenever you log in"),
        ("loginctl enable-linger", "or whenever the machine starts, logged in or not"),
        ("spiderd add https://example.org/", "give it something to do"),
        ("journalctl --user -u spiderd -f", "watch its log; spider-tui shows more"),
    ),
    SYSTEM: (
        ("systemd-sysusers", "make the user spiderd"),
        ("systemd-tmpfiles --create spiderd.conf", "make the folder of the socket"),
        ("systemctl daemon-reload", "read the units"),
        ("systemctl enable --now spiderd", "start it now, and with the machine"),
        ("spiderd add https://example.org/", "give it something to do, as root"),
        ("journalctl -u spiderd -f", "watch its log; spider-tui shows more"),
    ),
}


@click.group("service")
def service() -> None:
    """Run the daemon under systemd: write its units, and explain them."""


@service.command("install")
@click.option("--user", "scope", flag_value=USER.name, default=USER.name, help="For yourself (the default).")
@click.option("--system", "scope", flag_value=SYSTEM.name, help="For the machine, as a user of its own.")
@click.option("--dry-run", is_flag=True, help="Show what would be written, and write nothing.")
@click.option("--force", is_flag=True, help="Replace units that differ.")
@click.option("--root", metavar="DIR", type=click.Path(path_type=Path), help="Put DIR before all paths.")
def install(scope: str, root: Path | None, *, dry_run: bool, force: bool) -> None:
    """Write the units, and explain them.

    Nothing is started. Units that are there and differ are left alone, unless --force is given; what you
    change belongs into a drop-in (systemctl edit spiderd), which no --force touches.
    """
    wanted = USER if scope == USER.name else SYSTEM
    files = rendered(wanted, command_line(), os.environ, root)
    if dry_run:
        for file in files:
            click.echo(f"# {file.path}\n{file.text}")
    else:
        _write_all(files, force=force)
    if wanted is SYSTEM and (where := hidden_by_the_unit(command_line())):
        note(
            f"the unit hides {where}, where this spiderd is installed: install it elsewhere first, such as "
            "with PIPX_HOME=/opt/pipx PIPX_BIN_DIR=/usr/local/bin pipx install spiderd"
        )
    _explain(wanted, aside=dry_run)


def _write_all(files: list[Placed], *, force: bool) -> None:
    states = [file.state() for file in files]
    others = [str(file.path) for file, state in zip(files, states, strict=True) if state == "differs"]
    if others and not force:
        raise CannotCreate(
            f"there already, and not the same: {', '.join(others)} (--force replaces, --dry-run shows)"
        )
    for file, state in zip(files, states, strict=True):
        if state == "same":
            click.echo(f"unchanged  {file.path}  {file.purpose}")
        else:
            file.write()
            click.echo(f"{'wrote' if state == 'new' else 'replaced':9}  {file.path}  {file.purpose}")


def _explain(scope: Scope, *, aside: bool) -> None:
    click.echo("\nNext:", err=aside)
    width = max(len(command) for command, _ in NEXT[scope])
    for command, purpose in NEXT[scope]:
        click.echo(f"  {command:{width}}  # {purpose}", err=aside)
