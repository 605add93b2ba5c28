"""How long to fuzz: briefly and always alike in CI; SPIDERD_FUZZ=100 is a hundred times as much, at random.

SPIDERD_FUZZ=100 scripts/test tests/fuzz tests/api/test_described.py
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

FACTOR = float(os.environ.get("SPIDERD_FUZZ", "1"))


def fuzz(examples: int) -> settings:
    """Settings for a test that tries so many examples in CI."""
    return settings(
        max_examples=max(1, round(examples * FACTOR)),
        derandomize=FACTOR == 1,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
