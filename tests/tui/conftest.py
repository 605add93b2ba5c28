from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def sock_path() -> Iterator[Path]:
    """A path short enough for a socket, whatever pytest's own temporary directory is called."""
    with tempfile.TemporaryDirectory(prefix="spiderd-") as directory:
        yield Path(directory) / "api.sock"


@pytest.fixture(autouse=True)
def _colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same theme and the same time of day on every machine."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("TEXTUAL_THEME", raising=False)
