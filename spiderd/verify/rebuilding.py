"""Tables that follow from others, put right within the open transaction of a ledger."""

from __future__ import annotations

from collections.abc import Iterator

from spiderd.config.declaration import Urls
from spiderd.states import Failure, OutcomeKind
from spiderd.store.ledger import Ledger
from spiderd.store.records import (
    HOST_ID_BYTES,
    ErrorRecord,
    HostRecord,
    PageRecord,
    WaitingUrl,
    decode,
    encode,
    host_of,
    number_key,
)
from spiderd.urls import host_key, key_hash, seen_key, sitemap_key
from spiderd.verify.facts import FAILED, WAITS, Facts
from spiderd.verify.twice import Twice
from spiderd.verify.waiting import PLACES

BATCH = 5000  # hashes that the trie is given at a time


def all_waiting(ledger: Ledger) -> Iterator[tuple[str, bytes, WaitingUrl]]:
    """Yield table, key and row of every URL that waits."""
    for place in PLACES:
        with ledger.cursor(place) as cursor:
            for key, row in cursor:
                yield place, key, decode(WaitingUrl, row)


def all_pages(ledger: Ledger) -> Iterator[tuple[bytes, PageRecord]]:
    """Yield key and row of every page."""
    with ledger.cursor("pages") as cursor:
        for key, row in cursor:
            yield key, decode(PageRecord, row)


def all_stored(ledger: Ledger) -> Iterator[PageRecord]:
    """Yield the row of every page that was stored, and of every version: all that have a body."""
    for _, page in all_pages(ledger):
        if page.kind is OutcomeKind.STORED:
            yield page
    with ledger.cursor("versions") as cursor:
        for _, row in cursor:
            yield decode(PageRecord, row)


def empty(ledger: Ledger, table: str) -> None:
    """Delete all rows of a table."""
    with ledger.cursor(table) as cursor:
        found = cursor.first()
        while found:
            found = cursor.delete()


def put_again(ledger: Ledger, key: bytes, page: PageRecord) -> None:
    """Write a page's row as the latest change of all, so that whoever follows the changes hears of it."""
    state = ledger.state
    page.change = state.next_change
    state.next_change += 1
    ledger.put("pages", key, encode(page))
    ledger.put("changes", number_key(page.change), key)


def wait_again(ledger: Ledger, url_hash: bytes, key: bytes, page: PageRecord) -> None:
    """Put the URL of a page among the waiting; its row says that the page could not be kept."""
    again = WaitingUrl(page.url, url_hash, page.depth, referrer=page.referrer)
    ledger.visits.drop(key)
    ledger.frontier.enqueue(ledger.hosts.id_of(host_key(page.url)), again)
    page.kind, page.failure = OutcomeKind.FAILED, Failure.STORE_FAILED
    page.directory = page.number = page.size = 0
    page.digest = b""
    put_again(ledger, key, page)


def waiting(ledger: Ledger) -> None:
    """Let each URL wait once, under a host that there is."""
    twice = Twice(sum(1 for _ in all_waiting(ledger)))
    for _, _, url in all_waiting(ledger):
        twice.note(url.hash)
    wrong: list[tuple[str, bytes, WaitingUrl, bool]] = []
    for place, key, url in all_waiting(ledger):
        again = twice.is_repeated(url.hash)
        if again or ledger.get("hosts", key[PLACES[place] :][:HOST_ID_BYTES]) is None:
            wrong.append((place, key, url, again))
    for place, key, url, again in wrong:
        ledger.delete(place, key)
        if not again:
            ledger.frontier.enqueue(ledger.hosts.id_of(host_key(url.url)), url)


def waiting_of(ledger: Ledger) -> None:
    """Where each URL of the frontier waits, in best-first order."""
    empty(ledger, "waiting_of")
    if ledger.state.order == "best":
        with ledger.cursor("frontier") as cursor:
            for key, row in cursor:
                ledger.put("waiting_of", decode(WaitingUrl, row).hash, key)


def leases(ledger: Ledger) -> None:
    """Forget leases of what does not wait."""
    with ledger.cursor("leases") as cursor:
        keys = [key for key, _ in cursor if ledger.get("frontier", key) is None]
    ledger.frontier.forget_leases(keys)


def host_names(ledger: Ledger) -> None:
    """Let each host have a number, and each number a row; the tallies come later."""
    with ledger.cursor("hosts") as cursor:
        for number, row in cursor:
            record = decode(HostRecord, row)
            if ledger.get("host_ids", record.key.encode()) is None:
                ledger.put("host_ids", record.key.encode(), number)
    with ledger.cursor("host_ids") as cursor:
        for name, number in cursor:
            ledger.state.next_host = max(ledger.state.next_host, host_of(number) + 1)
            if ledger.get("hosts", number) is None:
                ledger.put("hosts", number, encode(HostRecord(name.decode(errors="replace"))))
    for _, page in all_pages(ledger):
        ledger.hosts.id_of(host_key(page.url))


