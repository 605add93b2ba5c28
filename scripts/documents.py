"""Writes what documents can be made from the program: the references and the man pages.

python scripts/documents.py            write them
python scripts/documents.py --check    say which are out of date; exit status 1 where any is
"""

from __future__ import annotations

import re
import sys
import tomllib
from itertools import groupby
from pathlib import Path
from typing import Any

import click
import msgspec

sys.path.insert(0, str(Path(__file__).parents[1]))


from spiderd import __version__
from spiderd.api.openapi import description
from spiderd.api.operations import OPERATIONS, Operation
from spiderd.api.requests import NoParameters
from spiderd.cli.root import spiderd
from spiderd.config import schema
from spiderd.daemon.settings import RESTART, SEEDS
from tui.keys import KEYS
from tui.main import command as dashboard

ROOT = Path(__file__).parents[1]
MADE = "<!-- Made by scripts/documents.py: change the program, not this file. -->\n"


CONFIGURATION = """# Configuration

A file needs only what it changes. It is found by `--config`, `SPIDERD_CONFIG`, the unit's
`CONFIGURATION_DIRECTORY`, or at `~/.config/spiderd/config.toml`; `--set KEY=VALUE` goes before it, and
`spiderd set` changes a running crawl. `spiderd config` prints what is in effect. A mistake is refused with
file, line and key, and so is a key that does not exist.

Durations are written `"500ms"`, `"30s"`, `"2h"`; sizes `"64KiB"`, `"10MiB"`. *Live* settings change with
`spiderd reload` and `spiderd set`; the others need a restart.
"""

API = """# The local API

HTTP/1.1 with JSON on a unix socket ([where](files.md)); every HTTP client that can open one is a client.
Times are unix seconds, durations seconds, sizes bytes. `GET /v1/openapi.json` describes all this for programs
(OpenAPI 3.1).

- Your own user and root may change things (**write**); whoever else the socket's mode lets in may read.
- Errors are `{"error": {"code", "message"}}` with a fitting status; `code` is stable, `message` for people.
  What is not known, query or field, is refused (422).
- Lists take `limit` (500 at most), `offset`, `sort`, `desc` and `filter`, and answer `total`.
- Events are numbered: `since` is the last one you have, `gap` tells that some are lost. A client that reads
  nothing for ten seconds is closed. 32 connections, headers of 16 KiB and bodies of 1 MiB are the most.
- A field may be added at any time; an incompatible change raises the version in the path.

## Operations
"""

DASHBOARD = """# The dashboard

`spider-tui` attaches to a running daemon, from any terminal of at least 40 by 10 cells, and outlives it: when
the daemon goes away, the last figures stay, dimmed and with their age, until it is back. Leaving or killing
it never touches the crawl. `--read-only` makes it a display. The terminal's language decides between Unicode
and ASCII (`--ascii`); `NO_COLOR` and `--theme` (`spider-light`, `ansi-dark`, ...) say what it looks like.

![The site tree: what was found and done below each directory](../site-tree.svg)

What cannot be done at the moment is dim in the key bar; pressing it says why. Titles of columns, tabs and
keys can be clicked. `Ctrl+P` finds any command by its name; a URL typed there can be added or asked about.

- *Directories* has two lists: the download directories, and (`v`) the **site tree**: of each host and
  directory below it, how many URLs were found and how many are done.
- A *host* in full is its pace, the head of its queue, its last outcomes and its robots.txt; a *page* in full
  its text and its links in both directions.
- *Settings* are changed with Enter while the crawl runs; they hold across restarts, and are marked as
  differing from the file until they are taken back.
- Over SSH `y` copies to your own clipboard (OSC 52); tmux wants `set -g set-clipboard on`.

## Keys
"""

EXIT_STATUS = """0 done; 1 a bug; 2 wrong usage; 69 no daemon answers; 73 a file or socket cannot be made;
74 disk or store failed; 75 another daemon has the data directory; 78 wrong configuration."""


