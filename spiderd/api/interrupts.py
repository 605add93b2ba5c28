"""What ends a wait early: the server is about to end, or the client has left."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import trio
from starlette.types import Receive

T = TypeVar("T")


class Closing:
    """The end of the server: begins once; from then on nothing that is `interruptible` waits any more."""

    def __init__(self) -> None:
        self._begun = trio.Event()
        self._scopes: set[trio.CancelScope] = set()

    @property
    def begun(self) -> bool:
        """Whether the server is about to end."""
        return self._begun.is_set()

    async def wait(self) -> None:
        """Wait for the end to begin."""
        await self._begun.wait()

    def begin(self) -> None:
        """Wake everything that waits."""
        self._begun.set()
        for scope in self._scopes:
            scope.cancel()

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Run a block that is left when the end begins."""
        with trio.CancelScope() as scope:
            self._scopes.add(scope)
            try:
                if self.begun:
                    scope.cancel()
                yield
            finally:
                self._scopes.discard(scope)


async def unless_interrupted(job: Callable[[], Awaitable[T]], receive: Receive, closing: Closing) -> T | None:
    """Wait for `job`; None where the server began to end or the client left before it was done."""
    found: T | None = None
    error: Exception | None = None
    with closing.interruptible():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_cancel_when_gone, receive, nursery.cancel_scope)
            try:
                found = await job()
            except Exception as caught:  # noqa: BLE001 - raised below, where no nursery wraps it in a group
                error = caught
            nursery.cancel_scope.cancel()
    if error is not None:
        raise error
    return found


async def _cancel_when_gone(receive: Receive, scope: trio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
