"""PageRank: how likely somebody is on a page who follows links at random.

Power iteration (Page, Brin 1998). With the links sorted by target, one step is a gather over all links and a
sum over each target's run of them, both of which numpy does at the speed of memory; what pages without links
hold is spread over all. It begins with the ranks of the last time where there are some, which are most of
the way there. Measured: ten million links between a million pages in 2.5 s of one core (9 steps). scipy's
sparse matrices take 0.8 s, and 35 MB to install: too much for what is done in quiet moments.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from spiderd.search.graph import Graph

Ranks: TypeAlias = npt.NDArray[np.float64]

DAMPING = 0.85
TOLERANCE = 1e-4  # sum of all changes of a step, of 1 in all
MAX_STEPS = 100


def page_rank(graph: Graph, start: Ranks | None = None, *, tolerance: float = TOLERANCE) -> Ranks:
    """Rank pages by their number; the ranks of all pages are 1 together, that of page 0 is 0.

    Args:
        graph: the links.
        start: ranks of an earlier time, by number; it may be shorter.
        tolerance: when to stop.
    """
    pages = graph.pages
    if not pages:
        return np.zeros(1)
    order = np.argsort(graph.targets, kind="stable")
    sources = graph.sources[order]
    linked, begins = np.unique(graph.targets[order], return_index=True)
    out = np.bincount(graph.sources, minlength=pages + 1).astype(np.float64)
    dangling = out == 0
    dangling[0] = False
    share = np.divide(DAMPING, out, out=np.zeros_like(out), where=out > 0)
    ranks = _begin(pages, start)
    for _ in range(MAX_STEPS):
        new = np.full(pages + 1, (1 - DAMPING + DAMPING * ranks[dangling].sum()) / pages)
        new[0] = 0.0
        if len(sources):
            new[linked] += np.add.reduceat((ranks * share)[sources], begins)
        change = np.abs(new - ranks).sum()
        ranks = new
        if change < tolerance:
            break
    return ranks


def _begin(pages: int, start: Ranks | None) -> Ranks:
    ranks = np.full(pages + 1, 1 / pages)
    if start is not None:
        known = min(len(start), pages + 1)
        ranks[:known] = np.maximum(start[:known], 0.0)
    ranks[0] = 0.0
    total = float(ranks.sum())
    return ranks / total if total > 0 else np.full(pages + 1, 1 / pages)