def hashes_of(url: str, urls: Urls) -> tuple[bytes, bytes]:
    """The hashes under which a URL may be known: as a page, and as a sitemap."""
    return key_hash(seen_key(url, urls)), sitemap_key(url, urls)


def page_of(ledger: Ledger, urls: Urls) -> None:
    """Let one URL lead to each page, and to nothing else."""
    named, wrong = bytearray(ledger.state.next_page), []
    with ledger.cursor("page_of") as cursor:
        for url_hash, value in cursor:
            page, number = ledger.pages.get(value), int.from_bytes(value, "big")
            if page is None or number >= len(named):
                wrong.append(url_hash)
                continue
            candidates = hashes_of(page.url, urls)
            right = any(ledger.get("page_of", each) == value for each in candidates)
            if named[number] or (right and url_hash not in candidates):
                wrong.append(url_hash)
            else:
                named[number] = 1
    for url_hash in wrong:
        ledger.delete("page_of", url_hash)
    for key, page in all_pages(ledger):
        number = int.from_bytes(key, "big")
        if number < len(named) and not named[number]:
            free = [each for each in hashes_of(page.url, urls) if ledger.get("page_of", each) is None]
            seen = [each for each in free if ledger.frontier.is_seen(each)]
            for url_hash in (seen or free)[:1]:
                ledger.put("page_of", url_hash, key)


def errors(ledger: Ledger, facts: Facts) -> None:
    """Let the error queue have exactly those pages that have failed and do not wait."""
    with ledger.cursor("errors") as cursor:
        keys = [key for key, _ in cursor]
    for key in keys:
        page = ledger.pages.get(key)
        waits = facts.has(int.from_bytes(key, "big"), WAITS)
        if page is None or page.kind is not OutcomeKind.FAILED or waits:
            ledger.delete("errors", key)
    with ledger.cursor("page_of") as cursor:
        for url_hash, key in cursor:
            number = int.from_bytes(key, "big")
            page = None if facts.has(number, FAILED | WAITS) else ledger.pages.get(key)
            if page is not None and page.kind is OutcomeKind.FAILED:
                ledger.put("errors", key, encode(ErrorRecord(url_hash, page.tries, "")))


def content(ledger: Ledger) -> None:
    """Which page was the first with each content; twins of a page that is gone wait again."""
    empty(ledger, "content")
    for key, page in all_pages(ledger):
        if page.kind is OutcomeKind.STORED:
            ledger.pages.put_content(page.digest, int.from_bytes(key, "big"))
    with ledger.cursor("versions") as cursor:
        for key, row in cursor:
            digest = decode(PageRecord, row).digest
            if ledger.get("content", digest) is None:
                ledger.put("content", digest, key)
    with ledger.cursor("page_of") as cursor:
        for url_hash, key in cursor:
            twin = ledger.pages.get(key)
            if twin is None or twin.kind is not OutcomeKind.DUPLICATE:
                continue
            if ledger.get("content", twin.digest) is None:
                wait_again(ledger, url_hash, key, twin)


def links(ledger: Ledger) -> None:
    """Forget the links of pages that there are not."""
    with ledger.cursor("links") as cursor:
        keys = [key for key, _ in cursor if ledger.pages.get(key) is None]
    for key in keys:
        ledger.delete("links", key)


def changes(ledger: Ledger) -> None:
    """Let the last change of each page be in the list, and no change of what is no page."""
    with ledger.cursor("changes") as cursor:
        gone = [key for key, page in cursor if ledger.pages.get(page) is None]
    for key in gone:
        ledger.delete("changes", key)
    unlisted = [
        key for key, page in all_pages(ledger) if ledger.get("changes", number_key(page.change)) != key
    ]
    for key in unlisted:
        page = ledger.pages.get(key)
        if page is not None:
            put_again(ledger, key, page)


def trie(ledger: Ledger, *, broken: bool) -> None:
    """Let the trie have seen all that is known; one that is broken is built anew from that alone."""
    if broken:
        empty(ledger, "seen")
    hashes: list[bytes] = []
    with ledger.cursor("page_of") as cursor:
        for url_hash, _ in cursor:
            hashes.append(url_hash)
            if len(hashes) >= BATCH:
                ledger.frontier.mark_seen(hashes)
                hashes = []
    for _, _, url in all_waiting(ledger):
        hashes.append(url.hash)
        if len(hashes) >= BATCH:
            ledger.frontier.mark_seen(hashes)
            hashes = []
    ledger.frontier.mark_seen(hashes)
