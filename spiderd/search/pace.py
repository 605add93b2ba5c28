"""When the indexer commits, and when it ranks: seldom enough that the work itself is what takes the time.

A commit costs a few hundredths of a second and leaves a segment that will have to be merged; ranking reads
all links. Both wait at least a multiple of what they took the last time.
"""

from __future__ import annotations

COMMIT_SOON = 1.0  # seconds without a commit, when there is nothing else to do
COMMIT_LATE = 3.0  # when there is
COMMIT_SHARE = 10.0  # times what the last commit took
RANK_SHARE = 20.0  # times what the last ranking took
RANK_GROWTH = 0.1  # of the pages since the last ranking, when there is nothing else to do
RANK_GROWTH_BUSY = 1.0  # when there is
RANK_BUSY = 5_000  # pages below which ranking waits for a quiet moment
RANK_IDLE = 20.0  # seconds without anything to do after which any new page is reason enough


class Pace:
    """Times of the last commit and ranking; told by the caller, in seconds of one clock."""

    def __init__(self) -> None:
        self._next_commit = 0.0
        self._last_commit = float("-inf")
        self._next_ranking = 0.0
        self._idle_since: float | None = None

    def commit_due(self, now: float, *, idle: bool, asked: bool = False) -> bool:
        """Whether to commit what was done.

        Args:
            now: the time.
            idle: there is nothing else to do.
            asked: somebody waits for it.
        """
        if idle:
            return asked or now >= self._last_commit + COMMIT_SOON
        return now >= self._next_commit

    def committed(self, began: float, ended: float) -> None:
        """Note a commit."""
        self._last_commit = ended
        self._next_commit = ended + max(COMMIT_LATE, COMMIT_SHARE * (ended - began))

    def ranking_due(self, now: float, pages: int, ranked: int, *, idle: bool) -> bool:
        """Whether to rank.

        Args:
            now: the time.
            pages: that there are.
            ranked: that there were at the last ranking.
            idle: everything else is done.
        """
        if not idle:
            self._idle_since = None
        elif self._idle_since is None:
            self._idle_since = now
        if pages <= ranked or now < self._next_ranking:
            return False
        growth = (pages - ranked) / max(1, ranked)
        if self._idle_since is None:
            return pages >= RANK_BUSY and growth >= RANK_GROWTH_BUSY
        return growth >= RANK_GROWTH or now >= self._idle_since + RANK_IDLE

    def ranked(self, began: float, ended: float) -> None:
        """Note a ranking."""
        self._next_ranking = ended + RANK_SHARE * (ended - began)
