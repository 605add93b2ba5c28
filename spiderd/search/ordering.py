"""In which order candidates are shown, and which of them say the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

RANK_WEIGHT = 0.05
"""What PageRank adds: this share of the best relevance, times the logarithm of the rank (0 to about 6)."""

NEAR = 3
"""Bits of 64 in which the fingerprints of two copies may differ."""

_HELD_APART = 32  # different texts under one title; a longer list of them is no list of copies


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
    """Leave one of those that have the same title and nearly the same text: the first.

    Args:
        ordered: candidates, best first.
        titles: fingerprint of the title of the candidate at each place.
        prints: fingerprint of its text.
    """
    kept: list[Candidate] = []
    of_title: dict[int, list[Candidate]] = {}
    for candidate in ordered:
        place = candidate.place
        namesakes = of_title.setdefault(titles[place], [])
        for other in namesakes:
            if (prints[place] ^ prints[other.place]).bit_count() <= NEAR:
                other.copies.append(place)
                break
        else:
            kept.append(candidate)
            if len(namesakes) < _HELD_APART:
                namesakes.append(candidate)
    return kept
