"""Pages against `page_of`, `errors`, `changes`, `content` and `links`."""

from __future__ import annotations

from spiderd.states import OutcomeKind
from spiderd.store.records import ErrorRecord, PageRecord, host_of, number_key
from spiderd.urls import host_key
from spiderd.verify.facts import EXISTS, FAILED, NAMED, WAITS
from spiderd.verify.visited import check_superseded, is_version
from spiderd.verify.walking import Walk


def check_pages(walk: Walk) -> None:
    """Look at every page; URLs that wait must have been looked at before."""
    for key, row in walk.table("errors"):
        number = int.from_bytes(key, "big")
        walk.read(ErrorRecord, row, "errors", f"error of page {number}")
        if not walk.facts.mark(number, FAILED):
            walk.report.add("errors", f"the error queue has page {number}, which there is not")
    _check_page_of(walk)
    for key, row in walk.table("pages"):
        number = int.from_bytes(key, "big")
        walk.report.pages += 1
        walk.facts.mark(number, EXISTS)
        page = walk.read(PageRecord, row, "pages", f"page {number}")
        if page is not None:
            _check_page(walk, number, page)
    counters = walk.facts.counters
    counters.known = counters.waiting + counters.complete + counters.error
    for number in range(1, len(walk.facts.bits)):
        if walk.facts.has(number, NAMED | FAILED) and not walk.facts.has(number, EXISTS):
            walk.report.add("page_of", f"page {number} is spoken of, but there is no such page")
    _check_content(walk)
    _check_references(walk)


def _check_page_of(walk: Walk) -> None:
    for url_hash, value in walk.table("page_of"):
        number = int.from_bytes(value, "big")
        walk.expect_seen(url_hash, f"the URL of page {number}")
        if not walk.facts.mark(number, NAMED):
            walk.report.add("page_of", f"a second URL leads to page {number}, or there is no such page")
    walk.ask_trie()


def _check_page(walk: Walk, number: int, page: PageRecord) -> None:
    facts, report = walk.facts, walk.report
    if not facts.has(number, NAMED):
        report.add("page_of", f"no URL leads to page {number}, {page.url}")
    row = walk.rows.get("host_ids", host_key(page.url).encode())
    host = 0 if row is None else host_of(row)
    if not host:
        report.add("hosts", f"the host of page {number}, {page.url}, has no number")
    failed = page.kind is OutcomeKind.FAILED
    if facts.has(number, FAILED):
        if not failed or facts.has(number, WAITS):
            report.add("errors", f"{page.url} is in the error queue, but {_where(page, facts.bits[number])}")
        facts.count_error(page, host)
    elif facts.has(number, WAITS):
        pass  # it was put back, and counts among those that wait
    elif failed:
        report.add("errors", f"{page.url} has failed, but is not in the error queue")
        facts.count_error(page, host)
    else:
        facts.count_complete(page, host)
    if walk.rows.get("changes", number_key(page.change)) != number_key(number):
        report.add("changes", f"change {page.change} of page {number} is not in the list of changes")
    if page.kind in (OutcomeKind.STORED, OutcomeKind.DUPLICATE) and not walk.rows.get("content", page.digest):
        report.add("content", f"the content of page {number}, {page.url}, is not known as stored")


def _where(page: PageRecord, bits: int) -> str:
    return "waits, too" if bits & WAITS else f"its page is {page.kind}"


def _check_content(walk: Walk) -> None:
    for digest, value in walk.table("content"):
        if is_version(value):
            check_superseded(walk, digest, value)
            continue
        number = int.from_bytes(value, "big")
        row = walk.page_row(number)
        page = None if row is None else walk.read(PageRecord, row, "pages", f"page {number}")
        if page is None or page.kind is not OutcomeKind.STORED or page.digest != digest:
            walk.report.add(
                "content", f"content {digest.hex()} is said to be that of page {number}: it is not"
            )


def _check_references(walk: Walk) -> None:
    for key, _ in walk.table("links"):
        if not walk.facts.has(int.from_bytes(key, "big"), EXISTS):
            walk.report.add(
                "links", f"there are links of page {int.from_bytes(key, 'big')}, which there is not"
            )
    for key, value in walk.table("changes"):
        number = int.from_bytes(value, "big")
        if not walk.facts.has(number, EXISTS):
            walk.report.add(
                "changes", f"change {int.from_bytes(key, 'big')} is of page {number}: there is none"
            )