def documents() -> dict[str, str]:
    """All of them: path and text."""
    return {
        "docs/reference/configuration.md": configuration(),
        "docs/reference/api.md": api(),
        "docs/reference/dashboard.md": keys_of_the_dashboard(),
        "packaging/man/spiderd.1": manual(spiderd, "spiderd", "a crawler daemon"),
        "packaging/man/spider-tui.1": manual(dashboard, "spider-tui", "the dashboard of spiderd"),
    }


# the dashboard, from its table of keys


def keys_of_the_dashboard() -> str:
    """A table for each group of keys."""
    parts = [MADE, DASHBOARD]
    for group, members in groupby(KEYS, key=lambda key: key.group):
        rows = [f"### {group}\n", "| key | |", "|---|---|"]
        rows += [f"| {cell(shown_as_code(key.shown))} | {cell(key.help)} |" for key in members]
        parts.append("\n".join(rows) + "\n")
    return "\n".join(parts)


def shown_as_code(keys: str) -> str:
    """Each of several keys by itself."""
    return " ".join(f"`` {key} ``" if "`" in key else f"`{key}`" for key in keys.split())


# the configuration, from its declaration and the comments of config.toml


def configuration() -> str:
    """A table for each section."""
    said = comments((ROOT / "config.toml").read_text())
    defaults = tomllib.loads((ROOT / "config.toml").read_text())
    parts = [MADE, CONFIGURATION]
    for name, struct in schema.sections().items():
        parts.append(f"## [{name}]\n\n{first_sentence(struct.__doc__)}\n")
        rows = ["| key | default | wants | live | |", "|---|---|---|---|---|"]
        keys = [key for key in schema.keys().values() if key.section == name]
        rows += [row(key, defaults[name][key.name], said.get(key.full, "")) for key in keys]
        parts.append("\n".join(rows) + "\n")
    return "\n".join(parts)


def row(key: schema.Key, default: object, text: str) -> str:
    """One key."""
    wants = key.unit or schema.wanted(msgspec.inspect.type_info(key.type))
    live = "no" if key.full in RESTART else ("`spiderd add`" if key.full == SEEDS else "yes")
    value = msgspec.json.encode(default).decode()
    return "| " + " | ".join(map(cell, (f"`{key.name}`", f"`{value}`", wants, live, text))) + " |"


def comments(text: str) -> dict[str, str]:
    """What config.toml says beside each key."""
    found, section = {}, ""
    for line in text.splitlines():
        if head := re.match(r"\[(\w+)\]", line):
            section = head[1]
        elif key := re.match(r"(\w+) = (?:\"[^\"]*\"|\[.*?\]|[^#\s]+)\s*(?:#\s*(.*))?$", line):
            found[f"{section}.{key[1]}"] = key[2] or ""
    return found


# the API, from its description


def api() -> str:
    """Each operation, then each message."""
    document = msgspec.json.decode(description())
    parts = [MADE, API]
    parts += [operation(one, document["paths"][one.path][one.method]) for one in OPERATIONS]
    parts.append("## Messages\n")
    for name, message in document["components"]["schemas"].items():
        if "properties" in message:
            rows = [f"| `{field}` | {kind(inner)} |" for field, inner in message["properties"].items()]
            parts.append("\n".join([f"### {name}\n", "| field | type |", "|---|---|", *rows]) + "\n")
        else:
            parts.append(f"### {name}\n\n{kind(message)}\n")
    return "\n".join(parts)


def operation(one: Operation, described: dict[str, Any]) -> str:
    """One operation in a few lines."""
    lines = [
        f"### {one.method.upper()} {one.path}\n",
        one.summary + (" (**write**)" if one.writes else "") + "\n",
    ]
    if one.query is not NoParameters:
        told = [
            f"`{parameter['name']}`" + (" (required)" if parameter["required"] else "")
            for parameter in described["parameters"]
        ]
        lines.append(f"Query: {', '.join(told)}\n")
    if one.body is not None:
        lines.append(f"Body: [{one.body.__name__}](#{one.body.__name__.lower()})\n")
    if one.answer is not None:
        lines.append(f"Answer: [{one.answer.__name__}](#{one.answer.__name__.lower()})\n")
    return "\n".join(lines)


