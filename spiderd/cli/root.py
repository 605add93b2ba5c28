"""The commands there are, in the order of the help; none is imported before it runs.

So `spiderd --help` costs as little as the interpreter, and `spiderd status` imports no crawler.
"""

from __future__ import annotations

import difflib
from importlib import import_module
from typing import NamedTuple

import click

from spiderd import __version__


class Place(NamedTuple):
    """Where a command is defined, and what the list of commands says of it."""

    module: str
    help: str
    name: str = ""  # of the function, where it is not the command's


COMMANDS: dict[str, Place] = {
    "start": Place("start", "Start a crawl from URLs, or go on with the one in the data directory."),
    "status": Place("status", "Show whether the daemon runs and how far it is."),
    "workers": Place("lists", "List the workers and what each is doing."),
    "hosts": Place("lists", "List the hosts with their queues."),
    "directories": Place("lists", "List the download directories and how full they are."),
    "errors": Place("lists", "List the URLs that have failed for good."),
    "events": Place("events", "Show what has happened lately."),
    "traps": Place("lists", "List the shapes of URLs that are parked as traps."),
    "add": Place("adding", "Add URLs to the crawl, or name those that need not be fetched."),
    "retry": Place("releasing", "Put failed URLs back into the queue."),
    "revisit": Place("revisiting", "Visit pages again as soon as their hosts may be asked."),
    "release": Place("releasing", "Let a parked shape go on, or a host that is held back."),
    "pause": Place("control", "Let nothing more be fetched until resume."),
    "resume": Place("control", "Go on after pause."),
    "stop": Place("control", "Stop the daemon; the next start goes on from there."),
    "reload": Place("settings", "Have the daemon read its configuration again."),
    "set": Place("settings", "Change a setting of the running crawl, without touching the file.", "set_"),
    "search": Place("search", "Search what was crawled; the daemon may run or not."),
    "web": Place("web", "Open a search page for browsers; the daemon may run or not."),
    "why": Place("why", "Explain what happens to a URL, and by which rule."),
    "report": Place(
        "auditing", "Tell what was found: broken links, redirects, duplicates, titles, and more."
    ),
    "export": Place("export", "Write the pages that were crawled as KIND, whether the daemon runs or not."),
    "verify": Place("verify", "Check store and archive against each other, without a daemon."),
    "reindex": Place(
        "indexing", "Build the search index anew from store and archive, whether the daemon runs or not."
    ),
    "rank": Place("indexing", "Rank all pages by the links between them, now."),
    "service": Place("service", "Run the daemon under systemd: write its units, and explain them."),
    "demo": Place("demo", "Serve a small site on loopback, to try a crawl without a network."),
    "config": Place("settings", "Print the configuration in effect."),
}


class Commands(click.Group):
    """A group that knows its commands by name and imports the one that is wanted."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """List all commands in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's
        """Import a command; None where there is none of the name."""
        place = COMMANDS.get(cmd_name)
        if place is None:
            return None
        command: click.Command = getattr(import_module(f"spiderd.cli.{place.module}"), place.name or cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a name that is none of them gets the nearest as a hint."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            begun = [command for command in COMMANDS if command.startswith(name)]
            near = begun or difflib.get_close_matches(name, COMMANDS, n=1)
            raise click.UsageError(
                f'there is no command "{name}"' + (f"; did you mean {near[0]}?" if near else ""), ctx
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """Write the list of commands from the table."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, place.help) for name, place in COMMANDS.items()])


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Each command explains itself: spiderd COMMAND --help. The dashboard is spider-tui.",
)
@click.version_option(__version__, message="spiderd %(version)s")
def spiderd() -> None:
    """Crawl sites politely, for hours or weeks, and never lose what has been done.

    `spiderd start URL` crawls; the same command goes on after any kind of end. All other commands ask the
    daemon that is running.
    """
