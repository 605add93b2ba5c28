"""What all whole crawls in one process have in common."""

from __future__ import annotations

import pytest

from spiderd.daemon import disk


@pytest.fixture(autouse=True)
def nobody_looks_after_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clocks that jump from one timer to the next would stop at each look, for hours of their time."""
    monkeypatch.setattr(disk, "PLACE_EVERY", 1e6)
