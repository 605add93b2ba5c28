from __future__ import annotations

from pathlib import Path

import pytest

from tests.showing.served import crawl


@pytest.fixture(scope="session")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory that is crawled and indexed; to be read only."""
    data_dir = tmp_path_factory.mktemp("shown")
    crawl(data_dir)
    return data_dir
