"""The seeds of a crawl, a row each: there may be a million, and each is written once.

The state row, which is written with every commit, is no place for what grows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from spiderd.store.transaction import Transaction

PREFIX = b"seed:"


class Seeds:
    """Rows of `meta`, by a hash of the URL."""

    def __init__(self, transaction: Transaction) -> None:
        """Read and write within a transaction."""
        self._transaction = transaction

    def add(self, urls: Iterable[str]) -> None:
        """Keep seeds; one that is there already stays one."""
        for url in urls:
            data = url.encode("utf-8", "surrogatepass")
            self._transaction.put("meta", PREFIX + hashlib.blake2b(data, digest_size=16).digest(), data)

    def all(self) -> list[str]:
        """All of them, in no particular order."""
        found = []
        with self._transaction.cursor("meta") as cursor:
            here = cursor.set_range(PREFIX)
            while here and cursor.key().startswith(PREFIX):
                found.append(cursor.value().decode("utf-8", "surrogatepass"))
                here = cursor.next()
        return found
