"""What holds for all tests: laws are tried on the same examples each time, however busy the machine is.

SPIDERD_FUZZ=100 tries a hundred times as many, at random (see `tests.fuzzing`).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

from spiderd.daemon import disk
from tests.fuzzing import FACTOR

settings.register_profile(
    "spiderd", deadline=None, derandomize=FACTOR == 1, max_examples=max(1, round(100 * FACTOR))
)
settings.load_profile("spiderd")

PACKAGE = Path(__file__).parents[1] / "spiderd"


def pytest_configure() -> None:
    """Machine code that is older than its source would be tested in its place."""
    for compiled in PACKAGE.rglob("*.so"):
        source = compiled.with_name(compiled.name.partition(".")[0] + ".py")
        if not source.exists() or source.stat().st_mtime > compiled.stat().st_mtime:
            pytest.exit(f"{source} is newer than {compiled.name}: scripts/compile again, or --undo", 2)


@pytest.fixture(autouse=True)
def _nobody_looks_after_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clocks that jump from one timer to the next would stop at each look, for hours of their time."""
    monkeypatch.setattr(disk, "PLACE_EVERY", 1e6)
