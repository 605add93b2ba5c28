"""Later visits: `visits`, `due` and `again` against each other and the pages; `versions` and what they hold.

What must hold: a page with a row in `visits` is there, does not wait to be fetched as if for the first time,
and is in exactly one of `due` and `again`, under the time of its row; the counts by rate add up. A version
has its body in the archive, as a page has. A content that no page has now leads to a version that had it.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path

from spiderd.archive.reading import read_body
from spiderd.states import OutcomeKind
from spiderd.store.ledger import Ledger
from spiderd.store.pages import NUMBER_BYTES
from spiderd.store.records import PageRecord, decode
from spiderd.store.visits import VisitRecord, VisitsState, again_key, due_key_of, is_visited
from spiderd.verify.facts import EXISTS, WAITS
from spiderd.verify.rebuilding import empty
from spiderd.verify.walking import Walk


def check_visits(walk: Walk) -> None:
    """Look at when each page is visited again."""
    levels: Counter[int] = Counter()
    filed = 0
    for key, row in walk.table("visits"):
        number = int.from_bytes(key, "big")
        visit = walk.read(VisitRecord, row, "visits", f"the visits of page {number}")
        if visit is None:
            continue
        levels[visit.level] += 1
        filed += 1
        if not walk.facts.has(number, EXISTS) or walk.facts.has(number, WAITS):
            walk.report.add("visits", f"page {number} is to be visited again, but is none, or waits")
        if walk.rows.get("page_of", visit.hash) != key:
            walk.report.add("visits", f"the visits of page {number} are of another URL")
        places = (walk.rows.get("due", due_key_of(visit, key)), walk.rows.get("again", again_key(visit, key)))
        if places.count(None) != 1:
            walk.report.add(
                "visits", f"the next visit of page {number} is in {2 - places.count(None)} places"
            )
    if walk.rows.entries("due") + walk.rows.entries("again") != filed:
        walk.report.add("visits", "there are times of visits of which no page knows")
    kept = walk.rows.get("meta", b"visits")
    state = VisitsState() if kept is None else decode(VisitsState, kept)
    if state.levels != dict(levels):
        walk.report.add("visits", f"pages by rate: {state.levels} are kept, {dict(levels)} there are")


def check_superseded(walk: Walk, digest: bytes, version: bytes) -> None:
    """Look at a content that is said to be that of a version alone."""
    row = walk.rows.get("versions", version)
    page = None if row is None else walk.read(PageRecord, row, "versions", f"version {version.hex()}")
    if page is None or page.digest != digest:
        walk.report.add("content", f"content {digest.hex()} is said to be that of a version: it is not")


def rebuild_visits(ledger: Ledger) -> None:
    """File each page anew under the time of its row; what is no page, or waits, has no time."""
    kept: list[tuple[bytes, VisitRecord]] = []
    with ledger.cursor("visits") as cursor:
        for key, row in cursor:
            visit = decode(VisitRecord, row)
            page = ledger.pages.get(key)
            if page is None or ledger.get("page_of", visit.hash) != key:
                continue
            if is_visited(page, visit) and (
                page.kind is not OutcomeKind.FAILED or ledger.errors.get(key) is not None
            ):  # else it waits
                kept.append((key, visit))
    for table in ("visits", "due", "again"):
        empty(ledger, table)
    ledger.visits.state.levels.clear()
    for key, visit in kept:
        ledger.visits.put(key, visit)


def drop_lost_versions(ledger: Ledger, archive: Path) -> None:
    """Forget versions whose bodies are not there, and contents that were only theirs."""
    lost: list[tuple[bytes, PageRecord]] = []
    with ledger.cursor("versions") as cursor:
        for key, row in cursor:
            page = decode(PageRecord, row)
            if not has_body(archive, page):
                lost.append((key, page))
    for key, page in lost:
        ledger.delete("versions", key)
        if ledger.get("content", page.digest) == key:
            ledger.delete("content", page.digest)


def has_body(archive: Path, page: PageRecord) -> bool:
    """Whether the body of a version is in the archive, as it was stored."""
    try:
        body = read_body(archive, page.directory, page.number)
    except OSError:
        return False
    return hashlib.blake2b(body, digest_size=len(page.digest) or 16).digest() == page.digest


def is_version(value: bytes) -> bool:
    """Whether a row of `content` leads to a version."""
    return len(value) != NUMBER_BYTES
