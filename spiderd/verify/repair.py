"""Repairing: what can be derived from the rest is derived anew; nothing else is touched.

The truth is, in this order: rows of pages and of URLs that wait; bodies that have their pages' digest; the
rest follows from those. A page whose body is gone is no page: its URL waits again, and so do those that were
not stored because it was there. A body that no page has stays beside the others, under a name of its own.

Three walks: one that finds what is wrong; one over what was put right, to sum it up; one that must be clean.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import trio

from spiderd.config.declaration import Urls
from spiderd.store.environment import Environment, MapFull, translated
from spiderd.store.ledger import Ledger
from spiderd.store.opening import open_ledger
from spiderd.store.thread import StoreThread
from spiderd.verify import rebuilding, restoring
from spiderd.verify.checking import check, steps_in_journal, store_of
from spiderd.verify.report import Progress, Relation, Report
from spiderd.verify.site_tree import rebuild_tree
from spiderd.verify.summing import sum_up
from spiderd.verify.visited import drop_lost_versions, rebuild_visits

TREE: set[Relation] = {"tree", "hosts", "pages", "waiting", "page_of", "errors", "content", "files"}
"""Relations after whose repair the site tree is built anew."""

Fix = Callable[[Ledger], None]


def repair(data_dir: Path, urls: Urls, progress: Progress = lambda *_: None) -> Report:
    """Repair the store and the archive in a data directory that the caller has locked; how it is afterwards.

    Args:
        data_dir: the directory.
        urls: which URLs count as one; decides under which hash a page is found.
        progress: told how far it is.

    Raises:
        StorageError: there is no store, or it cannot be opened or written.
    """
    path, archive = store_of(data_dir), data_dir / "pages"
    with Environment(path) as env:
        unfinished = steps_in_journal(env)
    if unfinished:
        trio.run(_perform_journal, path)
    env, ledger = open_ledger(path, "breadth")
    with env:
        first = Report()
        facts = check(env, archive, first, progress)
        if first.sound:
            return first
        fixes: list[tuple[set[Relation], Fix]] = [
            ({"hosts"}, rebuilding.host_names),
            ({"waiting"}, rebuilding.waiting),
            ({"leases"}, rebuilding.leases),
            ({"page_of"}, partial(rebuilding.page_of, urls=urls)),
            ({"errors"}, partial(rebuilding.errors, facts=facts)),
            ({"files"}, partial(restoring.put_back, facts=facts)),
            ({"versions", "files"}, partial(drop_lost_versions, archive=archive)),
            (
                {"files", "versions", "page_of"},
                partial(restoring.set_strays_aside, archive=archive, urls=urls),
            ),
            ({"content", "versions", "files"}, rebuilding.content),
            ({"links"}, rebuilding.links),
            ({"changes"}, rebuilding.changes),
            ({"index"}, partial(restoring.index_files, archive=archive, damaged=facts.bad_index)),
            ({"trie", "waiting", "page_of", "files"}, partial(rebuilding.trie, broken=facts.trie_is_broken)),
            ({"waiting_of", "waiting", "files"}, rebuilding.waiting_of),
            ({"visits", "page_of", "waiting", "files"}, rebuild_visits),
        ]
        for relations, fix in fixes:
            if relations & set(first.found):
                _attempt(env, ledger, fix)
        facts = check(env, archive, Report(), progress, read=False)
        if TREE & set(first.found):
            _attempt(env, ledger, partial(rebuild_tree, facts=facts))
            facts = check(env, archive, Report(), progress, read=False)
        _attempt(env, ledger, partial(sum_up, facts=facts, archive=archive))
        final = Report()
        check(env, archive, final, progress)
    final.repaired = {
        relation: gone
        for relation, count in first.found.items()
        if (gone := count - final.found.get(relation, 0)) > 0
    }
    return final


def _attempt(env: Environment, ledger: Ledger, fix: Fix) -> None:
    """Do one repair in a transaction, with a larger map if it needs one."""
    while True:
        try:
            with translated(env.path):
                ledger.begin()
                fix(ledger)
                ledger.commit()
        except MapFull:
            ledger.abort()
            env.grow()
        else:
            return


async def _perform_journal(path: Path) -> None:
    """Let the store take the steps that a killed daemon has left."""
    store = StoreThread(partial(open_ledger, path, "breadth"))
    async with trio.open_nursery() as nursery:
        await nursery.start(store.run)
        store.close()
