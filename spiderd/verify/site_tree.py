"""The site tree: what its rows add up to for each host, and the tree built anew from pages and what waits."""

from __future__ import annotations

from itertools import groupby

from spiderd.states import OutcomeKind
from spiderd.store.ledger import Ledger
from spiderd.store.records import HostRecord, decode, encode, host_of
from spiderd.store.tree import tallies_of
from spiderd.verify.facts import FAILED, WAITS, Facts
from spiderd.verify.rebuilding import BATCH, all_pages, all_waiting, empty
from spiderd.verify.walking import Walk


def check_tree(walk: Walk) -> None:
    """Compare what the tree says of each host with what was counted; to be called before the hosts."""
    for host, rows in groupby(walk.table("tree"), lambda row: host_of(row[0])):
        complete = error = count = 0
        for _, row in rows:
            _, done, failed = tallies_of(row)
            complete, error, count = complete + done, error + failed, count + 1
        walk.facts.hosts.add(host, "directories", count)
        expected = walk.facts.hosts.of(host, "")
        if (complete, error) != (expected.complete, expected.error):
            walk.report.add(
                "tree",
                f"the directories of host {host} have {complete} URLs complete and {error} given up, "
                f"the host {expected.complete} and {expected.error}",
            )


def rebuild_tree(ledger: Ledger, facts: Facts) -> None:
    """Count all URLs by directory anew."""
    empty(ledger, "tree")
    with ledger.cursor("hosts") as cursor:
        for number, row in cursor:
            record = decode(HostRecord, row)
            record.directories = 0
            ledger.put("hosts", number, encode(record))
    tree = ledger.tree
    for done, (key, page) in enumerate(all_pages(ledger)):
        tree.found(page.url)
        if facts.has(int.from_bytes(key, "big"), FAILED):
            tree.error(page.url)
        elif page.kind is not OutcomeKind.FAILED and not facts.has(int.from_bytes(key, "big"), WAITS):
            tree.complete(page.url)
        if done % BATCH == 0:
            tree.write()
    for done, (_, _, waiting) in enumerate(all_waiting(ledger)):
        if ledger.pages.of(waiting.hash) is None:
            tree.found(waiting.url)
        if done % BATCH == 0:
            tree.write()
    tree.write()
    ledger.hosts.write()
