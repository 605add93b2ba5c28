"""Starts a daemon in the background, as `spiderd start --detach` does in a shell."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE

from spiderd.errors import SpiderdError
from tui.text import harmless

PATIENCE = 30.0  # seconds; the command itself waits until the daemon answers
TOLD = 300  # characters of what the command said that are shown


class NotStarted(SpiderdError):
    """The daemon could not be started; says why in its own words."""


def command_line(urls: list[str], *, data_dir: str, socket: str, threads: int) -> list[str]:
    """The command that starts a daemon which this screen will find."""
    line = [sys.executable, "-m", "spiderd", "start", "--detach", "--data-dir", data_dir, "--socket", socket]
    if threads:
        line += ["--threads", str(threads)]
    return [*line, "--", *urls]


async def start(command: list[str]) -> None:
    """Run the command and wait for it.

    Raises:
        NotStarted: it ended with an error, or not in time.
    """
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=DEVNULL,
        stdout=DEVNULL,
        stderr=PIPE,
        start_new_session=True,  # leaving the screen leaves the daemon alone
    )
    try:
        _, said = await asyncio.wait_for(process.communicate(), PATIENCE)
    except TimeoutError:
        raise NotStarted(f"no answer from spiderd start in {PATIENCE:.0f} s") from None
    if process.returncode:
        lines = said.decode(errors="replace").strip().splitlines() or [f"exit status {process.returncode}"]
        raise NotStarted(harmless(lines[-1])[:TOLD])
