"""What the API may lean on, looked at from outside."""

from __future__ import annotations

import subprocess
import sys

import pytest

PRINT = "import sys; import {0}; print('\\n'.join(sys.modules))"


def modules_after(name: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", PRINT.format(name)], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_the_server_does_not_load_the_crawler():
    loaded = modules_after("spiderd.api.server")
    ours = {".".join(name.split(".")[:2]) for name in loaded if name.startswith("spiderd.")} - {"spiderd.api"}
    assert ours <= {"spiderd.errors", "spiderd.histogram", "spiderd.protocol", "spiderd.states"}
    assert not loaded & {"httpx", "lmdb", "textual", "hypercorn"}


@pytest.mark.parametrize("name", ["spiderd.api.crawl", "spiderd.api.events"])
def test_what_the_coordinator_needs_does_not_load_the_server(name):
    assert not modules_after(name) & {"starlette", "h11"}
