"""What was added, changed, and is gone: since some time, or since an earlier crawl in another data directory.

Where pages are visited again, their rows tell what the visits have found (`Changes`). Two crawls are compared
(`compare`) by the tables that both have of their pages by the hash of the URL: they are merged like two
sorted lists, so memory is a piece of each, and pages are looked up where both have a URL.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from spiderd.audit.collector import Collector
from spiderd.audit.findings import Findings
from spiderd.audit.material import Material
from spiderd.states import OutcomeKind
from spiderd.store.auditing import AuditReader
from spiderd.store.records import PageRecord
from spiderd.store.snapshot import Snapshot

_THERE = frozenset({OutcomeKind.STORED, OutcomeKind.DUPLICATE})
_ORDER = ("gone", "changed", "added")
DAY = 86400.0


class Changes(Collector):
    """Files pages by what their visits have found.

    A page that was found and has changed since the same time is told as changed: that it is new, too, is not
    kept.
    """

    kinds = ("changes",)

    def begin(self) -> None:
        """Begin."""
        since = self.limits.since
        self._since = time.time() - DAY if since is None else since

    def page(self, number: int, page: PageRecord) -> None:
        """File a page that is not as it was."""
        visit = self.material.store.visit(number)
        if visit is None:
            return
        if page.kind is OutcomeKind.FAILED:
            change = "gone" if visit.gone and page.fetched_at >= self._since else ""
        elif page.kind not in _THERE:
            change = ""
        elif visit.changed:
            change = "changed" if visit.changed >= self._since else ""
        else:
            change = "added" if page.fetched_at >= self._since else ""
        if change:
            _file(self.findings, change, number, page, page.status if change != "added" else 0)


def _file(findings: Findings, change: str, number: int, page: PageRecord, before: int) -> None:
    is_gone = change == "gone"
    cells = (page.url, page.status, 200 if is_gone else before, page.title[:500])
    findings.file("changes", _ORDER.index(change), number, change, *cells)


def compare(material: Material, findings: Findings, earlier: Path) -> None:
    """File the changes since the crawl in the data directory `earlier`.

    Raises:
        StorageError: there is no store in it.
    """
    with AuditReader(earlier / "store") as before:
        for _, then, now in merged(_hashes(before), _hashes(material.store)):
            old = before.page(then) if then else None
            new = material.store.page(now) if now else None
            page = new or old
            if page is not None and (change := judged(old, new)):
                cells = (page.url, new.status if new else 0, old.status if old else 0, page.title[:500])
                findings.file("changes", _ORDER.index(change), now, change, *cells)


def judged(old: PageRecord | None, new: PageRecord | None) -> str:
    """What happened to a URL between two crawls; "" where it is as it was, or was never a page."""
    was, is_there = _is_page(old), _is_page(new)
    if is_there and not was:
        return "added"
    if was and not is_there:
        return "gone"
    if old is not None and new is not None and was and old.digest != new.digest:
        return "changed"
    return ""


def merged(
    old: Iterator[tuple[bytes, int]], new: Iterator[tuple[bytes, int]]
) -> Iterator[tuple[bytes, int, int]]:
    """Merge two lists that are sorted by hash: hash, number in the first, number in the second; 0 = none."""
    end = (b"\xff" * 9, 0)
    one, other = next(old, end), next(new, end)
    while one != end or other != end:
        key = min(one[0], other[0])
        yield key, one[1] if one[0] == key else 0, other[1] if other[0] == key else 0
        here, there = one[0] == key, other[0] == key
        one, other = next(old, end) if here else one, next(new, end) if there else other


def _hashes(store: Snapshot) -> Iterator[tuple[bytes, int]]:
    for piece in store.all_hashes():
        for key, number in piece:
            if (page := int.from_bytes(number, "big")) <= store.last:
                yield key, page


def _is_page(page: PageRecord | None) -> bool:
    return page is not None and page.kind in _THERE
