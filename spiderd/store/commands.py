"""Changes that people ask for. Each is a step of its own and committed at once (`StoreThread.change`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spiderd.store.frontier import Found
from spiderd.store.ledger import Ledger
from spiderd.store.records import PageRecord


def set_paused(ledger: Ledger, *, paused: bool) -> None:
    """Remember whether somebody has paused the crawl."""
    ledger.state.paused = paused


def add_seeds(ledger: Ledger, found: Found, seeds: Sequence[str], auth: dict[str, str]) -> list[bool]:
    """Add URLs as seeds; True for each that was new. `auth` is what their user names say, by origin."""
    new = ledger.frontier.add(found)
    state = ledger.state
    state.auth = state.auth | auth
    state.seeds = [*state.seeds, *(seed for seed in dict.fromkeys(seeds) if seed not in state.seeds)]
    return new


def retry_errors(ledger: Ledger, wanted: Callable[[PageRecord], bool]) -> int:
    """Put back the URLs of the error queue whose page record is wanted; how many."""
    return ledger.errors.retry(wanted)


def release_shape(ledger: Ledger, shape: str, key: bytes) -> int:
    """Let the parked URLs of a shape wait for their turn again; how many. `key` is its key of 8 bytes."""
    ledger.delete("shapes", shape.encode())
    return ledger.frontier.unpark(key)
