"""What was added, changed, and is gone since an earlier crawl of the same site in another data directory.

Both stores have a table of their pages by the hash of the URL, so the two are merged like two sorted lists:
memory is a piece of each, and pages are looked up where both have a URL, to compare.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from spiderd.audit.findings import Findings
from spiderd.audit.material import Material
from spiderd.states import OutcomeKind
from spiderd.store.auditing import AuditReader
from spiderd.store.records import PageRecord
from spiderd.store.snapshot import Snapshot

_THERE = frozenset({OutcomeKind.STORED, OutcomeKind.DUPLICATE})
_ORDER = ("gone", "changed", "added")


def compare(material: Material, findings: Findings, earlier: Path) -> None:
    """File the changes since the crawl in the data directory `earlier`.

    Raises:
        StorageError: there is no store in it.
    """
    with AuditReader(earlier / "store") as before:
        for _, then, now in merged(_hashes(before), _hashes(material.store)):
            old = before.page(then) if then else None
            new = material.store.page(now) if now else None
            if change := judged(old, new):
                page = new or old
                assert page is not None  # noqa: S101 - there is no change between nothing and nothing
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
