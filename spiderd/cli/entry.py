"""Where the command line begins and ends: here alone exceptions become a sentence and an exit code.

An exception that is not ours is a bug and keeps its traceback (exit code 1).
"""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from spiderd.cli.narration import note
from spiderd.cli.root import spiderd
from spiderd.errors import SpiderdError

INTERRUPTED = 130  # 128 + SIGINT, as shells count


def main() -> NoReturn:
    """Run the command that the arguments of the process name, and exit."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # a URL that the locale cannot write is no reason to fail
        sys.stdout.reconfigure(errors="backslashreplace")
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command; returns its exit code."""
    try:
        code = spiderd.main(list(arguments), prog_name="spiderd", standalone_mode=False)
    except click.Abort:
        return INTERRUPTED
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "spiderd"
        note(f"{error.format_message().rstrip('.')} (see {command} --help)")
        return error.exit_code
    except click.ClickException as error:
        note(error.format_message())
        return error.exit_code
    except SpiderdError as error:
        note(str(error))
        return error.exit_code
    return code if isinstance(code, int) else 0
