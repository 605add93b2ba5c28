"""What holds for all tests: laws are tried on the same examples each time, however busy the machine is.

SPIDERD_FUZZ=100 tries a hundred times as many, at random (see `tests.fuzzing`).
"""

from __future__ import annotations

from hypothesis import settings

from tests.fuzzing import FACTOR

settings.register_profile(
    "spiderd", deadline=None, derandomize=FACTOR == 1, max_examples=max(1, round(100 * FACTOR))
)
settings.load_profile("spiderd")
