"""The command `spider-tui`."""

from __future__ import annotations

import gc
import locale
import os
import sys
from pathlib import Path

import click

from spiderd import __version__
from spiderd.errors import SpiderdError, UsageError
from spiderd.locate import locate_socket
from spiderd.paths import data_dir
from tui.glyphs import ASCII, glyphs_for


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--socket",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="The daemon's socket (SPIDERD_SOCKET, api.socket).",
)
@click.option(
    "--data-dir",
    "data_dir_",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Its data directory (SPIDERD_DATA_DIR).",
)
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A configuration that names the socket (SPIDERD_CONFIG).",
)
@click.option("--read-only", is_flag=True, help="Watch only: no key changes anything.")
@click.option("--ascii", "plain", is_flag=True, help="Draw with ASCII characters only.")
@click.option("--theme", metavar="NAME", help="Such as spider-light, ansi-dark, nord (TEXTUAL_THEME).")
@click.version_option(__version__, prog_name="spider-tui")
def command(
    socket: Path | None,
    data_dir_: Path | None,
    config: Path | None,
    *,
    read_only: bool,
    plain: bool,
    theme: str | None,
) -> None:
    """Watch and steer a running spiderd. Leaving it never touches the crawl."""
    data = data_dir(data_dir_)
    path = locate_socket(socket=socket, data_dir=data_dir_, config=config)
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        raise UsageError("spider-tui needs a terminal; for scripts there is: spiderd status --json")
    theme = theme or os.environ.get("TEXTUAL_THEME")
    os.environ.pop("TEXTUAL_THEME", None)  # Textual would end with a traceback where there is no such theme
    from tui.app import SpiderApp
    from tui.themes import NAMES, first_theme

    if theme and theme not in NAMES:
        raise UsageError(f"there is no theme {theme}; there are {', '.join(sorted(NAMES))}")
    glyphs = ASCII if plain else glyphs_for(locale.getpreferredencoding(do_setlocale=False))
    app = SpiderApp(
        str(path),
        data_dir=str(data.path),
        read_only=read_only,
        glyphs=glyphs,
        theme=theme or first_theme(os.environ),
    )
    gc.freeze()  # what is there now stays; looking through it again and again held keys up by 20 ms
    sys.exit(app.run() or 0)


def main() -> None:
    """Run the command; errors are one sentence and an exit status."""
    try:
        command(standalone_mode=True)
    except SpiderdError as problem:
        click.echo(f"spider-tui: {problem}", err=True)
        sys.exit(problem.exit_code)
