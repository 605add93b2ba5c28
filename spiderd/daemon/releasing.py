"""Putting back what was given up or set aside: failed URLs, parked shapes, hosts that are held back."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Literal

from spiderd.config.declaration import Urls
from spiderd.coordinator.coordinator import Coordinator
from spiderd.errors import UsageError
from spiderd.protocol import RetryRequest
from spiderd.schedule.politeness import HostState, release, standing
from spiderd.states import PASSING, Failure
from spiderd.store import lists
from spiderd.store.commands import retry_errors, retry_these, save_politeness
from spiderd.store.records import PageRecord, decode, encode
from spiderd.store.thread import StoreThread
from spiderd.urls import host_key, key_hash, normalize, seen_key

HELD = ("backoff", "parked", "unreachable")


class Releasing:
    """Lets go on what does not go on by itself."""

    def __init__(self, coordinator: Coordinator, store: StoreThread) -> None:
        self._coordinator = coordinator
        self._store = store

    async def retry(self, asked: RetryRequest, urls: Urls) -> tuple[int, list[str]]:
        """Put URLs of the error queue back.

        Whoever asks thinks that it may work now. So hosts that were unreachable are asked again at once,
        else their URLs would fail for the pause they are in; what a host itself has asked for is obeyed.

        Returns:
            How many, and which of those that were named are not in the error queue.
        """
        hosts: set[str] = set()
        missing: list[str] = []
        if asked.urls:
            count, missing = await self._retry_these(asked.urls, urls, hosts)
        else:

            def wanted(page: PageRecord) -> bool:
                if not asked.all and not _may_pass(page):
                    return False
                hosts.add(host_key(page.url))
                return True

            count = await self._store.change(retry_errors, wanted)
        for key in hosts:
            await self._lift(key, only="unreachable")
        if count:
            self._coordinator.go_on()
        return count, missing

    async def _retry_these(self, texts: Iterable[str], urls: Urls, hosts: set[str]) -> tuple[int, list[str]]:
        found = [(text, normalize(text)) for text in texts]
        good = [(text, url) for text, url in found if url]
        missing = [text for text, url in found if not url]
        there = await self._store.change(retry_these, [key_hash(seen_key(url, urls)) for _, url in good])
        for (text, url), was_there in zip(good, there, strict=True):
            if was_there:
                hosts.add(host_key(url))
            else:
                missing.append(text)
        return sum(there), missing

    async def release(self, what: str) -> tuple[Literal["shape", "host"], str, int, str]:
        """Let a parked shape go on, or a host that is held back.

        Returns:
            What it is, its name, how many URLs may be fetched again, what has held the host back.

        Raises:
            UsageError: nothing of that name is parked or known.
        """
        count = await self._coordinator.release_shape(what)
        if count is not None:
            return "shape", what, count, ""
        key = host_key(normalize(what if "//" in what else f"http://{what}/") or "")
        found = await self._store.call(lists.host, key) if key else None
        if found is None:
            raise UsageError(
                f"{what} is neither a parked shape nor a host of this crawl; "
                "spiderd traps lists the shapes, spiderd hosts the hosts"
            )
        return "host", key, found[1].waiting, await self._lift(key)

    async def _lift(self, key: str, *, only: str = "") -> str:
        """Lift what holds a host back (or only that kind of hold); what it was."""
        found = await self._store.call(lists.host, key)
        if found is None:
            return ""
        number, _, row = found
        live = self._coordinator.desk.bench.hosts.get(number)
        state = live.state if live is not None else decode(HostState, row) if row else None
        if state is None or (only and state.hold != only):
            return ""
        stands, reason = standing(state, time.time(), self._coordinator.config.politeness)
        if live is not None:
            self._coordinator.release_host(live)
        else:
            release(state)
            await self._store.change(save_politeness, number, encode(state))
        return f"{stands}: {reason}" if stands in HELD else ""


def _may_pass(page: PageRecord) -> bool:
    return page.failure in PASSING or page.failure == Failure.HOST_UNREACHABLE
