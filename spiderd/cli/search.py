"""`spiderd search`: results in the terminal, from a daemon that runs or straight from the index."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spiderd.cli.indexing import catch_up
from spiderd.cli.narration import note
from spiderd.cli.options import config_option, data_dir_option, json_option, socket_option
from spiderd.cli.output import console, is_terminal, print_json
from spiderd.client import Client, NotRunning
from spiderd.locate import locate_socket
from spiderd.paths import data_dir as find_data_dir
from spiderd.printable import printable
from spiderd.protocol import Hit, IndexState, SearchReply
from spiderd.units import counted, human_count

if TYPE_CHECKING:  # a terminal only needs it
    from rich.style import Style
    from rich.text import Text

MAX_PAGE = 100
MAX_LIMIT = 50


@click.command("search", context_settings={"ignore_unknown_options": True})
@config_option
@data_dir_option
@socket_option
@click.option("--page", type=click.IntRange(1, MAX_PAGE), default=1, help="Which page of results.")
@click.option(
    "--limit", type=click.IntRange(1, MAX_LIMIT), default=10, show_default=True, help="Results on a page."
)
@json_option
@click.argument("words", metavar="QUERY", nargs=-1, required=True)
def search(
    *,
    config: Path | None,
    data_dir: Path | None,
    socket: Path | None,
    page: int,
    limit: int,
    as_json: bool,
    words: tuple[str, ...],
) -> None:
    r"""Search what was crawled; the daemon may run or not.

    Without it the index is brought up to date first.

    \b
    word word       pages that hold all the words
    "a phrase"      words that follow each other
    -word           pages without it
    a OR b          either
    site:host  title:word  url:word  lang:zh
    date:2026-03  date:2026-01..2026-06  after:2026  before:2026-03-14

    The shell takes quotes for its own: write '"a phrase"'.
    """
    strange = next((word for word in words if word.startswith("--") and len(word) > 2), None)
    if strange is not None:
        raise click.UsageError(f"there is no option {strange}")
    query = " ".join(words)
    reply = _answer(query, page, limit, config=config, data_dir=data_dir, socket=socket)
    if as_json:
        print_json(reply)
    else:
        _print(reply, words)


def _answer(
    query: str, page: int, limit: int, *, config: Path | None, data_dir: Path | None, socket: Path | None
) -> SearchReply:
    try:
        with Client(locate_socket(socket=socket, data_dir=data_dir, config=config)) as client:
            return client.search(query, page=page, limit=limit)
    except NotRunning:
        if socket is not None:
            raise
    directory = find_data_dir(data_dir).path
    state = catch_up(directory, config)
    from spiderd.search.engine import Engine

    reply = Engine(directory).search(query, page, limit)
    reply.index = state
    return reply


def _print(reply: SearchReply, words: tuple[str, ...]) -> None:
    first = (reply.page - 1) * reply.limit + 1
    if is_terminal(sys.stdout):
        _print_rich(reply.hits, first)
    else:
        click.echo(
            "\n\n".join(_plain(hit, number) for number, hit in enumerate(reply.hits, first)),
            nl=bool(reply.hits),
        )
    if reply.message:
        note(reply.message)
    for suggestion in reply.suggestions:
        note(f"this would match: spiderd search {shlex.quote(suggestion)}")
    if reply.hits:
        note(_summary(reply, first))
        if reply.page < reply.pages:
            note(f"more: spiderd search --page {reply.page + 1} {shlex.join(words)}")
    if reply.index is not None and reply.index.indexed < reply.index.pages:
        note(_lag(reply.index))


def _summary(reply: SearchReply, first: int) -> str:
    about = "" if reply.exact else "about "
    last = first + len(reply.hits) - 1
    return f"{first} to {last} of {about}{counted(reply.total, 'result')} ({reply.elapsed:.3f} s)"


def _lag(state: IndexState) -> str:
    return f"indexed {human_count(state.indexed)} of {human_count(state.pages)} pages so far"


def _plain(hit: Hit, number: int) -> str:
    lines = [f"{number}. {printable(hit.title)}", f"   {printable(hit.url)}", f"   {_about(hit)}"]
    return "\n".join([*lines, f"   {printable(hit.snippet)}"] if hit.snippet else lines)


def _about(hit: Hit) -> str:
    facts = [hit.site, time.strftime("%Y-%m-%d", time.localtime(hit.fetched)), hit.language]
    if hit.duplicates:
        facts.append(f"and {counted(hit.duplicates, 'copy', 'copies')}")
    return printable("  ".join(filter(None, facts)))


def _marked(text: str, marks: Sequence[tuple[int, int]], style: Style | str, marked: Style | str) -> Text:
    """A text with its marks; made printable piece by piece, since that may change lengths."""
    from rich.text import Text

    made = Text(style=style)
    last = 0
    for start, end in marks:
        made.append(printable(text[last:start]))
        made.append(printable(text[start:end]), marked)
        last = end
    return made.append(printable(text[last:]))


def _print_rich(hits: list[Hit], first: int) -> None:
    from rich.padding import Padding
    from rich.style import Style
    from rich.text import Text

    screen = console()
    indent = len(str(first + len(hits))) + 2
    for number, hit in enumerate(hits, first):
        url = printable(hit.url)
        title = _marked(hit.title, hit.title_marks, Style(bold=True, link=url), "bold underline")
        screen.print(Text(f"{number:>{indent - 2}}. ", "dim") + title)
        screen.print(
            Padding(
                Text(url, Style(color="green", link=url), overflow="fold"), (0, 0, 0, indent), expand=False
            )
        )
        screen.print(Padding(Text(_about(hit), "dim"), (0, 0, 0, indent), expand=False))
        if hit.snippet:
            screen.print(
                Padding(_marked(hit.snippet, hit.marks, "", "bold yellow"), (0, 0, 0, indent), expand=False)
            )
        screen.print()
