"""What only the metrics tell: times, memory, and who holds the store up."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from spiderd.histogram import Histogram


class ProcessVitals(Struct):
    """One process of the daemon."""

    role: str  # daemon, fetcher, indexer, searcher, other
    pid: int
    resident: int  # bytes of memory
    cpu: float  # seconds since it started


class Vitals(Struct, kw_only=True):
    """How the daemon itself is; all since it started."""

    fetches: Mapping[tuple[str, str], int] = field(default_factory=dict)  # (outcome, failure) -> how many
    phases: Mapping[str, Histogram] = field(default_factory=dict)  # of a fetch
    commits: Histogram = field(default_factory=Histogram)  # of the store
    store_bytes: int = 0  # of its file; the next three are 0 where the store has not answered in time
    readers: int = 0  # that have a snapshot of the store open
    reader_lag: int = 0  # commits since the oldest of these snapshots: its pages cannot be used again
    hosts: int = 0  # on the workbench: in memory, because they have work
    processes: list[ProcessVitals] = field(default_factory=list)
