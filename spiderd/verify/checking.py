"""The verification of a data directory as a whole.

What must hold (the contract that ARCHITECTURE.md gives, table by table):

    seen         sound in itself; has every URL that waits or was asked for
    frontier, delayed, parked   each URL once; under a host that there is
    waiting_of   in best-first order exactly the rows of `frontier`; leases are of such rows
    pages        each has one URL that leads to it, and is in one queue: waiting again, in `errors`, done
    changes      has the last change of each page
    content      has the digest of every page that was stored, and leads to a page that was stored with it
    versions     have their bodies; a content that no page has now leads to one of them
    visits       each is of a page that does not wait, and in one of `due` and `again`
    tree         of each host as many URLs complete and given up as its pages
    counters and tallies of the hosts: what the rows add up to
    directories  what their pages add up to; index.txt has the URL of each page at its number
    files        each as long as its page says, with the digest that its page says

What cannot be told from the rows is not looked at: how many answers came with which status, how many links
were found and refused, how often something was tried again. Cost: one walk over all tables and one over the
archive, which is read whole.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from spiderd.errors import StorageError
from spiderd.store.environment import Environment
from spiderd.store.journal import Journal
from spiderd.store.records import decode
from spiderd.store.transaction import State
from spiderd.verify.archive import check_archive
from spiderd.verify.facts import Facts
from spiderd.verify.pages import check_pages
from spiderd.verify.report import Progress, Report
from spiderd.verify.site_tree import check_tree
from spiderd.verify.visited import check_visits
from spiderd.verify.waiting import check_hosts, check_waiting
from spiderd.verify.walking import Walk

DERIVED = (
    "known", "waiting", "parked", "complete", "error", "pages", "duplicates", "redirects", "skipped", "bytes",
    "hosts", "failures",
)  # fmt: skip
"""Counters that the rows add up to."""


def verify(data_dir: Path, progress: Progress = lambda *_: None) -> Report:
    """Verify the store and the archive in a data directory that the caller has locked.

    Raises:
        StorageError: there is no store, or it cannot be opened.
    """
    report = Report()
    with Environment(store_of(data_dir)) as env:
        steps = steps_in_journal(env)
        if steps:
            report.notes.append(f"{steps} steps of a daemon that was killed wait for the next start")
        check(env, data_dir / "pages", report, progress)
    return report


def check(env: Environment, archive: Path, report: Report, progress: Progress, *, read: bool = True) -> Facts:
    """Walk over everything; what is wrong goes into the report."""
    walk = Walk(env, archive, report, progress)
    parts: list[Callable[[], None]] = [
        lambda: check_waiting(walk),
        lambda: check_pages(walk),
        lambda: check_archive(walk, read=read),
        lambda: check_visits(walk),
        walk.check_trie,
        lambda: check_tree(walk),
        lambda: check_hosts(walk),
        lambda: _check_counters(walk),
    ]
    try:
        for part in parts:
            part()
    finally:
        walk.close()
    return walk.facts


def _check_counters(walk: Walk) -> None:
    kept, expected = walk.state.counters, walk.facts.counters
    for name in DERIVED:
        if getattr(kept, name) != getattr(expected, name):
            walk.report.add(
                "counters",
                f"the counter {name} says {getattr(kept, name)}, the tables {getattr(expected, name)}",
            )

    for name, last in walk.facts.highest.items():
        if getattr(walk.state, name) <= last:
            walk.report.add("counters", f"{name} is {getattr(walk.state, name)}, but {last} is taken")


def store_of(data_dir: Path) -> Path:
    """The folder of the store.

    Raises:
        StorageError: there is none.
    """
    path = data_dir / "store"
    if not (path / "data.mdb").is_file():
        raise StorageError(f"There is no store in {data_dir}: nothing was ever crawled into it.")
    return path


def steps_in_journal(env: Environment) -> int:
    """How many steps a daemon that was killed has left to be performed."""
    if not (env.path / "journal").is_file():
        return 0
    with env.begin(write=False) as txn:
        row = txn.get(b"state", db=env.tables["meta"])
    commits = decode(State, bytes(row)).commits if row else 0
    journal = Journal(env.path / "journal")
    try:
        return len(journal.read(commits))
    finally:
        journal.close()
