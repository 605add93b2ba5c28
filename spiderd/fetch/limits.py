"""What one request may cost at most."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from spiderd.config.declaration import Fetch


@dataclass(frozen=True, slots=True)
class Limits:
    """Durations in seconds, sizes in bytes; `inf` and a size of 0 mean that there is no limit."""

    connect: float = 10.0  # name, TCP, TLS
    read: float = 20.0  # to the first byte, and between two of them
    total: float = 120.0
    max_headers: int = 64 * 1024
    max_body: int = 10 * 1024 * 1024
    max_ratio: int = 200
    min_rate: int = 50
    min_rate_window: float = 30.0

    @classmethod
    def of(cls, fetch: Fetch) -> Limits:
        """The limits that a configuration sets; a duration of 0 there means none."""
        return cls(
            connect=fetch.connect_timeout or inf,
            read=fetch.read_timeout or inf,
            total=fetch.total_timeout or inf,
            max_headers=fetch.max_headers,
            max_body=fetch.max_body,
            max_ratio=fetch.max_ratio,
            min_rate=fetch.min_rate,
            min_rate_window=fetch.min_rate_window or inf,
        )
