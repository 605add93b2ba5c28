"""In which order candidates are shown, and which of them say the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

RANK_WEIGHT = 0.05
"""What PageRank adds: this share of the best relevance, times the logarithm of the rank (0 to some 6)."""

NEAR, NEARER = 3, 2
"""Bits of 64 in which fingerprints of copies may differ: under one title, and under different ones."""

_BANDS = (0, 22, 43)  # of two marks that differ in two bits, one of three parts is the same
_HELD_APART = 32  # different texts of one title or part; more of them are no copies


@dataclass(slots=True)
class Candidate:
    """A page that matches."""

    place: int  # among the candidates
    score: float
    copies: list[int] = field(default_factory=list)  # places of those that say the same


def order(relevance: Sequence[float], priors: npt.NDArray[np.float64]) -> list[Candidate]:
    """Order candidates, best first.

    Args:
        relevance: of each, best first.
        priors: logarithm of each one's rank.
    """
    scores = np.asarray(relevance, np.float64)
    scores = scores + RANK_WEIGHT * scores.max(initial=0.0) * priors
    return [Candidate(int(place), float(scores[place])) for place in np.argsort(-scores, kind="stable")]


def collapse(ordered: Sequence[Candidate], titles: Sequence[int], prints: Sequence[int]) -> list[Candidate]:
    """Leave one of those that have nearly the same text: the first.

    Args:
        ordered: candidates, best first.
        titles: fingerprint of the title of the candidate at each place.
        prints: fingerprint of its text.
    """
    kept: list[Candidate] = []
    alike: dict[tuple[int, int], list[Candidate]] = {}  # by title, or by a part of the fingerprint
    for candidate in ordered:
        mark = prints[candidate.place]
        keys = [(-1, titles[candidate.place]), *((band, mark >> band & 0x3FFFFF) for band in _BANDS)]
        original = _original(mark, keys, alike, prints)
        if original is not None:
            original.copies.append(candidate.place)
            continue
        kept.append(candidate)
        for key in keys:
            group = alike.setdefault(key, [])
            if len(group) < _HELD_APART:
                group.append(candidate)
    return kept


def _original(
    mark: int,
    keys: Sequence[tuple[int, int]],
    alike: dict[tuple[int, int], list[Candidate]],
    prints: Sequence[int],
) -> Candidate | None:
    for key in keys:
        most = NEAR if key[0] < 0 else NEARER
        for other in alike.get(key, ()):
            if (mark ^ prints[other.place]).bit_count() <= most:
                return other
    return None
