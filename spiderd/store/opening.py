"""Opening a store for a crawl: what an earlier run has left, and ranks in the order that is wanted now."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, cast

from msgspec import Struct

from spiderd.config.declaration import Order
from spiderd.protocol import Counters
from spiderd.store import lists
from spiderd.store.commands import reorder
from spiderd.store.environment import Environment
from spiderd.store.ledger import Ledger
from spiderd.store.ranks import ranking
from spiderd.store.step import copy_of


class Restored(Struct):
    """What was found in the store."""

    counters: Counters
    leased: int  # URLs that were in flight when the last daemon ended; they wait again
    crawl: str  # name of the crawl
    seeds: list[str]
    paused: bool
    hosts: list[int]  # with work, the first of them
    began: float
    shapes: list[tuple[bytes, bytes]]  # that are parked
    auth: dict[str, str]  # origin -> Authorization header


def open_ledger(path: Path, order: Order, *, sync: bool = True) -> tuple[Environment, Ledger]:
    """Open environment and ledger; to be called in the store's thread."""
    env = Environment(path, sync=sync)
    ledger = Ledger(env, ranking(order), counts_inlinks=order == "best")
    found = cast("Order | Literal['']", ledger.state.order)
    ledger.abort()
    if found and found != order:  # what is recovered was ranked in that order; `restore` changes it
        ledger.frontier.rank_by(ranking(found), counts_inlinks=found == "best")
    return env, ledger


def restore(ledger: Ledger, order: Order, seeds: Sequence[str], most_hosts: int) -> Restored:
    """Take up the crawl where it was left; counters are those before `seeds` are added."""
    state = ledger.state
    ledger.seeds.add(seeds)
    state.crawl = state.crawl or secrets.token_hex(4)
    if state.order != order:
        reorder(ledger, order)
    return Restored(
        copy_of(state.counters),
        ledger.frontier.forget_leases(),
        state.crawl,
        ledger.seeds.all(),
        state.paused,
        ledger.frontier.hosts_waiting(0, most_hosts),
        state.began,
        lists.shapes(ledger),
        state.auth,
    )
