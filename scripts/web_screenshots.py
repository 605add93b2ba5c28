"""Draws the pictures of the search page and of a report for the documentation.

    python scripts/web_screenshots.py [FOLDER]

PNG files in docs/ (or FOLDER), made by Chromium from a daemon that crawls the demonstration site, so that
they show no one's pages and can be made again at any time. Needs Chromium and what developing needs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # the checkout first, installed or not

from playwright.sync_api import Browser, Page

from spiderd.demo.server import serving
from tests.showing.browser import browser
from tests.showing.served import free_port

ROOT = Path(__file__).parents[1]
SIZE = {"width": 820, "height": 560}
SPIDERD = [sys.executable, "-m", "spiderd"]


def tab(running: Browser, scheme: str, url: str) -> Page:
    """Open a page in a window of its own."""
    window = running.new_context(viewport=SIZE, color_scheme=scheme)
    page = window.new_page()
    page.goto(url)
    return page


def wait_for(url: str) -> None:
    """Wait until somebody answers."""
    for _ in range(300):
        try:
            urllib.request.urlopen(url).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit(f"Nobody answers at {url}.")


def draw(running: Browser, folder: Path, data: Path, site: str) -> None:
    """Crawl, and draw what there is to be seen meanwhile and afterwards."""
    port = free_port()
    web = f"http://127.0.0.1:{port}"
    settings = ["web.enabled=true", f"web.port={port}", 'politeness.delay="250ms"', "politeness.per_host=2"]
    options = [part for setting in settings for part in ("--set", setting)]
    command = [*SPIDERD, "start", site, "--data-dir", str(data), "--log-level", "error", *options]
    daemon = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        wait_for(f"{web}/")
        page = tab(running, "dark", f"{web}/status")
        page.wait_for_timeout(8_000)
        page.screenshot(path=folder / "web-status.png")
        page.locator("#state", has_text="complete").wait_for(timeout=120_000)
        page.wait_for_timeout(6_000)  # the index is a few seconds behind
        for scheme, name in (("light", "web-search.png"), ("dark", "web-search-dark.png")):
            tab(running, scheme, f"{web}/search?q=spider").screenshot(path=folder / name)
    finally:
        daemon.terminate()
        daemon.wait()
    report = data.parent / "report.html"
    subprocess.run([*SPIDERD, "report", "--data-dir", str(data), "--html", str(report)], cwd=ROOT, check=True)
    page = tab(running, "light", report.as_uri())
    page.evaluate("document.querySelector('#depth').scrollIntoView()")
    page.screenshot(path=folder / "report.png")


def main() -> None:
    """Draw all pictures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "docs")
    folder = parser.parse_args().folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="spiderd-") as place, serving(None) as site, browser() as running:
        draw(running, folder, Path(place) / "data", site)
    for name in ("web-search", "web-search-dark", "web-status", "report"):
        print(folder / f"{name}.png")


if __name__ == "__main__":
    main()
