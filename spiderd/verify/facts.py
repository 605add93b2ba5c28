"""What a walk over the store adds up to: what counters and tallies must be, and a few bits a page.

Memory: a byte a page number, 40 bytes a host, a bit a resource; so 10 MB at ten million pages, where a Python
object each would take gigabytes.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

from spiderd.protocol import Counters
from spiderd.states import OutcomeKind
from spiderd.store.records import DirectoryRecord, HostRecord, PageRecord

EXISTS, NAMED, WAITS, FAILED, LOST = 1, 2, 4, 8, 16
"""Bits of a page number: it has a row; a URL leads to it; its URL waits again; it is in the error queue; its
body is not in the archive as it should be."""


class HostTallies:
    """Tallies by host number."""

    NAMES = ("waiting", "complete", "error", "pages", "bytes", "directories")

    def __init__(self, hosts: int) -> None:
        self._columns = {name: array("q", bytes(8 * (hosts + 1))) for name in self.NAMES}

    def add(self, host: int, name: str, amount: int = 1) -> None:
        """Count for a host; one that cannot be is left out."""
        column = self._columns[name]
        if 0 < host < len(column):
            column[host] += amount

    def of(self, host: int, key: str) -> HostRecord:
        """The tallies of one host as its row must be."""
        if not 0 < host < len(self._columns["waiting"]):
            return HostRecord(key)
        return HostRecord(key, *(self._columns[name][host] for name in self.NAMES))


@dataclass(slots=True)
class DirectoryFacts:
    """What pages say of one download directory."""

    record: DirectoryRecord
    claimed: bytearray  # a bit a resource
    bytes: int = 0
    highest: int = 0

    def claim(self, number: int) -> bool:
        """Take note of a page's resource; False if another page has it."""
        place, bit = number >> 3, 1 << (number & 7)
        if place >= len(self.claimed):
            self.claimed.extend(bytes(place + 1 - len(self.claimed)))
        free = not self.claimed[place] & bit
        self.claimed[place] |= bit
        self.highest = max(self.highest, number)
        return free

    def is_claimed(self, number: int) -> bool:
        """Whether a page has this resource."""
        place = number >> 3
        return place < len(self.claimed) and bool(self.claimed[place] >> (number & 7) & 1)


@dataclass(slots=True)
class Facts:
    """Everything that later parts of a walk need of the earlier ones."""

    bits: bytearray  # by page number
    hosts: HostTallies
    counters: Counters = field(default_factory=Counters)
    directories: dict[int, DirectoryFacts] = field(default_factory=dict)
    bad_index: set[int] = field(default_factory=set)  # directories whose index.txt is not to be trusted
    trie_is_broken: bool = False
    highest: dict[str, int] = field(default_factory=dict)  # field of the state row -> what it must exceed

    def has(self, number: int, bit: int) -> bool:
        """Whether a page number has a bit."""
        return 0 < number < len(self.bits) and bool(self.bits[number] & bit)

    def mark(self, number: int, bit: int) -> bool:
        """Give a page number a bit; False if it had it, or cannot be."""
        if not 0 < number < len(self.bits) or self.bits[number] & bit:
            return False
        self.bits[number] |= bit
        return True

    def count_complete(self, page: PageRecord, host: int) -> None:
        """Count a page whose URL is done."""
        counters, hosts = self.counters, self.hosts
        counters.complete += 1
        hosts.add(host, "complete")
        if page.kind is OutcomeKind.STORED:
            counters.pages += 1
            counters.bytes += page.size
            hosts.add(host, "pages")
            hosts.add(host, "bytes", page.size)
        elif page.kind is OutcomeKind.DUPLICATE:
            counters.duplicates += 1
        elif page.kind is OutcomeKind.REDIRECT:
            counters.redirects += 1
        elif page.kind is not OutcomeKind.SITEMAP:
            counters.skipped += 1
            self._count_failure(page.failure or page.kind)

    def count_error(self, page: PageRecord, host: int) -> None:
        """Count a page in the error queue."""
        self.counters.error += 1
        self.hosts.add(host, "error")
        self._count_failure(page.failure)

    def _count_failure(self, name: str) -> None:
        self.counters.failures[name] = self.counters.failures.get(name, 0) + 1
