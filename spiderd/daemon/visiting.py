"""Later visits as people see and steer them: how many are due, how often pages change; and asking for one."""

from __future__ import annotations

import re
import warnings
from typing import Literal

import trio

from spiderd.config.declaration import Urls
from spiderd.coordinator.coordinator import Coordinator
from spiderd.errors import UsageError
from spiderd.protocol import Revisits
from spiderd.schedule.revisit import DAY, HOUR, rate_of
from spiderd.store import lists
from spiderd.store.commands import visit_matching, visit_url
from spiderd.store.thread import StoreThread
from spiderd.urls import key_hash, normalize, seen_key

PIECE = 2000  # pages that one step looks at: some milliseconds of the store
MOST_COUNTED = 10_000  # pages that are looked at to tell how many are overdue

RATES = (
    ("an hour or less", 1.5 * HOUR),
    ("a day", 1.5 * DAY),
    ("a week", 10 * DAY),
    ("a month", 45 * DAY),
    ("a year", 500 * DAY),
    ("longer", float("inf")),
)
"""How often pages change, in words, and the seconds up to which that is said."""


class Visiting:
    """Shows what is to be visited again, and takes wishes."""

    def __init__(self, coordinator: Coordinator, store: StoreThread) -> None:
        self._coordinator = coordinator
        self._store = store
        self._overdue = 0

    def revisits(self) -> Revisits:
        """Tell how it stands; from memory."""
        revisiting = self._coordinator.revisiting
        return Revisits(
            on=revisiting.on,
            scheduled=sum(revisiting.levels.values()),
            due=revisiting.due,
            overdue=min(self._overdue, revisiting.due),
            next=(revisiting.next_due or 0.0) if revisiting.on else 0.0,
            rates=in_words(revisiting.levels),
        )

    async def refresh(self) -> None:
        """Count those that are overdue."""
        revisiting = self._coordinator.revisiting
        if not revisiting.due:
            self._overdue = 0
            return
        before = self._coordinator.desk.clock() - self._coordinator.config.revisit.min
        self._overdue = await self._store.call(lists.overdue, before, MOST_COUNTED)

    async def ask(self, what: str, urls: Urls) -> tuple[Literal["url", "pattern"], int]:
        """Have pages visited as soon as their hosts may be asked: one by its URL, or all that match.

        Returns:
            What it was taken for, and how many pages.

        Raises:
            UsageError: there is no such page, and it is no regular expression.
        """
        url = normalize(what)
        if url is not None:
            count, due = await self._store.change(visit_url, key_hash(seen_key(url, urls)))
            if count:
                self._go_on(due)
                return "url", count
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a set that may be nested one day: nobody here can mend it
                pattern = re.compile(what, re.IGNORECASE)
        except re.error as error:
            raise UsageError(
                f"{what} is no page of this crawl, and no regular expression: {error}."
            ) from error
        return "pattern", await self._ask_matching(pattern)

    async def _ask_matching(self, pattern: re.Pattern[str]) -> int:
        total, after = 0, b""
        while True:
            count, last, due = await self._store.change(
                visit_matching, after, PIECE, lambda url: pattern.search(url) is not None
            )
            total += count
            if count:
                self._go_on(due)
            if last is None:
                return total
            after = last
            await trio.lowlevel.checkpoint()

    def _go_on(self, due: int) -> None:
        self._coordinator.revisiting.asked(due)
        self._coordinator.go_on()


def in_words(levels: dict[int, int]) -> dict[str, int]:
    """Say how often how many pages change, from the most often on; rates that no page has are left out."""
    words = dict.fromkeys((word for word, _ in RATES), 0)
    for level, count in levels.items():
        every = 1 / rate_of(level)
        words[next(word for word, most in RATES if every <= most)] += count
    return {word: count for word, count in words.items() if count}
