"""The end of the server, as those learn of it who wait for something that may take long."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import trio


class Closing:
    """Begins once; from then on nothing that is `interruptible` waits any more."""

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
        """Run a block that is left when the end begins; check `begun` after it."""
        with trio.CancelScope() as scope:
            self._scopes.add(scope)
            try:
                if self.begun:
                    scope.cancel()
                yield
            finally:
                self._scopes.discard(scope)
