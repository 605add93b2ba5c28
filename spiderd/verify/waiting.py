"""URLs that wait: frontier, delayed and parked against trie, each other, hosts, leases and `waiting_of`."""

from __future__ import annotations

from spiderd.store.records import HostRecord, WaitingUrl, host_of
from spiderd.verify.facts import WAITS
from spiderd.verify.twice import Twice
from spiderd.verify.walking import Walk

PLACES = {"frontier": 0, "delayed": 8, "parked": 8}
"""Tables in which a URL waits -> bytes of the key before its frontier key."""


def check_waiting(walk: Walk) -> None:
    """Look at every URL that waits."""
    total = sum(walk.rows.entries(place) for place in PLACES)
    twice = Twice(total)
    for place, skipped in PLACES.items():
        for key, row in walk.table(place):
            waiting = walk.read(WaitingUrl, row, "waiting", f"row {key.hex()} of {place}")
            if waiting is not None:
                twice.note(waiting.hash)
                _check(walk, place, host_of(key[skipped:]), waiting)
    walk.ask_trie()
    _check_twice(walk, twice)
    counters = walk.facts.counters
    counters.waiting = walk.report.waiting = total
    counters.parked = walk.rows.entries("parked")
    _check_leases(walk)
    _check_waiting_of(walk)


def _check(walk: Walk, place: str, host: int, waiting: WaitingUrl) -> None:
    walk.expect_seen(waiting.hash, waiting.url)
    highest = walk.facts.highest
    highest["next_sequence"] = max(highest.get("next_sequence", 0), waiting.sequence)
    walk.facts.hosts.add(host, "waiting")
    if not 0 < host < walk.state.next_host:
        walk.report.add("waiting", f"{waiting.url} waits in {place} under host {host}, which there is not")
    number = walk.rows.get("page_of", waiting.hash)
    if number is not None:
        walk.facts.mark(int.from_bytes(number, "big"), WAITS)


def _check_twice(walk: Walk, twice: Twice) -> None:
    for place in PLACES:
        with walk.rows.cursor(place) as cursor:
            for _, row in cursor:
                waiting = walk.read(WaitingUrl, row, "waiting", place)
                if waiting is not None and twice.is_repeated(waiting.hash):
                    walk.report.add("waiting", f"{waiting.url} waits twice, the second time in {place}")


def _check_leases(walk: Walk) -> None:
    for key, _ in walk.table("leases"):
        if walk.rows.get("frontier", key) is None:
            walk.report.add("leases", f"lease {key.hex()} is of a URL that does not wait")


def _check_waiting_of(walk: Walk) -> None:
    if walk.state.order == "best":
        for key, row in walk.table("frontier"):
            waiting = walk.read(WaitingUrl, row, "waiting", f"row {key.hex()} of frontier")
            if waiting is not None and walk.rows.get("waiting_of", waiting.hash) != key:
                walk.report.add("waiting_of", f"{waiting.url} waits, but waiting_of does not say where")
    for url_hash, key in walk.table("waiting_of"):
        if url_hash not in (walk.rows.get("frontier", key) or b""):
            walk.report.add("waiting_of", f"{url_hash.hex()} is said to wait where it does not")


def check_hosts(walk: Walk) -> None:
    """Compare numbers, names and tallies of the hosts with what was counted; to be called last."""
    facts = walk.facts
    facts.counters.hosts = walk.rows.entries("host_ids")
    for name, number in walk.table("host_ids"):
        host, key = host_of(number), name.decode(errors="replace")
        row = walk.rows.get("hosts", number)
        record = None if row is None else walk.read(HostRecord, row, "hosts", f"host {key}")
        expected = facts.hosts.of(host, key)
        if not 0 < host < walk.state.next_host:
            walk.report.add("hosts", f"host {key} has the number {host}, which was never given out")
        elif row is None:
            walk.report.add("hosts", f"host {key} has no row")
        elif record is not None and record != expected:
            walk.report.add("hosts", f"host {key}: its row says {record}, the tables {expected}")
    for number, row in walk.table("hosts"):
        record = walk.read(HostRecord, row, "hosts", f"host {host_of(number)}")
        if record is not None and walk.rows.get("host_ids", record.key.encode()) != number:
            walk.report.add("hosts", f"host {record.key} cannot be found by its name")
