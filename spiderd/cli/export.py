"""`spiderd export`: what was crawled, in forms that other programs read."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from spiderd.cli.narration import note
from spiderd.cli.options import data_dir_option
from spiderd.cli.output import is_terminal
from spiderd.cli.progress import progress_bar
from spiderd.errors import CannotCreate, DiskFull, StorageError
from spiderd.export import KINDS
from spiderd.export import export as export_it
from spiderd.paths import data_dir as find_data_dir
from spiderd.units import counted

BUFFER = 1024 * 1024
PIPE_CLOSED = 141  # 128 + SIGPIPE, as shells count


class _Kinds(click.Command):
    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """List the kinds."""
        with formatter.section("Kinds"):
            formatter.write_dl([(name, kind.help) for name, kind in KINDS.items()])


@click.command("export", cls=_Kinds)
@data_dir_option
@click.option(
    "-o", "--output", metavar="FILE", default="-", help="Write into FILE; - is standard output, the default."
)
@click.argument("kind", metavar="KIND", type=click.Choice(list(KINDS)))
def export(*, data_dir: Path | None, output: str, kind: str) -> int:
    """Write the pages that were crawled as KIND, whether the daemon runs or not.

    A daemon that runs goes on; what it records meanwhile is left out. A FILE appears when it is whole.
    """
    directory = find_data_dir(data_dir).path
    if output == "-" and KINDS[kind].binary and is_terminal(sys.stdout):
        raise click.UsageError(f"{kind} is not for the eye: name a file with -o, or use a pipe")
    with progress_bar() as progress, _opened(output) as out:
        job = export_it(directory, kind, out, progress)
    for text in job.notes:
        note(text)
    if output != "-":
        note(f"{counted(job.snapshot.last, 'page')} exported to {output}")
    return 1 if job.missing else 0


@contextmanager
def _opened(output: str) -> Iterator[BinaryIO]:
    """Open what is written to; a file gets its name when all of it is there."""
    if output == "-":
        try:
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        except BrokenPipeError:  # whoever read has had enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left goes nowhere
            raise click.exceptions.Exit(PIPE_CLOSED) from None
        return
    path = Path(output)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        file = part.open("wb", BUFFER)
    except OSError as error:
        raise CannotCreate(f"{output} cannot be written: {error.strerror}.") from error
    try:
        with file:
            yield file
        part.replace(path)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(f"No room left for {output}.") from error
        raise StorageError(f"{output} cannot be written: {error.strerror}.") from error
    finally:
        part.unlink(missing_ok=True)
