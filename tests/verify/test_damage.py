"""Each kind of damage is planted, found, and, where it can be, repaired; a sound store stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from spiderd.config.declaration import Urls
from spiderd.states import OutcomeKind
from spiderd.store.records import (
    DirectoryRecord,
    HostRecord,
    PageRecord,
    WaitingUrl,
    decode,
    encode,
    host_key_bytes,
    number_key,
)
from spiderd.store.transaction import Transaction
from spiderd.verify import repair, verify
from tests.verify.crawled import copy_of, first, make, opened


@pytest.fixture(scope="module")
def original(tmp_path_factory) -> Path:
    data = tmp_path_factory.mktemp("crawled") / "data"
    make(data)
    return data


@pytest.fixture(scope="module")
def best_first(tmp_path_factory) -> Path:
    data = tmp_path_factory.mktemp("best") / "data"
    make(data, crawl={"order": "best"})
    return data


@pytest.fixture
def data(original: Path, tmp_path: Path) -> Path:
    return copy_of(original, tmp_path / "data")


def is_kind(kind: OutcomeKind) -> Callable[[bytes], bool]:
    return lambda row: decode(PageRecord, row).kind is kind


def changed_page(rows: Transaction, kind: OutcomeKind = OutcomeKind.STORED, **changes) -> None:
    key, row = first(rows, "pages", is_kind(kind))
    page = decode(PageRecord, row)
    for name, value in changes.items():
        setattr(page, name, value)
    rows.put("pages", key, encode(page))


def no_page_of(rows: Transaction) -> None:
    rows.delete("page_of", first(rows, "page_of")[0])


def two_urls_of_a_page(rows: Transaction) -> None:
    rows.put("page_of", b"8 bytes.", first(rows, "page_of")[1])


def page_of_nothing(rows: Transaction) -> None:
    rows.put("page_of", b"8 bytes.", number_key(999))


def no_error(rows: Transaction) -> None:
    rows.delete("errors", first(rows, "errors")[0])


def error_of_a_good_page(rows: Transaction) -> None:
    row = first(rows, "errors")[1]
    rows.put("errors", first(rows, "pages", is_kind(OutcomeKind.STORED))[0], row)


def no_content(rows: Transaction) -> None:
    rows.delete("content", first(rows, "content")[0])


def content_of_another(rows: Transaction) -> None:
    keys = [key for key, _ in rows.cursor("content")]
    rows.put("content", keys[0], rows.get("content", keys[1]) or b"")


def no_change(rows: Transaction) -> None:
    rows.delete("changes", first(rows, "changes")[0])


def change_of_nothing(rows: Transaction) -> None:
    rows.put("changes", number_key(999), number_key(999))


def links_of_nothing(rows: Transaction) -> None:
    rows.put("links", number_key(999), b"")


def lease_of_nothing(rows: Transaction) -> None:
    rows.put("leases", b"12 bytes....", bytes(8))


def wrong_counter(rows: Transaction) -> None:
    rows.state.counters.pages += 1


def wrong_failures(rows: Transaction) -> None:
    rows.state.counters.failures["dns_temporary"] = 3


def wrong_next_number(rows: Transaction) -> None:
    rows.state.next_page = 2


def wrong_tally(rows: Transaction) -> None:
    key, row = first(rows, "hosts")
    record = decode(HostRecord, row)
    record.waiting += 1
    rows.put("hosts", key, encode(record))


def no_host_row(rows: Transaction) -> None:
    rows.delete("hosts", first(rows, "hosts")[0])


def no_host_name(rows: Transaction) -> None:
    rows.delete("host_ids", first(rows, "host_ids")[0])


def waits_twice(rows: Transaction) -> None:
    key, row = first(rows, "frontier")
    rows.put("delayed", bytes(8) + key, row)


def waits_under_no_host(rows: Transaction) -> None:
    key, row = first(rows, "frontier")
    rows.delete("frontier", key)
    rows.put("frontier", host_key_bytes(77) + key[4:], row)


def was_never_seen(rows: Transaction) -> None:
    row = WaitingUrl("http://127.0.0.1/new", b"8 bytes.", 1, sequence=10**6)
    rows.put("frontier", first(rows, "frontier")[0][:4] + bytes(7) + b"\x09", encode(row))


def broken_trie(rows: Transaction) -> None:
    key, leaf = first(rows, "seen", lambda value: len(value) > 8)
    rows.put("seen", key, leaf + b"x")


def no_trie(rows: Transaction) -> None:
    rows.drop("seen")


def wrong_branch(rows: Transaction) -> None:
    key, row = first(rows, "tree")
    rows.put("tree", key, row[:4] + bytes([row[4] + 1]) + row[5:])


def no_branch(rows: Transaction) -> None:
    rows.delete("tree", first(rows, "tree")[0])


def wrong_directory(rows: Transaction) -> None:
    key, row = first(rows, "directories", lambda row: decode(DirectoryRecord, row).count > 1)
    record = decode(DirectoryRecord, row)
    record.count -= 1
    record.bytes += 1
    rows.put("directories", key, encode(record))


PLANTED = [
    (wrong_branch, "tree"),
    (no_branch, "hosts"),
    (no_page_of, "page_of"),
    (two_urls_of_a_page, "page_of"),
    (page_of_nothing, "page_of"),
    (no_error, "errors"),
    (error_of_a_good_page, "errors"),
    (no_content, "content"),
    (content_of_another, "content"),
    (no_change, "changes"),
    (change_of_nothing, "changes"),
    (links_of_nothing, "links"),
    (lease_of_nothing, "leases"),
    (wrong_counter, "counters"),
    (wrong_failures, "counters"),
    (wrong_next_number, "counters"),
    (wrong_tally, "hosts"),
    (no_host_row, "hosts"),
    (no_host_name, "hosts"),
    (waits_twice, "waiting"),
    (waits_under_no_host, "waiting"),
    (was_never_seen, "trie"),
    (broken_trie, "trie"),
    (no_trie, "trie"),
    (wrong_directory, "directories"),
]


@pytest.mark.parametrize(("plant", "relation"), PLANTED, ids=lambda value: getattr(value, "__name__", ""))
def test_damage_of_a_table_is_found_and_repaired(data: Path, plant, relation: str) -> None:
    with opened(data) as rows:
        plant(rows)
    found = verify(data)
    assert relation in found.found, found
    assert not found.sound
    repaired = repair(data, Urls())
    assert repaired.sound, repaired
    assert relation in repaired.repaired
    assert verify(data).sound


def test_a_sound_store_is_said_to_be_and_left_alone(data: Path) -> None:
    report = verify(data)
    assert report.sound, report
    assert (report.pages, report.waiting, report.resources) == (17, 12, 14)
    before = {path: path.read_bytes() for path in (data / "pages").rglob("*") if path.is_file()}
    assert repair(data, Urls()).sound
    assert {path: path.read_bytes() for path in (data / "pages").rglob("*") if path.is_file()} == before


def test_where_urls_wait_is_looked_up_in_best_first_order(best_first: Path, tmp_path: Path) -> None:
    data = copy_of(best_first, tmp_path / "data")
    assert verify(data).sound
    with opened(data) as rows:
        url_hash, _ = first(rows, "waiting_of")
        rows.delete("waiting_of", url_hash)
        rows.put("waiting_of", b"8 bytes.", b"12 bytes....")
    assert verify(data).found == {"waiting_of": 2}
    assert repair(data, Urls()).sound


def test_a_row_that_cannot_be_read_is_said_and_cannot_be_repaired(data: Path) -> None:
    with opened(data) as rows:
        rows.put("pages", first(rows, "pages")[0], b"\xc1")
    assert verify(data).found["pages"] >= 1
