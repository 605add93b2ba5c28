"""`spiderd verify`: whether store and archive agree with each other, without a daemon."""

from __future__ import annotations

from pathlib import Path

import click

from spiderd.cli.narration import note
from spiderd.cli.options import config_option, data_dir_option, json_option
from spiderd.cli.output import print_json
from spiderd.cli.progress import progress_bar
from spiderd.config.loading import load
from spiderd.daemon.lock import locked
from spiderd.paths import data_dir as find_data_dir
from spiderd.printable import printable
from spiderd.units import counted, human_count, human_size
from spiderd.verify import repair as repair_it
from spiderd.verify import verify as verify_it
from spiderd.verify.checking import store_of
from spiderd.verify.report import Report

SHOWN = 50  # problems that are printed in full; --json has up to a thousand


@click.command("verify")
@config_option
@data_dir_option
@json_option
@click.option("--repair", is_flag=True, help="Put right what can be derived from the rest.")
def verify(*, config: Path | None, data_dir: Path | None, as_json: bool, repair: bool) -> int:
    """Check store and archive against each other, without a daemon.

    Every relation between the tables of the store and the files of the archive is checked. The daemon must
    not run: the directory is locked meanwhile. Exit status 0 if everything is sound, 1 if not. With --repair,
    what can be derived is put right first: counters, tallies, look-up tables, index.txt. A page whose file is
    missing or damaged is put back among the waiting, and the next start fetches it.
    """
    directory = find_data_dir(data_dir).path
    store_of(directory)  # refuses before a lock file is made
    with locked(directory), progress_bar() as progress:
        urls = load(config, {}).config.urls
        report = repair_it(directory, urls, progress) if repair else verify_it(directory, progress)
    if as_json:
        print_json(report)
    else:
        _print(report)
    return 0 if report.sound else 1


def _print(report: Report) -> None:
    for problem in report.problems[:SHOWN]:
        click.echo(f"{problem.relation}: {printable(problem.text)}")
    total = sum(report.found.values())
    if total > SHOWN:
        click.echo(f"and {human_count(total - SHOWN)} more; --json has more of them")
    for text in report.notes:
        note(text)
    for relation, count in report.repaired.items():
        note(f"repaired: {counted(count, 'problem')} of {relation}")
    note(
        f"{human_count(report.pages)} pages, {human_count(report.waiting)} waiting, "
        f"{human_count(report.resources)} files of {human_size(report.bytes)}: "
        + ("sound" if report.sound else counted(total, "problem"))
    )
