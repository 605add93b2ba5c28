"""When to commit and when to rank, on a clock that is told."""

from __future__ import annotations

from spiderd.search.pace import COMMIT_LATE, COMMIT_SOON, RANK_BUSY, RANK_IDLE, RANK_SHARE, Pace


def test_the_first_commit_is_at_once_and_the_next_one_waits():
    pace = Pace()
    assert pace.commit_due(0.0, idle=True)
    pace.committed(0.0, 0.1)
    assert not pace.commit_due(0.2, idle=True)
    assert pace.commit_due(0.2, idle=True, asked=True)
    assert pace.commit_due(0.1 + COMMIT_SOON, idle=True)
    assert not pace.commit_due(0.1 + COMMIT_SOON, idle=False)
    assert pace.commit_due(0.1 + COMMIT_LATE, idle=False)


def test_slow_commits_are_rare():
    pace = Pace()
    pace.committed(0.0, 2.0)
    assert not pace.commit_due(20.0, idle=False)
    assert pace.commit_due(22.0, idle=False)


def test_ranking_waits_for_a_quiet_moment():
    pace = Pace()
    assert not pace.ranking_due(0.0, 100, 0, idle=False)
    assert pace.ranking_due(0.0, 100, 0, idle=True)
    assert pace.ranking_due(0.0, RANK_BUSY, 0, idle=False)
    assert not pace.ranking_due(0.0, 2 * RANK_BUSY, RANK_BUSY + 1, idle=False)


def test_a_few_new_pages_are_ranked_after_some_time_without_any():
    pace = Pace()
    assert not pace.ranking_due(0.0, 101, 100, idle=True)
    assert pace.ranking_due(RANK_IDLE, 101, 100, idle=True)
    assert not pace.ranking_due(RANK_IDLE, 101, 100, idle=False)
    assert not pace.ranking_due(RANK_IDLE + 1, 101, 100, idle=True)
    assert not pace.ranking_due(1_000.0, 100, 100, idle=True)


def test_slow_rankings_are_rare():
    pace = Pace()
    pace.ranked(0.0, 10.0)
    assert not pace.ranking_due(10.0 * RANK_SHARE, 200, 100, idle=True)
    assert pace.ranking_due(10.0 + 10.0 * RANK_SHARE, 200, 100, idle=True)
