"""The site tree as the API shows it: hosts, and below each its directories, one level at a time.

A level is read whole, since to sort it by a sum every part must be summed up; the store's rows are few enough
for that (`spiderd.store.tree`). The hosts are sorted like any list of hosts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spiderd.api.crawl import ListQuery
from spiderd.daemon.listing import Host, best_hosts, part
from spiderd.errors import UsageError
from spiderd.protocol import Tree, TreeRow
from spiderd.store import lists
from spiderd.store.ledger import Ledger
from spiderd.store.records import HostRecord
from spiderd.store.thread import StoreThread
from spiderd.store.tree import Tally
from spiderd.urls import display, display_host


class SiteTree:
    """Answers levels of the tree."""

    def __init__(self, store: StoreThread) -> None:
        self._store = store

    async def tree(self, host: str, prefix: str, query: ListQuery) -> Tree:
        """List the hosts, or the parts of a directory of one; those with the most URLs first.

        Raises:
            UsageError: there is no host of that name.
        """
        if not query.sort:
            query = ListQuery(
                limit=query.limit, offset=query.offset, sort="found", desc=True, filter=query.filter
            )
        prefix = "/".join([*filter(None, prefix.split("/")), ""])
        if host:
            found = await self._store.call(_level, host, prefix)
            if found is None:
                raise UsageError(f"{host} is no host of this crawl.")
            rows, total = part(found, query, lambda row: row.name)
        else:
            best, total = await best_hosts(self._store, query, _host_key(query.sort))
            rows = [_host(record) for _, record in best]
        return Tree(host=host, prefix=prefix, rows=rows, total=total, offset=query.offset, limit=query.limit)


def _host_key(sort: str) -> Callable[[Host], Any]:
    """What hosts are sorted by."""
    if sort in {"complete", "error", "waiting"}:
        return lambda host: getattr(host[1], sort)
    if sort == "found":
        return lambda host: _found(host[1])
    return lambda host: host[1].key


def _found(record: HostRecord) -> int:
    return record.waiting + record.complete + record.error


def _host(record: HostRecord) -> TreeRow:
    return TreeRow(
        kind="host",
        host=record.key,
        prefix="",
        name=display_host(record.key),
        found=_found(record),
        waiting=record.waiting,
        complete=record.complete,
        error=record.error,
        inside=_found(record) > 0,
    )


def _level(ledger: Ledger, host: str, prefix: str) -> list[TreeRow] | None:
    found = lists.host(ledger, host)
    if found is None:
        return None
    tallies = ledger.tree.below(found[0], prefix.encode())
    return [_part(host, prefix, name.decode(), tally) for name, tally in tallies.items()]


def _part(host: str, prefix: str, name: str, tally: Tally) -> TreeRow:
    shown = display(f"http://h/{name}").removeprefix("http://h/")
    return TreeRow(
        kind="directory" if name else "here",
        host=host,
        prefix=f"{prefix}{name}/" if name else prefix,
        name=shown,
        found=tally.found,
        waiting=max(0, tally.found - tally.complete - tally.error),
        complete=tally.complete,
        error=tally.error,
        inside=tally.deeper,
    )
