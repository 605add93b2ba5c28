"""A real browser without a screen: Chromium as the system has installed it, driven by Playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def find() -> str:
    """Where a Chromium is; "" where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), "")


@contextmanager
def browser() -> Iterator[Browser]:
    """Run a browser for the length of the block; skip the test where there is none."""
    path = find()
    if not path:
        if os.environ.get("SPIDERD_NEEDS_BROWSER"):
            pytest.fail(f"none of {', '.join(NAMES)} is installed")
        pytest.skip("there is no Chromium on the PATH (Debian: apt install chromium-headless-shell)")
    with sync_playwright() as playwright:
        # No sandbox: Chromium refuses to have one as root, which CI is; it sees pages of ours only.
        running = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"], timeout=60_000)
        try:
            yield running
        finally:
            running.close()
