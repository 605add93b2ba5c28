"""Counters and tallies, set to what a walk has added up."""

from __future__ import annotations

from pathlib import Path

from spiderd.archive.directory import directory_path
from spiderd.archive.records import RECORDS, whole_length
from spiderd.store.ledger import Ledger
from spiderd.store.records import encode, host_of
from spiderd.verify.checking import DERIVED
from spiderd.verify.facts import Facts
from spiderd.verify.index_file import IndexFiles


def sum_up(ledger: Ledger, facts: Facts, archive: Path) -> None:
    """Write counters, next free numbers, tallies of hosts and rows of directories, as the facts have them."""
    state = ledger.state
    for name in DERIVED:
        setattr(state.counters, name, getattr(facts.counters, name))
    for name, last in facts.highest.items():
        setattr(state, name, max(getattr(state, name), last + 1))
    with ledger.cursor("host_ids") as cursor:
        for key, host in cursor:
            expected = facts.hosts.of(host_of(host), key.decode(errors="replace"))
            ledger.put("hosts", host, encode(expected))
    indexes = IndexFiles(archive)
    for number, directory in facts.directories.items():
        record = directory.record
        record.bytes = directory.bytes
        record.count = max(directory.highest, len(indexes.get(number, record.index_bytes)))
        if record.records_bytes > _size(directory_path(archive, number) / RECORDS):
            record.records_bytes = whole_length(directory_path(archive, number))
        ledger.directories.put(number, record)


def _size(file: Path) -> int:
    return file.stat().st_size if file.is_file() else 0