def kind(value: dict[str, Any]) -> str:
    """A type in words."""
    if "$ref" in value:
        name = value["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in value:
        return " or ".join(kind(inner) for inner in value["anyOf"])
    if "enum" in value:
        return ", ".join(f"`{word}`" for word in value["enum"])
    if value.get("type") == "array":
        if "prefixItems" in value:
            return f"[{', '.join(map(kind, value['prefixItems']))}]"
        return f"list of {kind(value['items'])}" if value.get("items") else "list"
    if value.get("type") == "object":
        return (
            f"object of {kind(value['additionalProperties'])}"
            if "additionalProperties" in value
            else "object"
        )
    return str(value.get("type", "any"))


def cell(text: str) -> str:
    """Text for a cell of a table."""
    return text.replace("|", "\\|").strip()


def first_sentence(text: str | None) -> str:
    """The first line of a docstring."""
    return (text or "").strip().splitlines()[0]


# the manual, from the commands


def manual(command: click.Command, name: str, about: str) -> str:
    """A man page (man(7)) with all commands and their options."""
    context = click.Context(command, info_name=name)
    lines = [
        '.\\" Made by scripts/documents.py: change the program, not this file.',
        f'.TH {name.upper()} 1 "" "spiderd {__version__}" "User Commands"',
        ".SH NAME",
        f"{escaped(name)} \\- {about}",
        ".SH SYNOPSIS",
        escaped(usage(command, context)),
        ".SH DESCRIPTION",
        *paragraphs(command.help),
        *options(command, context),
    ]
    if isinstance(command, click.Group):
        lines.append(".SH COMMANDS")
        for word in command.list_commands(context):
            lines += section(command.get_command(context, word), word, context)
    lines += [
        ".SH EXIT STATUS",
        EXIT_STATUS,
        ".SH SEE ALSO",
        "\\fBspider\\-tui\\fR(1)" if name == "spiderd" else "\\fBspiderd\\fR(1)",
    ]
    return "\n".join(lines) + "\n"


def section(command: click.Command | None, name: str, parent: click.Context) -> list[str]:
    """One command; those of a group follow it."""
    assert command is not None, name
    context = click.Context(command, info_name=name, parent=parent)
    lines = [f".SS {escaped(usage(command, context))}", *paragraphs(command.help), *options(command, context)]
    if isinstance(command, click.Group):
        for word in command.list_commands(context):
            lines += section(command.get_command(context, word), word, context)
    return lines


def usage(command: click.Command, context: click.Context) -> str:
    """The line that --help begins with."""
    return " ".join([context.command_path, *command.collect_usage_pieces(context)])


def options(command: click.Command, context: click.Context) -> list[str]:
    """What each option does."""
    found = []
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            found += [".TP", f"\\fB{escaped(record[0])}\\fR", escaped(record[1])]
    return found


def paragraphs(text: str | None) -> list[str]:
    """A help text; what click is not to wrap keeps its lines."""
    found = []
    for number, part in enumerate(re.split(r"\n\s*\n", (text or "").strip())):
        lines = [line.strip() for line in part.splitlines()]
        found.append(".PP" if number else ".")
        if lines[0] == "\b":
            found += [".nf", *map(escaped, lines[1:]), ".fi"]
        else:
            found.append(escaped(" ".join(lines)))
    return found


def escaped(text: str) -> str:
    """Text that roff does not read as a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def main(arguments: list[str]) -> int:
    """Write or check."""
    stale = [path for path, text in documents().items() if not is_as(ROOT / path, text)]
    if arguments == ["--check"]:
        for path in stale:
            print(f"{path} is out of date: run python scripts/documents.py")
        return int(bool(stale))
    for path in stale:
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(documents()[path], encoding="utf-8")
        print(f"wrote {path}")
    return 0


def is_as(path: Path, text: str) -> bool:
    """Whether a file has this text."""
    return path.exists() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
