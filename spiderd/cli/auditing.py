"""`spiderd report`: what was crawled, as reports for the owner of a site."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spiderd.cli.narration import note
from spiderd.cli.options import config_option, data_dir_option
from spiderd.cli.progress import progress_bar
from spiderd.cli.tables import Column as Shown
from spiderd.cli.tables import print_table
from spiderd.config.loading import load
from spiderd.errors import CannotCreate
from spiderd.paths import absolute
from spiderd.paths import data_dir as find_data_dir
from spiderd.units import counted, human_count, parse_duration

if TYPE_CHECKING:  # numpy and the parser take time to import, and `--help` needs neither
    from collections.abc import Iterator

    from spiderd.audit.findings import Findings, Row
    from spiderd.audit.kinds import Kind

PIPE_CLOSED = 141  # 128 + SIGPIPE, as shells count
SHOWN = 100  # rows on a terminal or in a pipe where nobody has said how many


class _Kinds(click.Command):
    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """List the kinds."""
        from spiderd.audit.kinds import KINDS

        with formatter.section("Kinds"):
            formatter.write_dl([(kind.name, kind.help) for kind in KINDS.values()])


@click.command("report", cls=_Kinds)
@click.argument("kind", metavar="[KIND]", required=False)
@data_dir_option
@config_option
@click.option("--csv", "form", flag_value="csv", help="Print CSV.")
@click.option("--json", "form", flag_value="json", help="Print JSON, an object a line.")
@click.option(
    "--html", metavar="FILE", type=click.Path(path_type=Path), help="Write one page that needs no other."
)
@click.option(
    "--limit", type=click.IntRange(0), help=f"Rows; 0 = all. Tables show {SHOWN}, all else has all."
)
@click.option("--filter", "contains", metavar="TEXT", default="", help="Only rows with this text.")
@click.option("--slower-than", metavar="TIME", default="1s", show_default=True, help="What is slow.")
@click.option(
    "--since",
    metavar="TIME|DIR",
    default="1d",
    show_default=True,
    help="Which changes: those that visits have found in so long, or against the crawl in DIR.",
)
def report(
    *,
    kind: str | None,
    data_dir: Path | None,
    config: Path | None,
    form: str | None,
    html: Path | None,
    limit: int | None,
    contains: str,
    slower_than: str,
    since: str,
) -> None:
    """Tell what was found: broken links, redirects, duplicates, titles, and more.

    Without a KIND, lists the reports with the number of rows in each. During a crawl and after it; a daemon
    that runs goes on, and what it records meanwhile is left out.
    """
    from spiderd.audit.building import audit
    from spiderd.audit.kinds import KINDS
    from spiderd.audit.material import Limits

    if kind is not None and kind not in KINDS:
        raise click.UsageError(f'there is no report "{kind}"; there are {", ".join(KINDS)}')
    if kind is None and form == "csv":
        raise click.UsageError("--csv needs a KIND: each report has columns of its own")
    directory = find_data_dir(data_dir).path
    earlier = absolute(since) if Path(since).is_dir() else None
    if earlier is not None and earlier.resolve() == directory.resolve():
        raise click.UsageError("--since names the data directory itself: there is nothing to compare it with")
    limits = Limits(
        slow=_seconds("--slower-than", slower_than),
        since=None if earlier else time.time() - _seconds("--since", since),
    )
    wanted = list(KINDS) if kind is None else [kind]
    with tempfile.TemporaryDirectory(prefix="spiderd-report-") as folder:
        with progress_bar() as progress:
            findings = audit(
                directory,
                Path(folder) / "findings",
                wanted,
                config=load(config, {}).config,
                limits=limits,
                earlier=earlier,
                progress=progress,
            )
        with findings:
            if html is not None:
                _write_html(findings, [KINDS[name] for name in wanted], html, limit, directory)
            elif kind is None:
                _print_counts(findings, as_json=form == "json")
            else:
                _print_rows(findings, KINDS[kind], form, limit, contains)


def _seconds(option: str, text: str) -> float:
    try:
        return parse_duration(text)
    except ValueError as error:
        no_folder = " and is no directory" if option == "--since" else ""
        raise click.UsageError(f'{option} "{text}" {error}{no_folder}') from None


def _print_counts(findings: Findings, *, as_json: bool) -> None:
    from spiderd.audit.kinds import KINDS

    counts = findings.counts()
    if as_json:
        import msgspec

        for name, count in counts.items():
            click.echo(msgspec.json.encode({"report": name, "rows": count, "help": KINDS[name].help}))
        return
    columns: list[Shown[Kind]] = [
        Shown("report", lambda kind: kind.name),
        Shown("rows", lambda kind: human_count(counts[kind.name]), right=True),
        Shown("what it lists", lambda kind: kind.help, wide=True),
    ]
    print_table(columns, KINDS.values())
    note(f"of {counted(findings.pages, 'URL')} that were asked for; spiderd report KIND shows the rows")


def _print_rows(findings: Findings, kind: Kind, form: str | None, limit: int | None, contains: str) -> None:
    from spiderd.audit.forms import csv_of, json_of

    most = limit or -1
    if form is not None:
        rows = findings.rows(kind.name, limit=most, contains=contains)
        _write((csv_of if form == "csv" else json_of)(kind, rows))
        return
    _print_table(kind, findings.rows(kind.name, limit=SHOWN if limit is None else most, contains=contains))
    count = findings.count(kind.name, contains)
    if limit is None and count > SHOWN:
        note(f"{SHOWN} of {human_count(count)} rows (see --limit, --csv, --json)")
    if not count:
        note(_nothing(kind))


def _write(texts: Iterable[str]) -> None:
    """Write to standard output; a reader that has had enough is no accident."""
    try:
        for text in texts:
            sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left goes nowhere
        raise click.exceptions.Exit(PIPE_CLOSED) from None


def _nothing(kind: Kind) -> str:
    if kind.name == "changes":
        return "nothing has changed that visits have found (revisit.enabled) or that --since compares with"
    return f"none: no {kind.noun} of this kind was found"


def _print_table(kind: Kind, rows: Iterator[Row]) -> None:
    """Print rows, a piece at a time: their number has no bound."""
    from spiderd.audit.forms import is_number
    from spiderd.units import human_cell

    columns: list[Shown[Row]] = [
        Shown(
            column.title,
            lambda row, place=place, form=column.form: human_cell(row.cells[place], form),  # type: ignore[misc]  # defaults bind
            right=is_number(column),
            wide=not is_number(column),
        )
        for place, column in enumerate(kind.columns)
    ]
    while piece := list(islice(rows, 1_000)):
        print_table(columns, piece)


def _write_html(
    findings: Findings, kinds: Sequence[Kind], file: Path, limit: int | None, data_dir: Path
) -> None:
    """Write the page; it appears when it is whole."""
    from spiderd.audit.html import ROWS, render

    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        with part.open("w", encoding="utf-8", errors="replace") as out:
            most = ROWS if limit is None else limit or -1
            out.writelines(render(findings, kinds, title=str(data_dir), limit=most))
        part.replace(file)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise CannotCreate(f"{file} cannot be written: {error.strerror}.") from error
    note(f"{counted(len(kinds), 'report')} in {file}")
